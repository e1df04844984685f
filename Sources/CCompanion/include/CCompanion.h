// CCompanion.h - the interface between the preload library and its companions.
//
// The preload library is C and needs libc alone. Code that has to call a test library in Swift is
// in a companion: a Swift library that the preload library loads if that test library is present.
//
//   libLiveObjectsXCTestCompanion.so   for XCTest
//   libLiveObjectsTestingCompanion.so  for Swift Testing
//
// Each exports one function of type `liveobj_companion_start_fn`, under the name below. The preload
// library calls it once, in its constructor.

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/// Both sides were built from the same sources, or the companion is not used.
#define LIVEOBJ_COMPANION_VERSION 7
#define LIVEOBJ_XCTEST_COMPANION_START "liveobj_xctest_companion_start"
#define LIVEOBJ_TESTING_COMPANION_START "liveobj_testing_companion_start"

/// The functions of the preload library for a companion. Valid until the process ends.
struct liveobj_companion_host {
    uint32_t version;
    /// `leaks`, `held`, `growth` or `none`: which findings fail a test.
    const char *fail_on;
    /// Files of findings that fail nothing; empty for none.
    const char *baseline;
    const char *suppressions;

    /// To be called after Swift Testing has bound a task-local value, and before it unbinds one, on
    /// its task. For `with_value`.
    void (*value_bound)(void);
    void (*value_unbinding)(void);

    /// To be called on the task that has recorded an issue that fails its test.
    void (*test_failed)(void);
};

/// What the preload library calls at the borders of Swift Testing's test cases. Called on the task
/// that runs the case, at a moment when `Test.current` is bound.
struct liveobj_testing_companion {
    uint32_t version;
    /// Called after a task-local value was bound on a task that runs no known test case.
    /// \returns the scope of the test case that begins; 0 if none does.
    uint32_t (*case_begin)(void);
    /// Called when the test case with this scope ends.
    /// \param has_failed Whether an issue was recorded in it.
    void (*case_end)(uint32_t scope, bool has_failed);
    /// The replacement of the asynchronous `TaskLocal.withValue`, which Swift Testing 6.0 calls.
    /// NULL in a companion for later versions, which call the runtime's functions themselves.
    const void *with_value;
    /// The replacement of the entry point that SwiftPM's runner calls: it runs the tests by the
    /// library's stable entry point, which streams the events of the run.
    const void *entry_point;
};

/// Sets the replacements to Swift's records of asynchronous functions of the companion's own. Swift
/// has no way to name them, and Swift 6.0.3 cannot compile a call of a C function that returns one.
static inline void liveobj_testing_set_functions(struct liveobj_testing_companion *result) {
    extern const char with_value[] __asm__("liveobj_testing_with_valueTu") __attribute__((weak));
    extern const char entry_point[] __asm__("liveobj_testing_entry_pointTu") __attribute__((weak));
    result->with_value = with_value;
    result->entry_point = entry_point;
}

/// Buffers standard output by lines, as the entry point that is replaced does.
static inline void liveobj_testing_buffer_lines(void) {
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
}

/// Waits until work that timers of the kernel start within 0.1 s has begun. To be called when the
/// last test has ended, so that the report does not depend on whether the process ends before that.
__attribute__((visibility("hidden"))) void liveobj_wait_for_due_work(void);

/// The library's stable entry point, as a pointer to a function in Swift: `ABI.v0.EntryPoint`. Not
/// null, as the library declares it in Swift: the compiler of 6.0 crashes on two types of a
/// function.
__attribute__((returns_nonnull)) const void *swt_abiv0_getEntryPoint(void);

/// \param result For Swift Testing: set to the companion's functions. Not used for XCTest.
/// \returns NULL if the companion has started, otherwise one sentence about why it has not.
typedef const char *(*liveobj_companion_start_fn)(const struct liveobj_companion_host *host,
                                                  struct liveobj_testing_companion *result);
