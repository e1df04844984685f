// snapshot_process.c - makes snapshot processes. Owns the memory that a snapshot process shares
// with the program.
//
// The snapshot process looks like the program from outside. So it must not print, leave a core
// file, outlive the program, run the program's handlers, or take memory that the program needs. The
// program's half runs outside of hooks, on any thread. `child` in names is the snapshot process.

#if defined(__linux__)

#include "snapshot/snapshot_process.h"
#include "arch/system_call.h"
#include "os/deadline.h"
#include "os/step.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

// Older headers do not have it.
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

enum { RUNNING, DONE, NO_ROOM, CRASHED }; // the states of a result

/// The first page of the shared memory; the bytes follow.
struct liveobj_snapshot_result {
    uint32_t state; // atomic: if it is not RUNNING, the child's output is complete
    size_t count;
    size_t capacity;
};

static unsigned char *bytes_of_result(struct liveobj_snapshot_result *result) {
    return (unsigned char *)result + liveobj_os_page_bytes();
}

// MARK: - In the snapshot process

static struct {
    struct liveobj_snapshot_result *result;
    liveobj_snapshot_work_fn work;
    void *context;
    size_t mapped;           // bytes of the result whose pages were asked for
    bool shares_descriptors; // with the program, at first
} child;

_Noreturn static void end_snapshot(uint32_t state) {
    // Release: all that the child wrote.
    __atomic_store_n(&child.result->state, state, __ATOMIC_RELEASE);
    liveobj_os_wake(&child.result->state);
    for (;;)
        syscall(SYS_exit_group, 0);
}

/// Closes or leaves the program's descriptors, so that the runtime's messages before it aborts do
/// not appear as the program's. A table shared with the program is left, and nothing in it is
/// closed.
/// \returns false if the descriptors are still the program's: none may be opened or closed.
static bool leave_descriptors(void) {
    enum { STANDARD_STREAMS = 3 };
    if (child.shares_descriptors)
        return liveobj_os_close_range(0, UINT32_MAX, true) == 0;
    if (liveobj_os_close_range(0, UINT32_MAX, false) == 0)
        return true;
    for (int descriptor = 0; descriptor < STANDARD_STREAMS; descriptor++)
        close(descriptor);
    return true;
}

/// Asks for the pages up to `end` and for some more at once, which takes less time than a fault for
/// each. Never for more than twice what is in use. If the system refuses, as before Linux 5.14,
/// each page faults.
static void map_ahead(struct liveobj_snapshot_result *result, size_t end) {
    enum { PIECE_BYTES = 1 << 20 };
    if (end <= child.mapped || end < PIECE_BYTES)
        return;
    size_t used = liveobj_round_up(result->count, liveobj_os_page_bytes());
    size_t start = used > child.mapped ? used : child.mapped;
    child.mapped = start + PIECE_BYTES;
    if (child.mapped <= result->capacity)
        madvise(bytes_of_result(result) + start, PIECE_BYTES, MADV_POPULATE_WRITE);
}

static bool append_to_result(void *destination, const void *bytes, size_t count) {
    struct liveobj_snapshot_result *result = destination;
    if (count > result->capacity - result->count)
        return false;
    map_ahead(result, result->count + count);
    memcpy(bytes_of_result(result) + result->count, bytes, count);
    result->count += count;
    liveobj_snapshot_advance();
    return true;
}

static void end_crashed_snapshot(void) {
    end_snapshot(CRASHED);
}

static void run_snapshot(void) {
    liveobj_steps_start(end_crashed_snapshot);
    end_snapshot(child.work(child.context, append_to_result, child.result) ? DONE : NO_ROOM);
}

