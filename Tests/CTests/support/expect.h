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

/// What `main` returns where the test cannot run: CTest says "Skipped".
enum { EXPECT_SKIPPED = 77 };

/// What `main` returns.
#define EXPECT_STATUS() (liveobj_expect_failures > 0)
