// walk_blocks.c - writes the blocks of the C library's allocator that objects point to.
//
// An object whose references could not be read may have added some of its blocks.

#if defined(__linux__)

#include "metadata/metadata.h"
#include "os/compiler.h"
#include "os/os.h"
#include "os/step.h"
#include "snapshot/walk.h"

LIVEOBJ_ANY_MEMORY_BEGIN

/// The end of what an object has by its type. Elements are not searched: most are no pointers.
static uintptr_t end_of_properties(const struct liveobj_object *object,
                                   const struct liveobj_type *type) {
    uintptr_t end = object->address + object->bytes;
    if (type->kind != LIVEOBJ_TYPE_CLASS)
        return end;
    uintptr_t end_of_instance = object->address + liveobj_instance_size(type->metadata);
    return end_of_instance < end ? end_of_instance : end;
}

static bool may_be_block(const struct liveobj_walk *walk, const struct liveobj_type *type,
                         uintptr_t place) {
    uintptr_t word = *(const uintptr_t *)place;
    return liveobj_blocks_may_have(word) && !liveobj_walk_find(walk, word) &&
           !liveobj_references_is_number(&walk->object, type, place);
}

void liveobj_walk_find_blocks(struct liveobj_walk *walk, const struct liveobj_type *type) {
    enum { HEADER_BYTES = 16 };
    uintptr_t end = end_of_properties(&walk->object, type);
    for (uintptr_t place = walk->object.address + HEADER_BYTES; place + sizeof place <= end;
         place += sizeof place) {
        liveobj_snapshot_advance();
        if (may_be_block(walk, type, place))
            liveobj_blocks_add(&walk->blocks, liveobj_walk_ordinal(walk),
                               *(const uintptr_t *)place);
    }
}

/// \param numbers The blocks that were written, by the numbers of their addresses.
static void put_block(struct liveobj_section *section, const struct liveobj_blocks *blocks,
                      struct liveobj_block_owner owner, uint32_t *numbers) {
    struct {
        uint32_t object, block;
        uint64_t bytes;
    } record = {owner.object, numbers[owner.number] - 1, blocks->bytes[owner.number]};
    _Static_assert(sizeof record == 16, "as the format says");
    liveobj_section_reserve(section, sizeof record);
    liveobj_put(section, &record, sizeof record);
}

static void put_blocks(struct liveobj_walk *walk, struct liveobj_section *section,
                       uint32_t *numbers) {
    const struct liveobj_blocks *blocks = &walk->blocks;
    uint32_t count = 0;
    for (uint32_t i = 0; i < blocks->owner_count; i++) {
        struct liveobj_block_owner owner = blocks->owners[i];
        liveobj_snapshot_advance();
        if (!blocks->bytes[owner.number])
            continue;
        if (!numbers[owner.number])
            numbers[owner.number] = ++count;
        put_block(section, blocks, owner, numbers);
    }
}

void liveobj_walk_write_blocks(struct liveobj_walk *walk) {
    struct liveobj_section section;
    if (!walk->blocks.bytes)
        return;
    liveobj_blocks_find_mapped(&walk->blocks, walk->roots);
    uint32_t *numbers =
        liveobj_os_map(((size_t)walk->blocks.addresses.count + 1) * sizeof *numbers);
    if (numbers && liveobj_section_start(&section, &walk->stream, "BLCK")) {
        put_blocks(walk, &section, numbers);
        liveobj_section_finish(&section);
    }
}

LIVEOBJ_ANY_MEMORY_END

#endif
