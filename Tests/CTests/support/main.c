// main.c - of tests that have none of their own. One without any test cannot run here.

#include "support/expect.h"

int main(void) {
    return run_tests() ? EXPECT_STATUS() : EXPECT_SKIPPED;
}
