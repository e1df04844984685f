// walk.c - visits one object after the other, in the snapshot process. Owns nothing.

#if defined(__linux__)

#include "snapshot/walk.h"
#include "os/compiler.h"

LIVEOBJ_ANY_MEMORY_BEGIN

static uintptr_t address_of(uint32_t index) {
    return LIVEOBJ_LOAD_RELAXED(liveobj_heap.records[index].address) & liveobj_value_mask;
}

/// Prefetches the header of a later object. Headers of large objects lie on separate pages, and
/// waiting for each of them takes longer than all other work on the object. Prefetching an invalid
/// address is harmless.
static void fetch_ahead(const struct liveobj_walk *walk) {
    enum { AHEAD = 16 };
    uint32_t later = walk->index + AHEAD;
    if (later < walk->records_end && walk->ordinals[later])
        __builtin_prefetch((const void *)address_of(later));
}

bool liveobj_walk_next(struct liveobj_walk *walk) {
    while (++walk->index < walk->records_end) {
        fetch_ahead(walk);
        if (walk->ordinals[walk->index] && liveobj_records_get(walk->index, &walk->object))
            return true;
    }
    walk->index = 0;
    return false;
}

uint32_t liveobj_walk_find(const struct liveobj_walk *walk, uintptr_t address) {
    uint32_t *slot = liveobj_records_slot_of_word(address);
    uint32_t index = slot ? LIVEOBJ_LOAD_RELAXED(*slot) : 0;
    if (!index || index >= walk->records_end)
        return 0;
    return address_of(index) == address ? walk->ordinals[index] : 0;
}

void liveobj_walk_read_header(struct liveobj_walk *walk) {
    struct liveobj_capture *capture = walk->capture;
    walk->type = liveobj_captured_type_id(&capture->types, &walk->object, &capture->reader,
                                          &walk->is_new_type);
    walk->strong = liveobj_strong_count_of(&walk->object, &capture->reader);
}

LIVEOBJ_ANY_MEMORY_END

#endif
