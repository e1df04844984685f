// start.c - starts tracking when a binary is loaded that links a library of assertions.
//
// The constructor is the only thing here, and in an object file of its own: whoever links the
// recorder alone starts it by itself.

#include "CLiveObjects.h"

// Hands the arguments to constructors on Linux; elsewhere nothing is tracked.
#if defined(__linux__)
__attribute__((constructor)) static void start(int argument_count, char *const *arguments) {
    liveobj_start_with_tests(argument_count, arguments);
}
#endif
