// start.c - starts tracking when a binary is loaded that links a library of assertions, which sees
// only what is recorded from the start, and lets the assertions for XCTest see each test begin.
//
// The constructor is the only thing here, and in an object file of its own: whoever links the
// recorder alone starts it by itself.

#include "CLiveObjects.h"

#if defined(__linux__)
/// Of LiveObjectsXCTest.
__attribute__((weak)) void liveobj_xctest_start(void);

/// Leaves tracking to the preload library where that is loaded, for its options say what is
/// tracked. Does nothing in a run that only lists tests.
__attribute__((constructor)) static void start(int argument_count, char *const *arguments) {
    if (liveobj_arguments_only_list_tests(argument_count, arguments))
        return;
    if (!liveobj_is_handed_over())
        liveobj_start(NULL);
    if (liveobj_xctest_start)
        liveobj_xctest_start();
}
#endif
