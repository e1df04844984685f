// expect.h - expectations of C tests. A test continues after one that fails.

#pragma once

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

extern int liveobj_expect_failures;

#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            liveobj_expect_failures++;                                                             \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);              \
        }                                                                                          \
    } while (0)

#define EXPECT_STRING(actual, expected)                                                            \
    do {                                                                                           \
        const char *actual_ = (actual), *expected_ = (expected);                                   \
        if (strcmp(actual_, expected_) != 0) {                                                     \
            liveobj_expect_failures++;                                                             \
            fprintf(stderr, "%s:%d: %s\n  is       \"%s\"\n  expected \"%s\"\n", __FILE__,         \
                    __LINE__, #actual, actual_, expected_);                                        \
        }                                                                                          \
    } while (0)

void add_test(void (*test)(void));

/// A test that `run_tests` runs, in the order of the file. A file may have no `main` (main.c).
#define TEST(name)                                                                                 \
    static void name(void);                                                                        \
    __attribute__((constructor)) static void add_##name(void) {                                    \
        add_test(name);                                                                            \
    }                                                                                              \
    static void name(void)

/// \returns false if there is none.
bool run_tests(void);

/// What `main` returns where the test cannot run: CTest says "Skipped".
enum { EXPECT_SKIPPED = 77 };

/// What `main` returns.
#define EXPECT_STATUS() (liveobj_expect_failures > 0)
