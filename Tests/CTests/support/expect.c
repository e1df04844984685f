// expect.c - see expect.h. Owns the list of the program's tests, and the number of failures.

#include "support/expect.h"

#include <stdlib.h>

enum { MOST_TESTS = 32 };

int liveobj_expect_failures;
static void (*tests[MOST_TESTS])(void);
static int count;

void add_test(void (*test)(void)) {
    if (count == MOST_TESTS)
        abort();
    tests[count++] = test;
}

bool run_tests(void) {
    for (int i = 0; i < count; i++)
        tests[i]();
    return count > 0;
}
