// blocks.c - see blocks.h. Owns the tables, which end with the snapshot process.

#if defined(__linux__)

#include "snapshot/blocks.h"
#include "os/compiler.h"
#include "os/os.h"
#include "os/step.h"
#include "records/records.h"

LIVEOBJ_ANY_MEMORY_BEGIN

enum { ALIGNMENT = 2 * sizeof(uintptr_t) };

bool liveobj_blocks_may_have(uintptr_t word) {
    return word % ALIGNMENT == 0 && word >= LIVEOBJ_PAGE_BYTES &&
           word == (word & LIVEOBJ_REFERENCE_MASK);
}

void liveobj_blocks_add(struct liveobj_blocks *blocks, uint32_t object, uintptr_t address) {
    uint32_t number = liveobj_address_number(&blocks->addresses, address);
    if (number && liveobj_os_make_room((void **)&blocks->owners, blocks->owner_count,
                                       &blocks->owner_capacity, sizeof *blocks->owners))
        blocks->owners[blocks->owner_count++] =
            (struct liveobj_block_owner){object, number, address};
}

void liveobj_blocks_prepare(struct liveobj_blocks *blocks) {
    if (blocks->addresses.count)
        blocks->bytes =
            liveobj_os_map(((size_t)blocks->addresses.count + 1) * sizeof *blocks->bytes);
}

void liveobj_blocks_note(struct liveobj_blocks *blocks, uintptr_t content, uint64_t bytes) {
    if (blocks->bytes)
        blocks->bytes[liveobj_address_find(&blocks->addresses, content)] = bytes;
}

// MARK: - Mappings

struct search {
    struct liveobj_blocks *blocks;
    const struct liveobj_memory_range *range;
    uintptr_t content;
};

static void read_mapped_chunk(void *context) {
    enum { HEADER = 2 * sizeof(uintptr_t) };
    const struct search *search = context;
    uintptr_t bytes = liveobj_chunk_mapped_bytes(search->content - HEADER, search->range->end);
    if (bytes)
        liveobj_blocks_note(search->blocks, search->content, bytes - HEADER);
}

static const struct liveobj_memory_range *range_of(const struct liveobj_roots *roots,
                                                   uintptr_t address) {
    for (uint32_t i = 0; i < roots->count; i++)
        if (address >= roots->ranges[i].start && address < roots->ranges[i].end)
            return roots->ranges[i].kind == LIVEOBJ_ROOT_C_MEMORY ? &roots->ranges[i] : NULL;
    return NULL;
}

void liveobj_blocks_find_mapped(struct liveobj_blocks *blocks, const struct liveobj_roots *roots) {
    for (uint32_t i = 0; i < blocks->owner_count && blocks->bytes; i++) {
        struct search search = {.blocks = blocks, .content = blocks->owners[i].address};
        bool may_be_mapped = search.content % LIVEOBJ_PAGE_BYTES == ALIGNMENT;
        search.range = may_be_mapped ? range_of(roots, search.content - ALIGNMENT) : NULL;
        liveobj_snapshot_advance();
        if (search.range)
            liveobj_snapshot_step(read_mapped_chunk, &search);
    }
}

LIVEOBJ_ANY_MEMORY_END

#endif
