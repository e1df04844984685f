// heap_walk.h - the work of the snapshot process: reads every live object.

#ifndef LIVEOBJ_HEAP_WALK_H
#define LIVEOBJ_HEAP_WALK_H

#include "CLiveObjects.h"
#include "capture/capture.h"
#include "heap/roots.h"
#include "snapshot/walk.h"

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

struct liveobj_heap_walk {
    struct liveobj_capture *capture;
    struct liveobj_roots roots;
    struct liveobj_heap_walk_report *report;
};

/// Writes the sections from OBJS to LEDG, except GRPH and SUPR. A `liveobj_snapshot_work_fn`;
/// `context` is a `struct liveobj_heap_walk`.
bool liveobj_heap_walk(void *context, liveobj_write_fn write, void *destination);

#pragma GCC visibility pop

#endif
