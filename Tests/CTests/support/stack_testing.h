// stack_testing.h - helpers of the tests of stack traces.

#pragma once

#include "arch/registers.h"
#include "expect.h"
#include "os/os.h"
#include "stacks/stack_walk.h"
#include "stacks/stacks.h"

#include <stdlib.h>

#define MAX_FRAMES 512

/// All return addresses of a stored trace, innermost first.
static inline size_t expand(uint32_t id, uintptr_t *addresses) {
    size_t count = 0;
    size_t wanted = MAX_FRAMES;
    while (id && wanted) {
        struct liveobj_stored_trace trace = liveobj_stack_depot_get(id);
        // `wanted` counts the outermost frames still to come.
        size_t total = trace.own_frames + trace.parent_frames;
        size_t skipped = total > wanted ? total - wanted : 0;
        for (size_t i = skipped; i < trace.own_frames; i++)
            addresses[count++] = trace.frames[i];
        wanted = trace.parent_frames < wanted ? trace.parent_frames : wanted;
        id = trace.parent;
    }
    return count;
}

/// The registers that the caller of the function where this stands will have when it returns.
/// The function must keep a frame pointer and not be inlined.
#define CALLER_REGISTERS() registers_of_caller(LIVEOBJ_HOOK_FRAME())

static inline struct liveobj_registers registers_of_caller(struct liveobj_hook_frame frame) {
    return (struct liveobj_registers){
        .pc = liveobj_frame_record_pc(frame.record),
        .sp = liveobj_hook_frame_sp(frame),
        .fp = liveobj_frame_record_fp(frame.record),
    };
}

static inline struct liveobj_stack_cache *make_cache(void) {
    struct liveobj_stack_cache *cache = liveobj_os_map(sizeof *cache);
    if (!cache)
        abort();
    return cache;
}

static inline void add_bytes(void *sum, struct liveobj_extent extent) {
    *(uint64_t *)sum += extent.end - extent.start;
}

static inline void add_mapping(void *sum, uintptr_t start, uintptr_t end) {
    liveobj_os_visit_pages((struct liveobj_extent){start, end}, false, add_bytes, sum);
}

/// Of the recorder.
static inline uint64_t bytes_in_memory(void) {
    uint64_t sum = 0;
    liveobj_os_visit_mappings(add_mapping, &sum);
    return sum;
}
