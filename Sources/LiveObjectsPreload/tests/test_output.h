// test_output.h - whether the output of Swift Testing reports a failure.

#ifndef LIVEOBJ_PRELOAD_TEST_OUTPUT_H
#define LIVEOBJ_PRELOAD_TEST_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

#pragma GCC visibility push(hidden)

/// Whether text written by Swift Testing reports an issue that fails the test.
bool liveobj_test_output_is_failure(const char *text, size_t count);

#pragma GCC visibility pop

#endif
