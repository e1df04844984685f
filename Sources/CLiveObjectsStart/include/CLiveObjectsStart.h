// CLiveObjectsStart.h - what a binary that links a library of assertions needs.
//
// A binary that links this target is tracked from its constructors on, before its own code
// allocates an object.
//
// The functions find the other library of assertions if it is linked too: an assertion that is
// called in a test of the other test library fails that test. Neither library depends on the other;
// the linker resolves weak symbols.

#pragma once

#include <stdbool.h>

/// Fails the running test of XCTest. \returns false if none runs, or LiveObjectsXCTest is not
/// linked.
bool liveobj_fail_in_xctest(const char *text, const char *file, long line);

/// Fails the test of Swift Testing that runs on the current task. \returns false if none runs, or
/// LiveObjectsTesting is not linked.
bool liveobj_fail_in_testing(const char *text, const char *file, long line);

/// Fails the process, if no test can be failed: prints the text on standard error, and changes an
/// exit status of 0 to 1.
void liveobj_fail_process(const char *text, const char *file, long line);
