// freed_buffers.c - see freed_buffers.h. Owns nothing.

#if defined(__linux__)

#include "roots/freed_buffers.h"
#include "metadata/types.h"
#include "os/compiler.h"
#include "os/step.h"
#include "records/records.h"
#include "roots/malloc_chunks.h"

LIVEOBJ_ANY_MEMORY_BEGIN

/// The raw buffer that is recorded in the granule of an address. \returns false if there is none.
static bool find_buffer(uint32_t *slot, struct liveobj_object *buffer) {
    if (!slot || !*slot)
        return false;
    *buffer = liveobj_record_unpack(liveobj_heap.records[*slot]);
    return buffer->metadata == LIVEOBJ_METADATA_RAW_BUFFER;
}

/// Forgets the buffers in a chunk.
/// \param room The bytes that a buffer at the start may have; 0 if the chunk is free.
static void forget_in(uintptr_t start, uintptr_t end, size_t room) {
    struct liveobj_object buffer;
    uintptr_t granule = (uintptr_t)1 << liveobj_heap.map.granule_bits;
    for (uintptr_t address = start; address < end; address += granule) {
        uint32_t *slot = liveobj_page_map_find(&liveobj_heap.map, address);
        if (!find_buffer(slot, &buffer) || buffer.address - start >= end - start)
            continue;
        bool is_chunk = buffer.address == start && buffer.bytes <= room;
        if (!is_chunk)
            *slot = 0;
    }
    liveobj_snapshot_advance();
}

/// A step: forgets the buffers of one heap, and finds where the next one may begin.
struct search {
    uintptr_t next;
    uintptr_t end;
};

static void forget_in_heap(void *context) {
    struct search *search = context;
    struct liveobj_chunks chunks;
    if (!liveobj_chunks_find(search->next, search->end, &chunks)) {
        search->next = liveobj_chunks_next_heap(search->next, search->end);
        return;
    }
    search->next = chunks.end;
    uintptr_t chunk = chunks.first, bytes;
    for (; (bytes = liveobj_chunk_bytes(&chunks, chunk)) > 0; chunk += bytes) {
        // A chunk also has the first word of the next one.
        uintptr_t content = liveobj_chunk_content(chunk), end = chunk + bytes + sizeof(uintptr_t);
        forget_in(content, end, liveobj_chunk_is_in_bin(&chunks, chunk) ? 0 : end - content);
    }
    forget_in(chunk, chunks.end, 0);
}

/// Forgets buffers with a mapping of their own that is gone; another one may have its place.
static void forget_unmapped(const struct liveobj_roots *roots) {
    enum { LARGE_BYTES = 64 << 10 };
    struct liveobj_object buffer;
    for (uint32_t index = 1; index < liveobj_records_end(); index++)
        if (liveobj_records_get(index, &buffer) && buffer.bytes >= LARGE_BYTES &&
            buffer.metadata == LIVEOBJ_METADATA_RAW_BUFFER &&
            !liveobj_roots_is_heap(roots, buffer.address))
            *liveobj_records_slot(buffer.address) = 0;
}

void liveobj_freed_buffers_forget(const struct liveobj_roots *roots) {
    for (uint32_t i = 0; i < roots->count; i++) {
        const struct liveobj_memory_range *range = &roots->ranges[i];
        // A heap with a thread's stack in it can only be read as a whole; it stays as it is.
        bool may_have_heap = range->kind == LIVEOBJ_ROOT_C_MEMORY && !range->is_file &&
                             !range->is_inaccessible && !range->ends_at_stack;
        struct search search = {range->start, may_have_heap ? range->end : 0};
        while (search.next < search.end && liveobj_snapshot_step(forget_in_heap, &search))
            continue;
    }
    forget_unmapped(roots);
}

LIVEOBJ_ANY_MEMORY_END

#endif
