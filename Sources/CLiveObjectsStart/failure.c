// failure.c - fails a test of the other test library, or the process.
//
// Owns the flag that the process has failed. Runs in assertions, on any thread, and at exit.

#include "CLiveObjectsStart.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// Each is defined by a library of assertions, in Swift.
__attribute__((weak)) bool liveobj_xctest_fail(const char *text, const char *file, long line);
__attribute__((weak)) bool liveobj_testing_fail(const char *text, const char *file, long line);

bool liveobj_fail_in_xctest(const char *text, const char *file, long line) {
    return liveobj_xctest_fail && liveobj_xctest_fail(text, file, line);
}

bool liveobj_fail_in_testing(const char *text, const char *file, long line) {
    return liveobj_testing_fail && liveobj_testing_fail(text, file, line);
}

/// The process that has failed; not one that it has forked. 0 for none. Atomic.
static pid_t failed;

void liveobj_fail_process(const char *text, const char *file, long line) {
    // Relaxed: it only ever becomes this process.
    __atomic_store_n(&failed, getpid(), __ATOMIC_RELAXED);
    fprintf(stderr, "%s:%ld: error: %s\n", file, line, text);
}

#if defined(__linux__)
static void end_as_failed(int status, void *unused) {
    (void)unused;
    if (status != 0 || __atomic_load_n(&failed, __ATOMIC_RELAXED) != getpid())
        return;
    fflush(NULL);
    _exit(EXIT_FAILURE);
}

/// Registered first, so that it runs last, after the other handlers.
__attribute__((constructor(101))) static void watch_exit(void) {
    on_exit(end_as_failed, NULL);
}
#endif
