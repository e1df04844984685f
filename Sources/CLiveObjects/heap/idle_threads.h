// idle_threads.h - whether other threads can hold an object in a register.
//
// The registers of another thread cannot be read without disturbing it. They need not be where the
// thread waits for work: a worker of libdispatch without a frame of anybody else's code on its
// stack has nothing of the program's. So a thread is idle if it has not run while the copy of the
// process was made, and no return address into other images than the ones that wait lies on its
// stack.
//
// `start` in the program before the copy is made, `has_frames` in the copy, `have_slept` in the
// program afterwards.

#ifndef LIVEOBJ_IDLE_THREADS_H
#define LIVEOBJ_IDLE_THREADS_H

#include "../internal.h"

#pragma GCC visibility push(hidden)

enum { LIVEOBJ_IDLE_THREADS_LIMIT = 256, LIVEOBJ_IDLE_CODE_LIMIT = 512 };

struct liveobj_idle_threads {
    uint32_t count;
    struct {
        uint32_t thread;
        uint64_t switches;
    } threads[LIVEOBJ_IDLE_THREADS_LIMIT];
    /// Code that does not merely wait.
    uint32_t code_count;
    struct liveobj_extent code[LIVEOBJ_IDLE_CODE_LIMIT];
    /// What libc and the kernel keep of the program on the main thread's stack.
    struct liveobj_extent start_code;
    uintptr_t main_code;
    uintptr_t headers; // a linker may put them into the segment of the code
    bool is_lost;      // there are too many threads or images
};

void liveobj_idle_threads_start(struct liveobj_idle_threads *idle);
/// Before the thread's stack pointer is asked for.
void liveobj_idle_threads_add(struct liveobj_idle_threads *idle, uint32_t thread);

/// Whether words of a stack lead into code that does not merely wait. May fault.
bool liveobj_idle_threads_has_frames(const struct liveobj_idle_threads *idle, uintptr_t from,
                                     uintptr_t to);

/// None of the threads has run since it was added.
bool liveobj_idle_threads_have_slept(const struct liveobj_idle_threads *idle);

#pragma GCC visibility pop

#endif
