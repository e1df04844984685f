// Signal handlers that allocate, free and fork while they interrupt hooks, on several threads: no
// deadlock, no two objects with one record, and children that keep running.

#include "CLiveObjects.h"
#include "os/os.h"
#include "recorder/fork.h"
#include "records/records.h"
#include "records/thread.h"
#include "support/live_records.h"
#include "support/scoped_objects.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef FAKE_RUNTIME_CAN_BE_WATCHED

enum { THREADS = 3, KEPT = 4096, HANDLED = 200, FORK_EACH = 8, DEPTH = 10, SIGNALLED = SIGUSR1 };

static unsigned handled, forked, failed_children; // atomic
static bool is_over;                              // atomic
static __thread void *of_handler[64];             // made and freed by this thread's handler
static __thread unsigned runs;

static void count(unsigned *counter) {
    __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}

static bool is_recorded(const void *memory) {
    struct liveobj_object object;
    return liveobj_records_find((uintptr_t)memory, &object);
}

static void reallocate(void **place) {
    if (*place)
        swift_slowDealloc(*place, BYTES, ALIGNMENT_MASK);
    *place = make_object();
}

static void fork_once(void) {
    int status = -1;
    pid_t child = fork();
    if (child == 0) {
        reallocate(&of_handler[0]);
        bool is_watched = liveobj_status().state == LIVEOBJ_STATE_TRACKING;
        syscall(SYS_exit_group, is_watched ? 0 : 1);
    }
    while (child > 0 && waitpid(child, &status, 0) < 0)
        continue;
    count(&forked);
    if (status != 0)
        count(&failed_children);
}

static void handle(int signal) {
    (void)signal;
    int saved = errno;
    for (unsigned i = 0; i < 8; i++)
        reallocate(&of_handler[(runs * 5 + i) % 64]);
    if (++runs % FORK_EACH == 0)
        fork_once();
    count(&handled);
    errno = saved;
}

/// A tree of calls: each path has a stack trace of its own, so that new traces are stored all the
/// time.
__attribute__((noinline)) static void left(void **objects, unsigned path, unsigned depth);
__attribute__((noinline)) static void right(void **objects, unsigned path, unsigned depth);
static void make_objects(void **objects, unsigned path, unsigned depth) {
    reallocate(&objects[path % KEPT]);
    if (depth > 0) {
        left(objects, path * 2, depth - 1);
        right(objects, path * 2 + 1, depth - 1);
    }
}
static void left(void **objects, unsigned path, unsigned depth) {
    make_objects(objects, path, depth);
    __asm__ volatile(""); // no tail call
}
static void right(void **objects, unsigned path, unsigned depth) {
    make_objects(objects, path, depth);
    __asm__ volatile("");
}

static void *work(void *objects) {
    while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED))
        make_objects(objects, 1, DEPTH);
    return NULL;
}

static void expect_each_recorded(void *const *objects) {
    unsigned missing = 0;
    for (unsigned i = 0; i < KEPT; i++)
        missing += objects[i] && !is_recorded(objects[i]);
    EXPECT(missing == 0);
}

static void handlers_may_interrupt_hooks_on_many_threads(void) {
    static void *objects[THREADS][KEPT];
    pthread_t threads[THREADS];
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
    sigaction(SIGNALLED, &action, NULL);
    for (unsigned i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, objects[i]);
    for (unsigned i = 0; __atomic_load_n(&handled, __ATOMIC_RELAXED) < HANDLED; i++) {
        pthread_kill(threads[i % THREADS], SIGNALLED);
        liveobj_os_sleep(1000000);
    }
    __atomic_store_n(&is_over, true, __ATOMIC_RELAXED);
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (unsigned i = 0; i < THREADS; i++)
        expect_each_recorded(objects[i]);
    EXPECT(forked > 0 && failed_children == 0);
    EXPECT(liveobj_recorder_locks_are_free(0));
    EXPECT(liveobj_status().missed_deallocations == 0);
}

// MARK: - Between any two instructions
//
// The processor traps after each instruction of a hook, and the handler allocates, frees and forks.
// On aarch64 only a debugger can make it do so.

#if defined(__x86_64__)

static unsigned steps, steps_under_lock;

static void set_steps(bool on) {
    if (on)
        __asm__ volatile("pushf; orl $0x100, (%%rsp); popf" ::: "memory", "cc");
    else
        __asm__ volatile("pushf; andl $~0x100, (%%rsp); popf" ::: "memory", "cc");
}

static void handle_step(int signal) {
    (void)signal;
    enum { REPLACE_EACH = 7, FORK_UNDER_LOCK_EACH = 23, FORKS = 40 };
    int saved = errno;
    bool is_under_lock = !liveobj_recorder_locks_are_free(0);
    if (++steps % REPLACE_EACH == 0)
        reallocate(&of_handler[steps % 64]);
    steps_under_lock += is_under_lock;
    if (is_under_lock && steps_under_lock % FORK_UNDER_LOCK_EACH == 0 && forked < FORKS)
        fork_once();
    errno = saved;
}

/// Whether the next hook may leave its fast path.
static bool needs_single_stepping(unsigned i) {
    enum { ONE_OF = 32 };
    const struct liveobj_thread *thread = liveobj_tls_get()->thread;
    return i % ONE_OF == 0 || !thread || thread->free_count < 2 ||
           thread->free_count + 2 > thread->free_capacity;
}

/// Enough objects for the slow paths: the thread's first hook, and free records that come and go.
static void *make_and_free_in_single_steps(void *unused) {
    enum { OBJECTS = 1200 };
    static void *objects[KEPT];
    for (unsigned i = 0; i < OBJECTS; i++) {
        set_steps(needs_single_stepping(i));
        objects[i] = make_object();
        set_steps(false);
    }
    expect_each_recorded(objects);
    set_steps(true);
    make_objects(objects, 1, 3); // traces that were not stored yet
    set_steps(false);
    for (unsigned i = 0; i < OBJECTS; i++) {
        set_steps(needs_single_stepping(i));
        swift_slowDealloc(objects[i], BYTES, ALIGNMENT_MASK);
        set_steps(false);
        objects[i] = NULL;
    }
    return unused;
}

static void a_handler_may_interrupt_a_hook_at_any_instruction(void) {
    pthread_t thread;
    struct sigaction action = {.sa_handler = handle_step, .sa_flags = SA_RESTART};
    uint64_t live = live_records();
    sigaction(SIGTRAP, &action, NULL);
    forked = 0;
    pthread_create(&thread, NULL, make_and_free_in_single_steps, NULL);
    pthread_join(thread, NULL);
    EXPECT(steps > 10000 && steps_under_lock > 100);
    EXPECT(forked > 0 && failed_children == 0);
    EXPECT(live_records() <= live + 2 * 64); // those of handlers are left
    EXPECT(liveobj_recorder_locks_are_free(0));
    EXPECT(liveobj_status().missed_deallocations == 0);
}

#else

static void a_handler_may_interrupt_a_hook_at_any_instruction(void) {}

#endif

int main(void) {
    struct liveobj_settings settings = liveobj_settings_default();
    settings.hook_mode = LIVEOBJ_HOOKS_GOT;
    EXPECT(liveobj_start(&settings) == LIVEOBJ_STATE_TRACKING);
    a_handler_may_interrupt_a_hook_at_any_instruction();
    handlers_may_interrupt_hooks_on_many_threads();
    return EXPECT_STATUS();
}

#endif
