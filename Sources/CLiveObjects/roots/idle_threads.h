// idle_threads.h - whether other threads can hold an object in a register.
//
// The registers of another thread cannot be read without disturbing it. They need not be read if
// the thread waits for work: a libdispatch worker whose callers are all in libdispatch and libc
// holds nothing of the program. Its frames can be read, because it sleeps.
//
// In the program, outside of hooks. Owns nothing.

#pragma once

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

enum { LIVEOBJ_IDLE_THREADS_LIMIT = 256 };

/// Threads, and the number of context switches of each when it was added.
struct liveobj_idle_threads {
    uint32_t count;
    bool is_lost; // more threads than the limit
    struct {
        uint32_t thread;
        bool waits_for_events;
        bool waited_for_work; // set by liveobj_idle_threads_idleness
        uint64_t switches;
    } items[LIVEOBJ_IDLE_THREADS_LIMIT];
};

/// Waits until workers that are about to finish have gone to sleep, or have run for 3 ms each. The
/// time is time on a processor, because on a busy machine they may have to wait for one. Waits at
/// most 10 s.
void liveobj_idle_threads_let_settle(void);

/// Where a sleeping thread is stopped.
struct liveobj_thread_state {
    uintptr_t stack_pointer; // 0 if it runs or cannot be read
    uintptr_t program_counter;
    bool is_suspended;     // it waits for a signal
    bool waits_for_events; // with epoll
    bool is_running;       // or ready to run; false if the system does not say
};
struct liveobj_thread_state liveobj_thread_state_of(uint32_t thread);

/// \returns the thread's state.
struct liveobj_thread_state liveobj_idle_threads_add(struct liveobj_idle_threads *idle,
                                                     uint32_t thread);

/// What all threads have done since they were added.
enum liveobj_idleness {
    LIVEOBJ_RAN,   // at least one of them, or it is not known
    LIVEOBJ_SLEPT, // a function of the program may have an object in a register
    LIVEOBJ_WAITED_FOR_WORK,
};
/// Notes it for each thread too, and returns the least of all.
enum liveobj_idleness liveobj_idle_threads_idleness(struct liveobj_idle_threads *idle);

#pragma GCC visibility pop
