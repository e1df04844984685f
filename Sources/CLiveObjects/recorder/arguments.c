// arguments.c - whether a test binary was started only to list its tests. Owns nothing; runs in
// constructors.

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
