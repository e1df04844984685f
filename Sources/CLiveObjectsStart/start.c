// start.c - starts tracking in binaries that link an assertion library.
//
// Tracking starts when the binary is loaded, because assertions see only what is recorded from the
// start. The assertion library for XCTest starts here too, so that it sees each test begin.
//
// This file contains the constructor alone, so that a program that links only the recorder is not
// tracked until it starts tracking itself.

#include "CLiveObjects.h"

#if defined(__linux__)
/// Defined by LiveObjectsXCTest.
__attribute__((weak)) void liveobj_xctest_start(void);

/// Leaves tracking to the preload library if that is loaded, because its options say what is
/// tracked. Does nothing in a run that only lists tests.
__attribute__((constructor)) static void start_tracking(int argument_count,
                                                        char *const *arguments) {
    if (liveobj_arguments_only_list_tests(argument_count, arguments))
        return;
    if (!liveobj_is_forwarding())
        liveobj_start(NULL);
    if (liveobj_xctest_start)
        liveobj_xctest_start();
}
#endif