/// Switches to a stack of the recorder's: the calling thread's may be small, and the runtime's
/// functions for types need much.
_Noreturn static void run_on_own_stack(void) {
    enum { STACK_BYTES = 8 << 20 };
    static ucontext_t start;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    liveobj_bare_lower_scheduling();
    bool has_own_descriptors = leave_descriptors();
    void *stack = has_own_descriptors ? liveobj_os_map(STACK_BYTES) : NULL;
    // While dumpable: afterwards its files in /proc belong to root. The program has the same size.
    if (has_own_descriptors)
        liveobj_bare_offer_to_oom_killer();
    prctl(PR_SET_DUMPABLE, 0);
    if (!stack || getcontext(&start) != 0)
        end_snapshot(NO_ROOM);
    start.uc_stack = (stack_t){.ss_sp = stack, .ss_size = STACK_BYTES};
    makecontext(&start, run_snapshot, 0);
    setcontext(&start);
    end_snapshot(CRASHED);
}

// MARK: - In the program

static const char *why_no_process(int error) {
    switch (error) {
    case ENOMEM:
        return "references were not read: the system has no memory for the snapshot process, a "
               "forked copy of this one";
    case EAGAIN:
        return "references were not read: the limit of processes leaves none for the snapshot "
               "process, a forked copy of this one";
    default:
        return "references were not read: the system does not allow the snapshot process, a "
               "forked copy of this one";
    }
}

static const char *const no_room =
    "references were not read: there was not enough memory for the result of the snapshot process";
static const char *const crashed = "references were not read: the snapshot process crashed";
static const char *const killed =
    "references were not read: the snapshot process was killed; is its memory limited?";
static const char *const late = "references were not read: it took longer than 30 seconds";
_Static_assert(LIVEOBJ_READING_SECONDS == 30, "as the note says");

static const char *const first_of_namespace =
    "references were not read: this process has a new PID namespace for its children; the snapshot "
    "process may be its first process, and the end of that one ends all others";

/// Whether the snapshot process may be the first of a PID namespace. At its end the system would
/// kill all others of the namespace. Linux 6.18 has no link to a namespace without a process; 7.2
/// has, so it cannot be distinguished from one with processes.
static bool may_be_first_of_namespace(void) {
    char own[64], of_children[64];
    ssize_t bytes = readlink("/proc/thread-self/ns/pid", own, sizeof own);
    return bytes > 0 && (readlink("/proc/thread-self/ns/pid_for_children", of_children,
                                  sizeof of_children) != bytes ||
                         memcmp(own, of_children, (size_t)bytes) != 0);
}

/// Maps as much shared memory as the system allows, up to `capacity`.
static bool map_result(struct liveobj_snapshot *child, size_t capacity) {
    enum { LEAST = 1 << 20 };
    for (; capacity >= LEAST && !child->result; capacity /= 2) {
        child->result_bytes = liveobj_os_page_bytes() + capacity;
        child->result = liveobj_os_map_shared(child->result_bytes);
        if (child->result)
            child->result->capacity = capacity;
    }
    return child->result != NULL;
}

static void (*before_fork)(void), (*after_fork)(void);

void liveobj_snapshot_set_fork_handlers(void (*before)(void), void (*after)(void)) {
    before_fork = before;
    after_fork = after;
}

/// With the table of descriptors shared, where the copy can leave it. A copy of the table would
/// keep the program's files open while its memory is copied: an executable that the program has
/// just written could not be run, and a pipe would not end.
static pid_t make_copy(void) {
    // An empty range: EINVAL from a kernel that has the call.
    bool can_leave = liveobj_os_close_range(1, 0, false) != 0 && errno == EINVAL;
    long flags = CLONE_UNTRACED | (can_leave ? CLONE_FILES : 0);
    child.shares_descriptors = can_leave;
    return (pid_t)syscall(SYS_clone, flags, NULL, NULL, NULL, NULL);
}

