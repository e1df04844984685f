// start.c - starts tracking when a binary is loaded that links a library of assertions, which sees
// only what is recorded from the start.
//
// The constructor is the only thing here, and in an object file of its own: whoever links the
// recorder alone starts it by itself.

#include "CLiveObjects.h"

#if defined(__linux__)
/// Does nothing under the preload library, whose options say what is tracked, nor in a run that
/// only lists tests.
__attribute__((constructor)) static void start(int argument_count, char *const *arguments) {
    if (!liveobj_is_handed_over() && !liveobj_arguments_only_list_tests(argument_count, arguments))
        liveobj_start(NULL);
}
#endif
