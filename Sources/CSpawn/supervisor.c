// supervisor.c - runs a program as a child of a hidden process, the supervisor. Owns, in the
// supervisor's process, its descriptors and signals, and nothing of the host.
//
// The host must not notice the program: it gets no SIGCHLD, and no child that its `wait(-1)` could
// reap. A child with exit signal 0 is hidden in this way, but only until it executes another
// program, because the kernel then sets its exit signal to SIGCHLD. So there are two processes. The
// supervisor never executes a program, shares the host's memory and has exit signal 0. The program
// is the supervisor's child.
//
// Both run on the thread-local storage of one of the host's threads, where a call of libc could be
// cancelled or intercepted by a sanitizer. So this file makes system calls only
// (arch/system_call.h) and calls nothing else; a test checks that.

#include "supervisor.h"

#if defined(__linux__)

#include "arch/system_call.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SECOND 1000000000
#define TICK (SECOND / 2)
#define SIGNAL_SET_BYTES 8 // as the kernel defines it

LIVEOBJ_BARE static void set_standard_action(int signal) {
    const uint64_t standard[4] = {0}; // SIG_DFL, no flags
    liveobj_system_call(SYS_rt_sigaction, signal, (long)standard, 0, SIGNAL_SET_BYTES);
}

/// An entry of a folder, as the kernel gives it.
struct entry {
    uint64_t inode, next;
    uint16_t bytes;
    uint8_t type;
    char name[];
};

/// The number that a name in /proc/self/fd is; -1 for others.
LIVEOBJ_BARE static int number_of(const char *name) {
    int number = 0;
    for (; *name >= '0' && *name <= '9'; name++)
        number = 10 * number + (*name - '0');
    return *name ? -1 : number;
}

LIVEOBJ_BARE static void close_listed(const char *entries, long bytes, int first, int folder) {
    for (long at = 0; at < bytes;) {
        const struct entry *entry = (const void *)(entries + at);
        int descriptor = number_of(entry->name);
        if (descriptor >= first && descriptor != folder)
            liveobj_system_call(SYS_close, descriptor, 0, 0, 0);
        at += entry->bytes;
    }
}

/// \returns false if the descriptors cannot be listed.
LIVEOBJ_BARE static bool close_all_listed(int first) {
    static const char folder_name[] = "/proc/self/fd";
    _Alignas(struct entry) char entries[1024];
    long bytes, folder = liveobj_system_call(SYS_openat, AT_FDCWD, (long)folder_name,
                                             O_RDONLY | O_DIRECTORY, 0);
    if (folder == -EMFILE) { // then all numbers are in use, and this one is to be closed anyway
        liveobj_system_call(SYS_close, first, 0, 0, 0);
        folder =
            liveobj_system_call(SYS_openat, AT_FDCWD, (long)folder_name, O_RDONLY | O_DIRECTORY, 0);
    }
    if (folder < 0)
        return false;
    // The kernel goes on after the descriptor that it listed last, whether or not it is open.
    while ((bytes = liveobj_system_call(SYS_getdents64, folder, (long)entries, sizeof entries, 0)) >
           0)
        close_listed(entries, bytes, first, (int)folder);
    liveobj_system_call(SYS_close, folder, 0, 0, 0);
    return bytes == 0;
}

/// Not by number up to the limit, unless there is no other way: it may be a thousand million.
LIVEOBJ_BARE static void close_descriptors(int first) {
    enum { MOST = 1 << 16 };
#ifdef SYS_close_range
    if (liveobj_system_call(SYS_close_range, first, UINT_MAX, 0, 0) == 0)
        return;
#endif
    if (close_all_listed(first))
        return;
    struct rlimit limit = {0, 0};
    liveobj_system_call(SYS_prlimit64, 0, RLIMIT_NOFILE, 0, (long)&limit);
    int end = limit.rlim_cur < MOST ? (int)limit.rlim_cur : MOST;
    for (int descriptor = first; descriptor < end; descriptor++)
        liveobj_system_call(SYS_close, descriptor, 0, 0, 0);
}

// MARK: - The program, until it runs

/// Resets all signals: no handler of the host may run in the child, because the child shares its
/// memory.
LIVEOBJ_BARE static void reset_signals(void) {
    const uint64_t none = 0;
    for (int signal = 1; signal < NSIG; signal++)
        set_standard_action(signal);
    liveobj_system_call(SYS_rt_sigprocmask, SIG_SETMASK, (long)&none, 0, SIGNAL_SET_BYTES);
}

/// Raises the stack limit to the usual one, because the host may have a limit that is too small for
/// a Swift program. Not above the hard limit, which takes a privilege.
LIVEOBJ_BARE static void make_room_for_stack(void) {
    enum { USUAL = 8 << 20 };
    struct rlimit limit = {USUAL, USUAL};
    liveobj_system_call(SYS_prlimit64, 0, RLIMIT_STACK, 0, (long)&limit);
    if (limit.rlim_cur >= USUAL)
        return;
    limit.rlim_cur = limit.rlim_max < USUAL ? limit.rlim_max : USUAL;
    liveobj_system_call(SYS_prlimit64, 0, RLIMIT_STACK, (long)&limit, 0);
}

/// \returns a negative errno for an error.
LIVEOBJ_BARE static long move_descriptor(long descriptor, int target) {
    if (descriptor == target)
        return liveobj_system_call(SYS_fcntl, descriptor, F_SETFD, 0, 0);
    return liveobj_system_call(SYS_dup3, descriptor, target, 0, 0);
}