/// Forks the process. In the snapshot process the recorder's data is consistent, and no signal
/// handler of the program runs. It may hit a debugger's breakpoints, but the debugger does not
/// trace it.
static pid_t copy_process(struct liveobj_stopped_threads *threads) {
    sigset_t all, blocked;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &blocked);
    if (before_fork)
        before_fork();
    if (threads)
        liveobj_threads_stop(threads);
    pid_t process = make_copy();
    int error = errno;
    if (threads && process != 0)
        liveobj_threads_continue(threads);
    if (after_fork)
        after_fork();
    if (process == 0)
        run_on_own_stack();
    pthread_sigmask(SIG_SETMASK, &blocked, NULL);
    errno = error;
    return process;
}

/// \param flags Of wait4. \returns true once the process does not exist.
static bool snapshot_has_ended(struct liveobj_snapshot *child, int flags) {
    if (child->process == 0)
        return true;
    // Raw: not a cancellation point. A program that waits for children of all kinds may have waited
    // for this one already.
    long ended = syscall(SYS_wait4, child->process, NULL, __WALL | flags, NULL);
    if (ended == child->process || (ended < 0 && errno == ECHILD))
        child->process = 0;
    return child->process == 0;
}

static void kill_child(struct liveobj_snapshot *child) {
    if (!snapshot_has_ended(child, WNOHANG))
        kill(child->process, SIGKILL);
}

static uint32_t snapshot_state(const struct liveobj_snapshot *child) {
    // Acquire: what the child wrote before it ended.
    return __atomic_load_n(&child->result->state, __ATOMIC_ACQUIRE);
}

/// Waits for the child to end. It wakes this thread; but nothing does if it is killed, because it
/// has no exit signal. Time in which both processes are stopped does not count.
static void wait_for_state(struct liveobj_snapshot *child, uint64_t deadline) {
    static const uint64_t pause = 2000000, longest = 1000000000;
    while (snapshot_state(child) == RUNNING && !snapshot_has_ended(child, WNOHANG) &&
           !liveobj_deadline_is_past(deadline)) {
        uint64_t before = liveobj_os_time();
        liveobj_os_wait(&child->result->state, RUNNING, pause);
        uint64_t passed = liveobj_os_time() - before;
        deadline += passed > longest ? passed : 0;
    }
}

static const char *wait_for_answer(struct liveobj_snapshot *child, uint64_t deadline) {
    wait_for_state(child, deadline);
    switch (snapshot_state(child)) {
    case DONE:
        return NULL;
    case NO_ROOM:
        return no_room;
    case CRASHED:
        return crashed;
    default:
        return child->process ? late : killed;
    }
}

struct liveobj_snapshot liveobj_snapshot_run(liveobj_snapshot_work_fn work,
                                             struct liveobj_stopped_threads *threads, void *context,
                                             size_t capacity, uint64_t deadline) {
    struct liveobj_snapshot new = {0};
    int saved = errno;
    if (may_be_first_of_namespace()) {
        new.failure = first_of_namespace;
    } else if (map_result(&new, capacity)) {
        child.result = new.result;
        child.work = work;
        child.context = context;
        new.process = copy_process(threads);
        child.result = NULL; // in the program, which unmaps it
        new.failure = new.process > 0 ? wait_for_answer(&new, deadline) : why_no_process(errno);
        new.bytes = bytes_of_result(new.result);
        new.count = new.failure ? 0 : new.result->count;
    } else {
        new.failure = no_room;
    }
    new.process = new.process > 0 ? new.process : 0;
    errno = saved;
    return new;
}

void liveobj_snapshot_discard(struct liveobj_snapshot *child, size_t count) {
    int saved = errno;
    size_t whole_pages = count & ~(liveobj_os_page_bytes() - 1);
    madvise(bytes_of_result(child->result), whole_pages, MADV_REMOVE);
    errno = saved;
}

void liveobj_snapshot_end(struct liveobj_snapshot *child) {
    int saved = errno;
    kill_child(child);
    while (!snapshot_has_ended(child, 0))
        continue; // a signal came
    liveobj_os_unmap(child->result, child->result_bytes);
    *child = (struct liveobj_snapshot){0};
    errno = saved;
}

#endif
