// fork.c - see fork.h. Owns no state.

#if defined(__linux__)

#include "recorder/fork.h"
#include "os/os.h"
#include "recorder/write_capture.h"
#include "records/thread.h"
#include "snapshot/snapshot_process.h"
#include "stacks/stacks.h"

#include <pthread.h>

// Signals are blocked until the fork is over: a handler that forks would release the locks that
// this fork has taken. The guard covers what the program's fork handlers allocate.
void liveobj_recorder_before_fork(void) {
    uint64_t signals = liveobj_os_block_signals();
    liveobj_tls.signals = signals;
    liveobj_tls.guard += LIVEOBJ_GUARD_OWN_WORK;
    liveobj_locks_before_fork(liveobj_recorder_visit_locks);
}

static void end_fork(void) {
    liveobj_tls.guard -= LIVEOBJ_GUARD_OWN_WORK;
    liveobj_os_restore_signals(liveobj_tls.signals);
}

void liveobj_recorder_after_fork(void) {
    liveobj_locks_after_fork(liveobj_recorder_visit_locks);
    end_fork();
}

static void release_lock_in_child(void *context, struct liveobj_lock *lock) {
    bool *are_sound = context;
    *are_sound &= liveobj_lock_after_fork_child(lock);
}

static void after_fork_child(void) {
    bool are_sound = true;
    liveobj_recorder_visit_locks(release_lock_in_child, &are_sound);
    liveobj_stack_depot_after_fork_child();
    liveobj_threads_after_fork_child();
    liveobj_captures_after_fork_child();
    if (!are_sound)
        liveobj_recorder_lost_lock();
    end_fork();
}

static void before_snapshot(void) {
    liveobj_recorder_before_fork();
    liveobj_stack_depot_set_inherited(true);
}

static void after_snapshot(void) {
    liveobj_stack_depot_set_inherited(false);
    liveobj_recorder_after_fork();
}

// By the function behind `pthread_atfork`, for no image: `exit` would remove an image's handlers
// while another thread forks, and the locks would be held forever.
void liveobj_fork_add_handlers(void) {
#if defined(__GLIBC__)
    int __register_atfork(void (*before)(void), void (*after)(void), void (*in_child)(void),
                          void *image);
    __register_atfork(liveobj_recorder_before_fork, liveobj_recorder_after_fork, after_fork_child,
                      NULL);
#else
    pthread_atfork(liveobj_recorder_before_fork, liveobj_recorder_after_fork, after_fork_child);
#endif
    liveobj_snapshot_set_fork_handlers(before_snapshot, after_snapshot);
}

struct lock_wait {
    uint64_t deadline;
    bool are_free;
};

static void wait_until_free(void *context, struct liveobj_lock *lock) {
    struct lock_wait *wait = context;
    wait->are_free = wait->are_free && liveobj_lock_wait_until_free(lock, wait->deadline);
}

bool liveobj_recorder_locks_are_free(uint64_t nanoseconds) {
    struct lock_wait wait = {liveobj_os_time() + nanoseconds, true};
    liveobj_recorder_visit_locks(wait_until_free, &wait);
    return wait.are_free;
}

#endif
