// walk_lost_buffers.c - writes the raw buffers that the program has lost: its code allocated them
// and nothing leads to them any more.
//
// Every word counts as an address, with bits of a tag above it too, and leads to the buffer that it
// is in. Words in lost buffers do not count: many were never initialised.

#if defined(__linux__)

#include "heap/object_words.h"
#include "metadata/metadata.h"
#include "os/compiler.h"
#include "os/os.h"
#include "os/step.h"
#include "runtime/image.h"
#include "runtime/runtime.h"
#include "snapshot/walk.h"
#include "stacks/stacks.h"

LIVEOBJ_ANY_MEMORY_BEGIN

// MARK: - Who allocated it

/// Whether a return address is in a function with this start. The functions have no end that could
/// be read here; none of the runtime's own allocations is near them.
static bool is_in(const void *function, uintptr_t pc) {
    enum { MOST_BYTES = 128 };
    return function && pc - (uintptr_t)function < MOST_BYTES;
}

/// The functions that programs call, and the compiler copies into their code if it optimises.
static bool is_in_standard_library(uintptr_t pc) {
    const struct liveobj_runtime *runtime = liveobj_runtime_current();
    return is_in(runtime->$sSv8allocate9byteCount9alignmentSvSi_SitFZ, pc) ||
           is_in(runtime->$sSp8allocate8capacitySpyxGSi_tFZ, pc) ||
           is_in(runtime->$sSr8allocate8capacitySryxGSi_tFZ, pc) ||
           is_in(runtime->$sSw8allocate9byteCount9alignmentSwSi_SitFZ, pc);
}

/// Whether code of the program allocated a buffer, not the runtime for itself.
static bool is_of_program(const struct liveobj_object *buffer) {
    const struct liveobj_runtime *runtime = liveobj_runtime_current();
    struct liveobj_stored_trace trace = {0};
    if (liveobj_stack_depot_has(buffer->stack))
        trace = liveobj_stack_depot_get(buffer->stack);
    uint32_t i = 0;
    while (i < trace.own_frames && is_in(runtime->swift_slowAlloc, trace.frames[i]))
        i++;
    if (i == trace.own_frames)
        return false;
    return !liveobj_image_contains(&runtime->image, trace.frames[i], 0) ||
           is_in_standard_library(trace.frames[i]);
}

bool liveobj_buffer_may_be_lost(const struct liveobj_object *buffer) {
    return is_of_program(buffer) && !liveobj_side_table_object(buffer->address);
}

/// A step.
static void note_lost_buffer(void *context) {
    struct liveobj_walk *walk = context;
    walk->found[walk->number].is_buffer = liveobj_buffer_may_be_lost(&walk->object);
}

void liveobj_walk_find_buffers(struct liveobj_walk *walk) {
    for (uint32_t number = 1; number <= walk->count; number++) {
        if (walk->found[number].referrer)
            continue;
        liveobj_walk_move(walk, number);
        if (walk->object.metadata == LIVEOBJ_METADATA_RAW_BUFFER)
            liveobj_snapshot_step(note_lost_buffer, walk);
    }
    walk->number = 0;
}

// MARK: - Lost ones

/// Whether the allocator has not freed it. Large chunks have a mapping of their own, and are in no
/// heap.
static bool is_in_use(const struct liveobj_walk *walk) {
    enum { LARGE_BYTES = 64 << 10, HEADER_BYTES = 16 };
    const struct liveobj_object *buffer = &walk->object;
    bool is_mapped = buffer->bytes >= LARGE_BYTES &&
                     buffer->address % LIVEOBJ_PAGE_BYTES == HEADER_BYTES &&
                     liveobj_roots_is_heap(walk->roots, buffer->address);
    return is_mapped || walk->found[walk->number].is_in_use;
}

void liveobj_walk_write_lost_buffers(struct liveobj_walk *walk) {
    struct liveobj_section section;
    if (walk->report->unread || walk->has_unread_words ||
        !liveobj_section_start(&section, &walk->stream, "LOST"))
        return;
    while (liveobj_walk_next(walk)) {
        const struct liveobj_found *found = &walk->found[walk->number];
        if (!found->is_buffer || found->is_held || !is_in_use(walk))
            continue;
        liveobj_section_reserve(&section, sizeof(uint32_t));
        liveobj_put_u32(&section, liveobj_walk_ordinal(walk));
    }
    liveobj_section_finish(&section);
}

LIVEOBJ_ANY_MEMORY_END

#endif
