// system_call.h - system calls without libc.
//
// libc's functions write into the thread-local storage of their thread (errno, cancellation), and
// sanitizers replace them. The supervisor, and the program before its `execve`, run on the
// thread-local storage of a thread of the host. So they call nothing but these functions.

#pragma once

#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>

/// Disables the checks that compilers add, because they may read thread-local storage too.
#if defined(__has_attribute)
#if __has_attribute(no_stack_protector)
#define LIVEOBJ_BARE_STACK __attribute__((no_stack_protector))
#endif
#if __has_attribute(disable_sanitizer_instrumentation)
#define LIVEOBJ_BARE_CODE __attribute__((disable_sanitizer_instrumentation))
#endif
#endif
#ifndef LIVEOBJ_BARE_STACK
#define LIVEOBJ_BARE_STACK
#endif
#ifndef LIVEOBJ_BARE_CODE
#define LIVEOBJ_BARE_CODE __attribute__((no_sanitize("thread")))
#endif
#define LIVEOBJ_BARE                                                                               \
    LIVEOBJ_BARE_STACK LIVEOBJ_BARE_CODE __attribute__((no_sanitize("address", "undefined")))

/// \returns the kernel's result: a negative errno for an error.
LIVEOBJ_BARE static inline __attribute__((always_inline)) long
liveobj_system_call_6(long number, long first, long second, long third, long fourth, long fifth,
                      long sixth);

/// Makes a process that calls `function`, which must not return.
/// \param flags Flags of the kernel's `clone`.
/// \param stack The stack's top. NULL to use the caller's stack below its frame, which needs
/// CLONE_VFORK or copied memory.
/// \returns the process's id, or a negative errno.
LIVEOBJ_BARE static inline __attribute__((always_inline)) long
liveobj_clone(long flags, void *stack, void (*function)(void *context), void *context);

/// Orders loads of all threads from here on after the stores of the calling one so far. Only where
/// the processor may reorder loads. For a function pointer that others load without acquire.
/// \returns false if the kernel refuses, as a filter or valgrind does.
static inline bool liveobj_order_threads(void);

/// Runs the instructions that valgrind recognises. \returns 0 without valgrind.
static inline uint64_t liveobj_valgrind_ask(volatile uint64_t words[6]);

#if defined(__x86_64__)
#include "arch/system_call_x86_64.h"
#elif defined(__aarch64__)
#include "arch/system_call_aarch64.h"
#else
#error "LiveObjects runs on x86_64 and aarch64"
#endif

LIVEOBJ_BARE static inline __attribute__((always_inline)) long
liveobj_system_call(long number, long first, long second, long third, long fourth) {
    return liveobj_system_call_6(number, first, second, third, fourth, 0, 0);
}

/// Nanoseconds of the clock that only goes forward.
LIVEOBJ_BARE static inline int64_t liveobj_bare_time(void) {
    struct timespec now;
    liveobj_system_call(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&now, 0, 0);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/// Makes the system kill the calling process before others if memory runs out.
LIVEOBJ_BARE static inline void liveobj_bare_offer_to_oom_killer(void) {
    static const char path[] = "/proc/self/oom_score_adj", most[] = "1000";
    long file = liveobj_system_call(SYS_openat, AT_FDCWD, (long)path, O_WRONLY | O_CLOEXEC, 0);
    if (file < 0)
        return;
    liveobj_system_call(SYS_write, file, (long)most, sizeof most - 1, 0);
    liveobj_system_call(SYS_close, file, 0, 0, 0);
}

/// Leaves a real-time scheduling policy: under it, work that takes seconds would keep lower threads
/// of all programs from running.
LIVEOBJ_BARE static inline void liveobj_bare_lower_scheduling(void) {
    const int lowest = 0;
    long policy = liveobj_system_call(SYS_sched_getscheduler, 0, 0, 0, 0) & ~SCHED_RESET_ON_FORK;
    if (policy == SCHED_FIFO || policy == SCHED_RR)
        liveobj_system_call(SYS_sched_setscheduler, 0, SCHED_OTHER, (long)&lowest, 0);
}
