// os_lock.c - locks that know their holder. Owns nothing. See os.h.
//
// The holder is identified by its thread pointer. That is unique among the existing threads, one
// instruction to get, and in a fork's child the same for the thread that forked. So a thread can
// see that it holds a lock itself, in a signal handler that interrupted the code under the lock; a
// wait for it would never end.
//
// A waiting thread sleeps after a few tries. If it only called sched_yield, a waiter of a real-time
// class would never let a holder of the ordinary class run.

#if defined(__linux__)

#include "os/os.h"

/// Values of `holder`. Thread pointers are multiples of 16, so small numbers are unused.
enum {
    FREE = 0,
    LOST = 1,     // its holder is a thread that the child of a fork does not have
    FOR_FORK = 2, // added to the thread pointer: taken by `liveobj_lock_try_before_fork`
};

static uintptr_t own_thread(void) {
    return (uintptr_t)__builtin_thread_pointer();
}

static uintptr_t holder_of(const struct liveobj_lock *lock) {
    return __atomic_load_n(&lock->holder, __ATOMIC_RELAXED);
}

bool liveobj_lock_is_own(const struct liveobj_lock *lock) {
    return (holder_of(lock) & ~(uintptr_t)FOR_FORK) == own_thread();
}

static bool try_as(struct liveobj_lock *lock, uintptr_t holder) {
    uintptr_t present = FREE;
    // Acquire: what the last holder wrote under the lock must be seen.
    return __atomic_compare_exchange_n(&lock->holder, &present, holder, false, __ATOMIC_ACQUIRE,
                                       __ATOMIC_RELAXED);
}

LIVEOBJ_HOOK bool liveobj_lock_try(struct liveobj_lock *lock) {
    return try_as(lock, own_thread());
}

LIVEOBJ_UNCHECKED_BEGIN
/// Pauses between two tries. \returns false after the last one.
LIVEOBJ_HOOK static bool pause_before(uint32_t next_try) {
    static const uint64_t nap = 100000;
    enum { TRIES_AWAKE = 64, TRIES = 50000 }; // five seconds asleep
    if (next_try < TRIES_AWAKE)
        liveobj_os_yield();
    else
        liveobj_os_sleep(nap);
    return next_try < TRIES;
}
LIVEOBJ_UNCHECKED_END

/// A separate function: the registers that it saves would make every free lock slower.
__attribute__((noinline)) LIVEOBJ_HOOK static bool wait_for(struct liveobj_lock *lock) {
    uint32_t try = 1;
    do
        if (holder_of(lock) == LOST || liveobj_lock_is_own(lock) || !pause_before(try++))
            return false;
    while (!liveobj_lock_try(lock));
    return true;
}

LIVEOBJ_HOOK bool liveobj_lock_acquire(struct liveobj_lock *lock) {
    return liveobj_lock_try(lock) || wait_for(lock);
}

LIVEOBJ_HOOK void liveobj_lock_release(struct liveobj_lock *lock) {
    // Release: publishes what was written under the lock.
    __atomic_store_n(&lock->holder, FREE, __ATOMIC_RELEASE);
}

bool liveobj_lock_wait_until_free(const struct liveobj_lock *lock, uint64_t deadline) {
    static const uint64_t nap = 100000;
    while (holder_of(lock) != FREE) {
        if (holder_of(lock) == LOST || liveobj_lock_is_own(lock) || liveobj_os_time() >= deadline)
            return false;
        liveobj_os_sleep(nap);
    }
    return true;
}

// MARK: - Fork

bool liveobj_lock_try_before_fork(struct liveobj_lock *lock) {
    return try_as(lock, own_thread() | FOR_FORK) || holder_of(lock) == LOST ||
           liveobj_lock_is_own(lock);
}

static void acquire_for_fork(void *context, struct liveobj_lock *lock) {
    struct liveobj_lock **busy = context;
    if (!liveobj_lock_try_before_fork(lock))
        *busy = lock;
}

static void release_after_fork(void *context, struct liveobj_lock *lock) {
    (void)context;
    liveobj_lock_after_fork(lock);
}

/// Waits for a lock without holding others: the holder may need them, as a capture does.
/// The holder may also wait for the dynamic linker, and so for the thread that forks: after some
/// time the fork goes on without a lock.
void liveobj_locks_before_fork(liveobj_locks_visit_fn visit_all) {
    static const uint64_t patience = 200000000;
    uint64_t deadline = liveobj_os_time() + patience;
    for (;;) {
        struct liveobj_lock *busy = NULL;
        visit_all(acquire_for_fork, &busy);
        if (!busy || liveobj_os_time() >= deadline)
            return;
        liveobj_locks_after_fork(visit_all);
        liveobj_lock_wait_until_free(busy, deadline);
    }
}

void liveobj_locks_after_fork(liveobj_locks_visit_fn visit_all) {
    visit_all(release_after_fork, NULL);
}

void liveobj_lock_after_fork(struct liveobj_lock *lock) {
    if (holder_of(lock) == (own_thread() | FOR_FORK))
        liveobj_lock_release(lock);
}

bool liveobj_lock_after_fork_child(struct liveobj_lock *lock) {
    liveobj_lock_after_fork(lock);
    bool is_sound = holder_of(lock) == FREE || liveobj_lock_is_own(lock);
    if (!is_sound)
        __atomic_store_n(&lock->holder, LOST, __ATOMIC_RELAXED);
    return is_sound;
}

#endif
