// capture_stacks.c - writes the stack traces of a capture's objects.
//
// Owns the memory that it maps for one capture, which is shared with the snapshot process.

#if defined(__linux__)

#include "capture/capture.h"
#include "os/os.h"
#include "stacks/stacks.h"

bool liveobj_captured_stacks_start(struct liveobj_captured_stacks *stacks) {
    enum { STACKS_TO_COME = 1 << 21 }; // until the heap is read; address space only
    stacks->end = liveobj_stack_depot_last() + 1 + STACKS_TO_COME;
    stacks->are_used = liveobj_os_map_shared(stacks->end);
    return stacks->are_used != NULL;
}

void liveobj_captured_stacks_end(struct liveobj_captured_stacks *stacks) {
    liveobj_os_unmap(stacks->are_used, stacks->end);
}

uint32_t liveobj_captured_stack(struct liveobj_capture *capture, uint32_t stack) {
    if (!liveobj_stack_depot_has(stack) || stack >= capture->stacks.end)
        return 0;
    capture->stacks.are_used[stack] = true;
    return stack;
}

// MARK: - STAK

static void mark_parents(struct liveobj_captured_stacks *stacks, uint32_t end) {
    // A parent's id is smaller than its child's, so one pass downwards reaches all parents.
    for (uint32_t id = end; id-- > 1;)
        if (stacks->are_used[id])
            stacks->are_used[liveobj_stack_depot_get(id).parent] = true;
}

static void put_stack(struct liveobj_capture *capture, struct liveobj_section *section,
                      uint32_t id) {
    struct liveobj_stored_trace trace = liveobj_stack_depot_get(id);
    liveobj_section_reserve(section, 16 + trace.own_frames * sizeof(uint64_t));
    liveobj_put_u32(section, id);
    liveobj_put_u32(section, trace.parent);
    liveobj_put_u32(section, trace.own_frames);
    liveobj_put_u32(section, trace.parent_frames);
    for (uint32_t i = 0; i < trace.own_frames; i++)
        liveobj_put_u64(section, liveobj_frame_word(&capture->images, trace.frames[i]));
}

void liveobj_write_stacks(struct liveobj_capture *capture) {
    struct liveobj_section section;
    struct liveobj_captured_stacks *stacks = &capture->stacks;
    if (!liveobj_section_start(&section, &capture->stream, "STAK"))
        return;
    uint32_t last = liveobj_stack_depot_last();
    uint32_t end = last < stacks->end ? last + 1 : stacks->end;
    mark_parents(stacks, end);
    for (uint32_t id = 1; id < end; id++)
        if (stacks->are_used[id])
            put_stack(capture, &section, id);
    liveobj_section_finish(&section);
}

#endif
