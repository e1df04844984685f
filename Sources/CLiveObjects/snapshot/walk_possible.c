// walk_possible.c - writes which objects words may refer to that are no references by their form.

#if defined(__linux__)

#include "os/compiler.h"
#include "os/os.h"
#include "snapshot/walk.h"

LIVEOBJ_ANY_MEMORY_BEGIN

static uintptr_t granule(void) {
    return (uintptr_t)1 << liveobj_heap.map.granule_bits;
}

/// Has the page map lead to the current object from all of its granules that are no other's: the
/// map is a copy. From the first 64 KB, because the map takes memory in proportion.
static void cover_object(const struct liveobj_walk *walk) {
    enum { MOST_BYTES = 1 << 16 };
    uint64_t bytes = walk->object.bytes < MOST_BYTES ? walk->object.bytes : MOST_BYTES;
    uintptr_t end = walk->object.address + bytes;
    uintptr_t next = (walk->object.address & ~(granule() - 1)) + granule();
    for (; next < end; next += granule()) {
        uint32_t *slot = liveobj_page_map_find(&liveobj_heap.map, next);
        if (slot && !*slot)
            *slot = walk->index;
    }
}

bool liveobj_walk_start_possible(struct liveobj_walk *walk) {
    while (liveobj_walk_next(walk))
        cover_object(walk);
    walk->possible = liveobj_os_map(((size_t)walk->count + 1) * sizeof *walk->possible);
    return walk->possible && liveobj_section_start(&walk->possible_section, &walk->stream, "POSS");
}

/// The index of the record of the object that contains an address; 0 if there is none.
static uint32_t find_around(const struct liveobj_walk *walk, uintptr_t address) {
    // An object may end in the granule in which another one begins.
    for (uintptr_t back = 0; back <= granule() && back < address; back += granule()) {
        uint32_t *slot = liveobj_records_slot_of_word(address - back);
        uint32_t index = slot ? *slot : 0;
        if (!index || index >= walk->records_end)
            continue;
        struct liveobj_object object = liveobj_record_unpack(liveobj_heap.records[index]);
        if (address - object.address < object.bytes)
            return index;
    }
    return 0;
}

void liveobj_walk_note_possible(struct liveobj_walk *walk, uintptr_t word, bool may_be_old) {
    enum { HEADER_BYTES = 16 };
    uint32_t index = find_around(walk, word & LIVEOBJ_WORD_ADDRESS);
    uint32_t number = index ? walk->ordinals[index] : 0;
    bool is_own = index == walk->index; // such as the elements' address in a hash table
    if (!number || is_own || walk->possible[number])
        return;
    uintptr_t start = liveobj_record_unpack(liveobj_heap.records[index]).address;
    if (may_be_old && (word & LIVEOBJ_WORD_ADDRESS) - start >= HEADER_BYTES)
        return;
    walk->possible[number] = true;
    liveobj_section_reserve(&walk->possible_section, sizeof(uint32_t));
    liveobj_put_u32(&walk->possible_section, number - 1);
}

LIVEOBJ_ANY_MEMORY_END

#endif
