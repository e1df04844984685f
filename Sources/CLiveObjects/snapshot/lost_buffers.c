// lost_buffers.c - see lost_buffers.h. Owns the table, which ends with the snapshot process.

#if defined(__linux__)

#include "snapshot/lost_buffers.h"
#include "os/compiler.h"
#include "os/os.h"
#include "os/step.h"

LIVEOBJ_ANY_MEMORY_BEGIN

bool liveobj_raw_buffers_add(struct liveobj_raw_buffers *buffers,
                             const struct liveobj_object *buffer, uint32_t object) {
    if (!liveobj_os_make_room((void **)&buffers->items, buffers->count, &buffers->capacity,
                              sizeof *buffers->items))
        return false;
    buffers->items[buffers->count++] = (struct liveobj_raw_buffer){
        .start = buffer->address, .bytes = buffer->bytes, .object = object};
    return true;
}

// MARK: - Order

/// Moves an item down in a heap whose greatest item is the first.
static void sift(struct liveobj_raw_buffer *items, uint32_t item, uint32_t count) {
    for (uint32_t child; (child = 2 * item + 1) < count; item = child) {
        child += child + 1 < count && items[child + 1].start > items[child].start;
        if (items[item].start >= items[child].start)
            return;
        struct liveobj_raw_buffer moved = items[item];
        items[item] = items[child];
        items[child] = moved;
    }
}

/// Heapsort: the C library's own sort may allocate memory.
void liveobj_raw_buffers_sort(struct liveobj_raw_buffers *buffers) {
    for (uint32_t i = buffers->count / 2; i-- > 0;)
        sift(buffers->items, i, buffers->count);
    for (uint32_t last = buffers->count; last-- > 1;) {
        struct liveobj_raw_buffer greatest = buffers->items[0];
        buffers->items[0] = buffers->items[last];
        buffers->items[last] = greatest;
        sift(buffers->items, 0, last);
        liveobj_snapshot_advance();
    }
}

struct liveobj_extent liveobj_raw_buffers_extent(const struct liveobj_raw_buffers *buffers) {
    if (!buffers->count)
        return (struct liveobj_extent){0, 0};
    const struct liveobj_raw_buffer *last = &buffers->items[buffers->count - 1];
    return (struct liveobj_extent){buffers->items[0].start, last->start + last->bytes + 1};
}

struct liveobj_raw_buffer *liveobj_raw_buffers_find(const struct liveobj_raw_buffers *buffers,
                                                    uintptr_t address) {
    uint32_t first = 0, end = buffers->count;
    while (first < end) { // the first one that begins behind the address
        uint32_t middle = first + (end - first) / 2;
        if (buffers->items[middle].start <= address)
            first = middle + 1;
        else
            end = middle;
    }
    struct liveobj_raw_buffer *buffer = first ? &buffers->items[first - 1] : NULL;
    return buffer && address - buffer->start <= buffer->bytes ? buffer : NULL;
}

LIVEOBJ_ANY_MEMORY_END

#endif
