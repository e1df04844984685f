// test_cases.h - which test case of Swift Testing runs, and whether it has failed.

#pragma once

#include <stdbool.h>
#include <stddef.h>

#pragma GCC visibility push(hidden)

struct liveobj_testing_companion;

/// Starts calling the companion where Swift Testing's test cases begin and end. Objects allocated
/// in a test case have its scope. While the process has one thread.
/// \returns NULL, or one sentence about why it failed.
const char *liveobj_test_cases_start(const struct liveobj_testing_companion *companion);
/// Call on a task after Swift Testing has bound a task-local value, and before it unbinds one.
void liveobj_test_cases_value_bound(void);
void liveobj_test_cases_value_unbinding(void);

/// Whether text written by Swift Testing reports an issue that fails the test (test_output.c).
bool liveobj_test_output_is_failure(const char *text, size_t count);

#pragma GCC visibility pop
