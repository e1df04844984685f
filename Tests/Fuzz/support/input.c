// Hands inputs to `test_input`, and stops at one that takes more than a second of the processor's
// time: libFuzzer's own limit counts what other programs do as well.

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

void test_input(const uint8_t *bytes, size_t count);

static double slowest;

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void print_slowest(void) {
    fprintf(stderr, "slowest: %.0f ms\n", 1000 * slowest);
}

int LLVMFuzzerInitialize(int *count, char ***arguments) {
    (void)count, (void)arguments;
    return atexit(print_slowest);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    double start = seconds();
    test_input(bytes, count);
    double taken = seconds() - start;
    slowest = taken > slowest ? taken : slowest;
    if (taken > 1) {
        fprintf(stderr, "an input took %.1f s\n", taken);
        abort();
    }
    return 0;
}
