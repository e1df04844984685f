//===--- CLiveObjectsStart.h - a binary that links assertions ------------===//
//
// A binary that links this target is tracked from its constructors on, before
// its own code makes an object.
//
// And it finds the other library of assertions, where that is linked too: an
// assertion that is called in a test of the other test library fails there.
// Neither knows the other; the linker tells.
//
//===----------------------------------------------------------------------===//

#ifndef CLIVEOBJECTSSTART_H
#define CLIVEOBJECTSSTART_H

#include <stdbool.h>

/// Fails the test of XCTest that runs. \returns false if none does, or LiveObjectsXCTest is not
/// linked.
bool liveobj_fail_in_xctest(const char *text, const char *file, long line);

/// Fails the test of Swift Testing that runs here. \returns false if none does, or
/// LiveObjectsTesting is not linked.
bool liveobj_fail_in_testing(const char *text, const char *file, long line);

/// No test can be failed. The process says so on standard error, and ends with status 1 where it
/// would end with 0.
void liveobj_fail_process(const char *text, const char *file, long line);

#endif
