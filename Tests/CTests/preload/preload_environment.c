// A helper has the environment that the program was started with, and is not watched.

#include "program/program.h"
#include "support/expect.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *const *environment_at_start(void) {
    liveobj_environment_start();
    return liveobj_environment();
}

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

TEST(variables_for_watching_are_removed) {
    setenv("LD_PRELOAD", "/does/not/exist.so", 1);
    setenv("LIVEOBJECTS_OPTIONS", "verbosity=2", 1);
    setenv("DEBUGINFOD_URLS", "http://localhost", 1);
    char *const *environment = environment_at_start();
    EXPECT(find(environment, "LD_PRELOAD") == NULL);
    EXPECT(find(environment, "LIVEOBJECTS_OPTIONS") == NULL);
    EXPECT(find(environment, "DEBUGINFOD_URLS") == NULL);
    unsetenv("LD_PRELOAD");
    unsetenv("LIVEOBJECTS_OPTIONS");
    unsetenv("DEBUGINFOD_URLS");
}

TEST(other_variables_are_kept) {
    setenv("LIVEOBJECTS_OPTIONS_OF_MINE", "kept", 1);
    unsetenv("LLVM_SYMBOLIZER_OPTS");
    char *const *environment = environment_at_start();
    EXPECT_STRING(find(environment, "LIVEOBJECTS_OPTIONS_OF_MINE"), "kept");
    EXPECT(count(environment) == count(environ));
}

TEST(a_missing_environment_is_an_empty_one) {
    clearenv();
    char *const *environment = environment_at_start();
    EXPECT(environment && count(environment) == 0);
}

static void *change_repeatedly(void *is_over) {
    static const char *const names[] = {"LIVEOBJECTS_A", "LIVEOBJECTS_B", "LIVEOBJECTS_C"};
    while (!__atomic_load_n((bool *)is_over, __ATOMIC_RELAXED)) {
        for (int i = 0; i < 3; i++)
            setenv(names[i], "1", 1);
        for (int i = 0; i < 3; i++)
            unsetenv(names[i]);
    }
    return NULL;
}

/// Tests that run in parallel with the evaluated one change the environment.
static void another_thread_may_change_the_environment(void) {
    enum { TIMES = 100000 };
    setenv("LIVEOBJECTS_OPTIONS_OF_MINE", "kept", 1);
    liveobj_environment_start();
    bool is_over = false;
    pthread_t thread;
    pthread_create(&thread, NULL, change_repeatedly, &is_over);
    size_t found = 0;
    for (int i = 0; i < TIMES; i++)
        found += find(liveobj_environment(), "LIVEOBJECTS_OPTIONS_OF_MINE") != NULL;
    __atomic_store_n(&is_over, true, __ATOMIC_RELAXED);
    pthread_join(thread, NULL);
    EXPECT(found == TIMES);
}

int main(void) {
    another_thread_may_change_the_environment();
    run_tests();
    return EXPECT_STATUS();
}
