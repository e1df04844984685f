// A helper has the program's environment, and is not watched.

#define _GNU_SOURCE
#include "expect.h"
#include "preload.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static size_t count(char *const *environment) {
    size_t count = 0;
    while (environment[count])
        count++;
    return count;
}

static const char *find(char *const *environment, const char *name) {
    size_t length = strlen(name);
    for (; *environment; environment++)
        if (strncmp(*environment, name, length) == 0 && (*environment)[length] == '=')
            return *environment + length + 1;
    return NULL;
}

static void what_watches_is_left_out(void) {
    setenv("LD_PRELOAD", "/does/not/exist.so", 1);
    setenv("LIVEOBJECTS_OPTIONS", "verbosity=2", 1);
    setenv("DEBUGINFOD_URLS", "http://localhost", 1);
    char **environment = liveobj_environment_make();
    EXPECT(find(environment, "LD_PRELOAD") == NULL);
    EXPECT(find(environment, "LIVEOBJECTS_OPTIONS") == NULL);
    EXPECT(find(environment, "DEBUGINFOD_URLS") == NULL);
    liveobj_environment_free(environment);
    unsetenv("LD_PRELOAD");
    unsetenv("LIVEOBJECTS_OPTIONS");
    unsetenv("DEBUGINFOD_URLS");
}

static void all_the_rest_is_there(void) {
    setenv("LIVEOBJECTS_OPTIONS_OF_MINE", "kept", 1);
    unsetenv("LLVM_SYMBOLIZER_OPTS");
    char **environment = liveobj_environment_make();
    EXPECT_STRING(find(environment, "LIVEOBJECTS_OPTIONS_OF_MINE"), "kept");
    EXPECT(count(environment) == count(environ));
    liveobj_environment_free(environment);
}

static void no_environment_is_an_empty_one(void) {
    clearenv();
    char **environment = liveobj_environment_make();
    EXPECT(environment && count(environment) == 0);
    liveobj_environment_free(environment);
}

int main(void) {
    what_watches_is_left_out();
    all_the_rest_is_there();
    no_environment_is_an_empty_one();
    return EXPECT_STATUS();
}
