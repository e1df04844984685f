// idle_threads.h - whether other threads can hold an object in a register.
//
// The registers of another thread cannot be read without disturbing it. They need not be where the
// thread merely waits for work: a worker of libdispatch with no caller outside of libdispatch and
// libc has nothing of the program's. Its frames can be read, since it sleeps.
//
// In the program, outside of hooks; owns nothing.

#ifndef LIVEOBJ_IDLE_THREADS_H
#define LIVEOBJ_IDLE_THREADS_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

enum { LIVEOBJ_IDLE_THREADS_LIMIT = 256 };

/// Threads, and how often each had been run when it was added.
struct liveobj_idle_threads {
    uint32_t count;
    bool is_lost; // there are too many
    struct {
        uint32_t thread;
        uint64_t switches;
    } items[LIVEOBJ_IDLE_THREADS_LIMIT];
};

/// Gives workers that are just finishing 3 ms each: of time in which they run, for on a busy
/// machine they may have to wait for a processor. Waits 10 s at most.
void liveobj_idle_threads_let_settle(void);

void liveobj_idle_threads_add(struct liveobj_idle_threads *idle, uint32_t thread);

/// Where a sleeping thread has stopped.
struct liveobj_thread_state {
    uintptr_t stack_pointer; // 0 if it runs, or it cannot be read
    uintptr_t program_counter;
    bool is_suspended; // it waits for a signal
    bool is_running;   // or is ready to run; false if the system does not say
};
struct liveobj_thread_state liveobj_thread_state_of(uint32_t thread);

/// None of the threads has run since it was added, and each waits for work.
bool liveobj_idle_threads_are_parked(const struct liveobj_idle_threads *idle);

#pragma GCC visibility pop

#endif
