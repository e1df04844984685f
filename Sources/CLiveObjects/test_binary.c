// test_binary.c - what a test binary is started for. Owns nothing; runs in constructors.

#include "CLiveObjects.h"

#include <string.h>

bool liveobj_arguments_only_list_tests(int count, char *const *arguments) {
    for (int i = 1; i < count; i++)
        if (strcmp(arguments[i], "--dump-tests-json") == 0 ||
            strcmp(arguments[i], "--list-tests") == 0 || strcmp(arguments[i], "-l") == 0 ||
            (i == 1 && strcmp(arguments[i], "list") == 0))
            return true;
    return false;
}

void liveobj_start_with_tests(int argument_count, char *const *arguments) {
    if (!liveobj_is_handed_over() && !liveobj_arguments_only_list_tests(argument_count, arguments))
        liveobj_start(NULL);
}
