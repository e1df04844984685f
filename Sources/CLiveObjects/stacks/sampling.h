// sampling.h - decides which allocations get a stack trace, where not all do.
//
// Think of all bytes that a thread allocates as a line with marks on it, placed at random, one for
// every `liveobj_sample_bytes` bytes on average. An allocation with a mark in it gets a stack
// trace. So an object of n bytes has one with the probability 1 - exp(-n / liveobj_sample_bytes),
// whatever was allocated before it and by whom: who counts each such object 1 / probability times
// gets an unbiased estimate of how many there are. Go and tcmalloc do the same.
//
// The functions run in hooks, under the guard, on the thread that owns the sampler.

#pragma once

#include "os/compiler.h"

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// The mean distance of marks; 0: every allocation gets a stack trace. Set before the first hook is
/// installed, constant from then on.
extern uint64_t liveobj_sample_bytes;

/// A thread's place on the line. Zeros at first.
struct liveobj_sampler {
    uint64_t distance; // to the next mark, in bytes, rounded up
    uint64_t random;   // the state of the generator; 0: not started
};

void liveobj_sampling_start(uint64_t sample_bytes);

/// Continues behind a mark, or begins.
/// \returns Whether the allocation has a mark in it.
LIVEOBJ_HOOK bool liveobj_sampler_renew(struct liveobj_sampler *sampler, uint64_t bytes);

/// Whether an allocation gets a stack trace.
LIVEOBJ_HOOK static inline bool liveobj_sampler_takes(struct liveobj_sampler *sampler,
                                                      uint64_t bytes) {
    if (LIVEOBJ_LIKELY(bytes < sampler->distance)) {
        sampler->distance -= bytes;
        return false;
    }
    return LIVEOBJ_LIKELY(!liveobj_sample_bytes) || liveobj_sampler_renew(sampler, bytes);
}

#pragma GCC visibility pop
