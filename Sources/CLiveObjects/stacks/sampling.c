// sampling.c - owns the mean distance of marks, and draws distances. See sampling.h.
//
// Distances of random marks are exponentially distributed. They are drawn by von Neumann's method,
// which needs comparisons of random numbers only: no logarithm, no table. So the distribution is
// exact but for the granularity of the random numbers, 2^-64 of the mean, and of distances, which
// are rounded up to whole bytes. (That is exact too: sizes are whole, and an allocation reaches a
// mark if it reaches the next byte.)

#if defined(__linux__)

#include "stacks/sampling.h"
#include "os/os.h"

uint64_t liveobj_sample_bytes;
static uint64_t seed;

void liveobj_sampling_start(uint64_t sample_bytes) {
    liveobj_sample_bytes = sample_bytes < UINT32_MAX ? sample_bytes : UINT32_MAX;
    seed = liveobj_os_wall_clock();
}

/// Vigna's xorshift64*.
static uint64_t next_random(uint64_t *state) {
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 0x2545f4914f6cdd1d;
}

/// Another state for each thread and each run; never 0.
static uint64_t first_state(const struct liveobj_sampler *sampler) {
    uint64_t state = (seed ^ (uintptr_t)sampler) * 0x9e3779b97f4a7c15;
    return (state ^ state >> 32) | 1;
}

/// The part of the mean that a fraction of 2^64 stands for, rounded down. The mean has 32 bits at
/// most.
static uint64_t part_of_mean(uint64_t fraction) {
    uint64_t low = liveobj_sample_bytes * (uint32_t)fraction >> 32;
    return (liveobj_sample_bytes * (fraction >> 32) + low) >> 32;
}

/// Von Neumann, "Various techniques used in connection with random digits" (1951). Given a first
/// number x from 0 to 1, the numbers from it on fall an even number of times with the probability
/// exp(-x). Then x is the fraction of the result; otherwise, with the probability 1/e, the whole
/// part is one more.
static uint64_t draw_distance(uint64_t *random) {
    for (uint64_t whole = 0;; whole++) {
        uint64_t fraction = next_random(random), last = fraction, next;
        bool is_even = true;
        for (; (next = next_random(random)) < last; last = next)
            is_even = !is_even;
        if (is_even)
            return liveobj_sample_bytes * whole + part_of_mean(fraction) + 1;
    }
}

LIVEOBJ_HOOK bool liveobj_sampler_renew(struct liveobj_sampler *sampler, uint64_t bytes) {
    bool has_begun = sampler->random != 0;
    if (!has_begun)
        sampler->random = first_state(sampler);
    // The marks behind the allocation do not depend on those before.
    sampler->distance = draw_distance(&sampler->random);
    return has_begun || liveobj_sampler_takes(sampler, bytes);
}

#endif
