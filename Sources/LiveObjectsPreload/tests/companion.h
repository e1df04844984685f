// companion.h - loads the companion of the test library that runs.

#pragma once

#include <stdbool.h>

#pragma GCC visibility push(hidden)

struct liveobj_options;

/// Whether the program is a test binary that will run tests.
bool liveobj_companion_runs_tests(int argument_count, char *const *arguments);

/// Loads the companion of the test library whose tests the program will run, if it is a test
/// binary. Call while tracking, in the constructor.
void liveobj_companion_start(const struct liveobj_options *options, int argument_count,
                             char *const *arguments);

#pragma GCC visibility pop
