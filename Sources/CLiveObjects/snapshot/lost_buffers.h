// lost_buffers.h - raw buffers to which no word leads: neither the address of their start nor one
// inside of them is anywhere in the memory of the program.
//
// In the snapshot process only.

#pragma once

#include "records/records.h"
#include "roots/roots.h"

#pragma GCC visibility push(hidden)

struct liveobj_raw_buffer {
    uintptr_t start;
    uintptr_t bytes;
    uint32_t object;  // counted from 0
    bool is_in_use;   // the allocator has not freed it, as C code can without the recorder
    bool has_pointer; // a word leads to it
};

struct liveobj_raw_buffers {
    struct liveobj_raw_buffer *items; // by address, once they are sorted
    uint32_t count;
    uint32_t capacity;
};

/// Adds a buffer. \returns false if memory ran out.
bool liveobj_raw_buffers_add(struct liveobj_raw_buffers *buffers,
                             const struct liveobj_object *buffer, uint32_t object);
void liveobj_raw_buffers_sort(struct liveobj_raw_buffers *buffers);
/// What a word has to lead to: the memory from the first buffer to the end of the last one.
struct liveobj_extent liveobj_raw_buffers_extent(const struct liveobj_raw_buffers *buffers);
/// The buffer that has an address, or ends there; NULL if none does.
struct liveobj_raw_buffer *liveobj_raw_buffers_find(const struct liveobj_raw_buffers *buffers,
                                                    uintptr_t address);

#pragma GCC visibility pop
