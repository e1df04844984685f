// freed_buffers.c - see freed_buffers.h. Owns what it maps, which ends with the snapshot process.

#if defined(__linux__)

#include "roots/freed_buffers.h"
#include "metadata/types.h"
#include "os/compiler.h"
#include "os/os.h"
#include "os/step.h"
#include "records/records.h"
#include "roots/malloc_chunks.h"

LIVEOBJ_ANY_MEMORY_BEGIN

/// What `is_live` says of a buffer once its chunk was found.
enum { LIVE = 1, HAS_CHUNK };

struct search {
    struct liveobj_roots *roots;
    uint32_t *is_live;
    uintptr_t next; // where the next heap may begin
    uintptr_t end;
};

// MARK: - Chunks

/// Notes the buffer that a chunk in use was allocated for.
static void note_buffer(struct search *search, uintptr_t content, size_t room) {
    uint32_t index = liveobj_records_near(content);
    if (!index || !search->is_live[index])
        return;
    struct liveobj_object object = liveobj_record_unpack(liveobj_heap.records[index]);
    if (object.address == content && object.bytes <= room)
        search->is_live[index] = HAS_CHUNK;
}

static void note_heap(struct liveobj_roots *roots, struct liveobj_known_heap heap) {
    if (liveobj_os_make_room((void **)&roots->heaps, roots->heap_count, &roots->heap_capacity,
                             sizeof heap))
        roots->heaps[roots->heap_count++] = heap;
}

/// Marks buffers in memory that turns out to be no heap too: they stay as they are.
static void mark_buffer_of_chunk(void *context, const struct liveobj_chunks *chunks,
                                 uintptr_t chunk) {
    // A chunk also has the first word of the next one.
    uintptr_t content = liveobj_chunk_content(chunk),
              end = chunk + liveobj_chunk_bytes(chunks, chunk) + sizeof(uintptr_t);
    if (!liveobj_chunk_is_in_bin(chunks, chunk))
        note_buffer(context, content, end - content);
}

/// A step.
static void read_heap(void *context) {
    struct search *search = context;
    struct liveobj_known_heap heap = {.start = search->next};
    bool is_heap =
        liveobj_chunks_find(search->next, search->end, &heap.chunks, mark_buffer_of_chunk, search);
    search->next = is_heap ? heap.chunks.end : liveobj_chunks_next_heap(search->next, search->end);
    if (is_heap)
        note_heap(search->roots, heap);
}

static void read_heaps(struct search *search) {
    const struct liveobj_roots *roots = search->roots;
    for (uint32_t i = 0; i < roots->count; i++) {
        const struct liveobj_memory_range *range = &roots->ranges[i];
        // A heap with a thread's stack in it can only be read as a whole; it stays as it is.
        bool may_have_heap = range->kind == LIVEOBJ_ROOT_C_MEMORY && !range->is_file &&
                             !range->is_inaccessible && !range->ends_at_stack;
        search->next = range->start;
        search->end = may_have_heap ? range->end : 0;
        while (search->next < search->end && liveobj_snapshot_step(read_heap, search))
            continue;
    }
}

// MARK: - Buffers

static bool is_in_known_heap(const struct liveobj_roots *roots, uintptr_t address) {
    for (uint32_t i = 0; i < roots->heap_count; i++)
        if (address >= roots->heaps[i].chunks.first && address < roots->heaps[i].chunks.end)
            return true;
    return false;
}

/// Whether the buffer had a mapping of its own, which is gone. Another one may have its place.
static bool is_unmapped(const struct liveobj_roots *roots, const struct liveobj_object *buffer) {
    enum { LARGE_BYTES = 64 << 10 };
    return buffer->bytes >= LARGE_BYTES && !liveobj_roots_is_heap(roots, buffer->address);
}

static void forget_buffers(const struct search *search) {
    for (uint32_t index = 1, end = liveobj_records_end(); index < end; index++) {
        if (search->is_live[index] != LIVE)
            continue;
        struct liveobj_object object = liveobj_record_unpack(liveobj_heap.records[index]);
        if (object.metadata != LIVEOBJ_METADATA_RAW_BUFFER ||
            (!is_in_known_heap(search->roots, object.address) &&
             !is_unmapped(search->roots, &object)))
            continue;
        search->is_live[index] = 0;
        *liveobj_records_slot(object.address) = 0;
    }
}

void liveobj_freed_buffers_forget(struct liveobj_roots *roots, uint32_t *is_live) {
    struct search search = {.roots = roots, .is_live = is_live};
    read_heaps(&search);
    forget_buffers(&search);
}

LIVEOBJ_ANY_MEMORY_END

#endif
