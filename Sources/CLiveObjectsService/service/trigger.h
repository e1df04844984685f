// trigger.h - decides when a type has grown so much that a capture is wanted.

#pragma once

#include "capture/capture.h"

#pragma GCC visibility push(hidden)

/// A type has grown if the number of its objects is `factor` times what it was, or larger than at
/// the time before, `intervals` times in a row. 0 for never. Either way it must have at least 100
/// objects more. "What it was" is its number when it was first counted, or when it last had grown.
struct liveobj_trigger {
    uint64_t factor;
    uint64_t intervals;
};

/// Compares with the counts of all calls before. \returns whether some type has grown.
bool liveobj_trigger_update(struct liveobj_trigger trigger, const struct liveobj_type_table *types,
                            const struct liveobj_type_counts *counts);

#pragma GCC visibility pop