LIVEOBJ_BARE static long place_descriptors(const struct liveobj_spawn *spawn) {
    static const char null[] = "/dev/null";
    long errors = spawn->errors;
    if (errors < 0)
        errors = liveobj_system_call(SYS_openat, AT_FDCWD, (long)null, O_WRONLY, 0);
    long result = errors < 0 ? errors : move_descriptor(errors, STDERR_FILENO);
    if (result >= 0)
        result = move_descriptor(spawn->input, STDIN_FILENO);
    if (result >= 0)
        result = move_descriptor(spawn->output, STDOUT_FILENO);
    close_descriptors(STDERR_FILENO + 1); // the host's descriptors
    return result;
}

/// Makes a program without a time limit leave the session, so that it does not get the signals that
/// a terminal or the host sends to the process group.
LIVEOBJ_BARE static void leave_session(const struct liveobj_spawn *spawn) {
    if (spawn->seconds == 0)
        liveobj_system_call(SYS_setsid, 0, 0, 0, 0);
}

LIVEOBJ_BARE static void program_main(void *context) {
    struct liveobj_process *process = context;
    const struct liveobj_spawn *spawn = process->spawn;
    liveobj_system_call(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0,
                        0); // kills the program when the supervisor ends
    reset_signals();
    liveobj_bare_lower_scheduling();
    leave_session(spawn);
    // Of this process alone, although it shares memory, as long as it has not executed a program.
    liveobj_bare_offer_to_oom_killer();
    make_room_for_stack();
    long result = place_descriptors(spawn);
    if (result >= 0)
        result = liveobj_system_call(SYS_execve, (long)spawn->path, (long)spawn->arguments,
                                     (long)spawn->environment, 0);
    process->result.error = (int)-result;
    for (;;)
        liveobj_system_call(SYS_exit, 127, 0, 0, 0);
}

// MARK: - The supervisor, while the host's thread waits

/// \returns the program's id; not positive if it could not be started.
LIVEOBJ_BARE static long start_program(struct liveobj_process *process) {
    // With SIGCHLD ignored, the kernel would discard the program's status.
    set_standard_action(SIGCHLD);
    long program = liveobj_clone(CLONE_VM | CLONE_VFORK | SIGCHLD, NULL, program_main, process);
    if (program < 0)
        process->result.error = (int)-program;
    else if (process->result.error)
        liveobj_system_call(SYS_wait4, program, 0, 0, 0);
    close_descriptors(0); // so that we keep no pipe of the host open
    return process->result.error ? -1 : program;
}

// MARK: - The supervisor, next to the host

/// \returns the signal that arrived within the time; not positive if there was none.
LIVEOBJ_BARE static long wait_for_signal(int64_t nanoseconds) {
    uint64_t set = 1ull << (SIGCHLD - 1) | 1ull << (LIVEOBJ_SUPERVISOR_END - 1);
    struct timespec pause = {nanoseconds / SECOND, nanoseconds % SECOND};
    return liveobj_system_call(SYS_rt_sigtimedwait, (long)&set, 0, (long)&pause, SIGNAL_SET_BYTES);
}

/// \returns false while the program runs.
LIVEOBJ_BARE static bool program_has_ended(long program, int *status, int flags) {
    return liveobj_system_call(SYS_wait4, program, (long)status, flags, 0) != 0;
}

/// The id of the supervisor's parent. It changes once the host has ended. A closed input would not
/// show that, because the host's own children may hold it open.
LIVEOBJ_BARE static long parent_process(void) {
    return liveobj_system_call(SYS_getppid, 0, 0, 0, 0);
}

/// The program's remaining time after one wait. At most one tick is subtracted, because all
/// processes may have been stopped for a while.
LIVEOBJ_BARE static int64_t time_after_wait(int64_t left, int64_t waited) {
    int64_t passed = waited < TICK ? waited : TICK;
    return left > passed ? left - passed : 0;
}

/// \param left The time until the program is killed; -1 for no limit.
LIVEOBJ_BARE static void supervise_program(struct liveobj_process *process, long program,
                                           int64_t left) {
    long host = process->host;
    while (!program_has_ended(program, &process->result.status, WNOHANG)) {
        int64_t start = liveobj_bare_time();
        long signal = left ? wait_for_signal(left < 0 || left > TICK ? TICK : left) : 0;
        if (left > 0)
            left = time_after_wait(left, liveobj_bare_time() - start);
        if (left && signal != LIVEOBJ_SUPERVISOR_END && parent_process() == host)
            continue;
        if (left == 0)
            process->result.error = ETIMEDOUT;
        liveobj_system_call(SYS_kill, program, SIGKILL, 0, 0);
        program_has_ended(program, &process->result.status, 0);
        return;
    }
}

/// Waits a moment for children that the program has left to the supervisor: the host, if it is the
/// first process of a container or a subreaper, would get them and their SIGCHLD.
LIVEOBJ_BARE static void wait_for_orphans(void) {
    int64_t end = liveobj_bare_time() + TICK;
    long ended;
    do {
        ended = liveobj_system_call(SYS_wait4, -1, 0, WNOHANG | __WALL, 0);
        if (ended == 0)
            wait_for_signal(end - liveobj_bare_time());
    } while (ended >= 0 && liveobj_bare_time() < end);
}

LIVEOBJ_BARE void liveobj_supervisor_main(void *context) {
    struct liveobj_process *process = context;
    int seconds = process->spawn->seconds;
    process->host = parent_process();
    liveobj_system_call(SYS_prctl, PR_SET_CHILD_SUBREAPER, 1, 0, 0);
    long program = start_program(process);
    // Release: makes the result of the start visible.
    __atomic_store_n(&process->is_started, true, __ATOMIC_RELEASE);
    if (program > 0)
        supervise_program(process, program, seconds ? seconds * (int64_t)SECOND : -1);
    wait_for_orphans();
    for (;;)
        liveobj_system_call(SYS_exit, 0, 0, 0, 0);
}

#endif
