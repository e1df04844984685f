// heap_walk.h - what the copy of the process does: reads every live object.

#ifndef LIVEOBJ_HEAP_WALK_H
#define LIVEOBJ_HEAP_WALK_H

#include "../capture.h"
#include "child.h"
#include "roots.h"

#pragma GCC visibility push(hidden)

enum { LIVEOBJ_NEW_TYPES_LIMIT = 1 << 20 }; // address space only

/// What the copy says beside the sections that it writes, in memory that both share.
struct liveobj_heap_walk_report {
    uint64_t sections;
    uint32_t unread_objects;
    uint32_t scanned_objects;
    uint32_t timeouts;
    bool misses_roots;
    /// Types of objects that were made after the program had looked at all of them; their ids go on
    /// where the capture's end. Their names are for the program to ask for.
    uint32_t new_type_count;
    struct liveobj_type new_types[LIVEOBJ_NEW_TYPES_LIMIT];
};

struct liveobj_heap_walk {
    struct liveobj_capture *capture;
    struct liveobj_roots roots;
    struct liveobj_heap_walk_report *report;
};

/// The sections from OBJS on to LEDG, but for GRPH and SUPR. A `liveobj_child_work_fn`; `context`
/// is a `struct liveobj_heap_walk`.
bool liveobj_heap_walk(void *context, liveobj_write_fn write, void *destination);

#pragma GCC visibility pop

#endif
