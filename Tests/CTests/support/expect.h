// expect.h - expectations of C tests. A test continues after one that fails.

#pragma once

#include <stdio.h>
#include <string.h>

static int liveobj_expect_failures;

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

enum { LIVEOBJ_EXPECT_TESTS = 32 };
static __attribute__((unused)) void (*liveobj_expect_tests[LIVEOBJ_EXPECT_TESTS])(void);
static __attribute__((unused)) int liveobj_expect_count;

/// A test that `run_tests` runs, in the order of the file.
#define TEST(name)                                                                                 \
    static void name(void);                                                                        \
    __attribute__((constructor)) static void add_##name(void) {                                    \
        liveobj_expect_tests[liveobj_expect_count++] = name;                                       \
    }                                                                                              \
    static void name(void)

static inline void run_tests(void) {
    for (int i = 0; i < liveobj_expect_count; i++)
        liveobj_expect_tests[i]();
}

/// What `main` returns where the test cannot run: CTest says "Skipped".
enum { EXPECT_SKIPPED = 77 };

/// What `main` returns.
#define EXPECT_STATUS() (liveobj_expect_failures > 0)
