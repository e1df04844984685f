// snapshot_outputs.h - runs work in a snapshot process, and compares what it writes.

#pragma once

#include "snapshot/snapshot_process.h"

#include <stdint.h>
#include <string.h>

static const size_t capacity = 1 << 20;

/// \returns whether the output of the snapshot process is `expected`.
static inline bool outputs(liveobj_snapshot_work_fn work, void *context, const char *expected) {
    struct liveobj_snapshot child = liveobj_snapshot_run(work, NULL, context, capacity, UINT64_MAX);
    bool answered = !child.failure && child.count == strlen(expected) &&
                    memcmp(child.bytes, expected, child.count) == 0;
    liveobj_snapshot_end(&child);
    return answered;
}

static inline bool fails(liveobj_snapshot_work_fn work, void *context, const char *because) {
    struct liveobj_snapshot child = liveobj_snapshot_run(work, NULL, context, capacity, UINT64_MAX);
    bool failed = child.failure && strstr(child.failure, because) && child.count == 0;
    liveobj_snapshot_end(&child);
    return failed;
}

static inline bool write_hello(void *context, liveobj_write_fn write, void *destination) {
    (void)context;
    return write(destination, "hel", 3) && write(destination, "lo", 2);
}
