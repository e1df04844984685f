// layout.c - compiles layouts and caches them.
//
// Owns the tables of compiled layouts. They are compiled with the lock of captures. layout_value.c
// has the layout of each kind of type, layout_fields.c that of stored properties.

#if defined(__linux__)

#include "layout/layout.h"
#include "metadata/address_table.h"
#include "metadata/labels.h"
#include "metadata/metadata.h"
#include "os/os.h"

#include <string.h>

static struct liveobj_metadata_table values, classes;

// MARK: - Builder

/// The memory of an earlier builder, for the next one.
static struct liveobj_layout_builder spare;

static void take_spare(struct liveobj_layout_builder *builder) {
    builder->slots = spare.slots;
    builder->capacity = spare.capacity;
    spare = (struct liveobj_layout_builder){0};
}

static void leave_spare(const struct liveobj_layout_builder *builder) {
    if (spare.slots)
        liveobj_os_unmap(builder->slots, builder->capacity * sizeof *builder->slots);
    else
        spare = *builder;
}

void liveobj_layout_add_slot(struct liveobj_layout_builder *builder, struct liveobj_slot slot) {
    if (!builder->slots)
        take_spare(builder);
    if (builder->count == LIVEOBJ_SLOTS_LIMIT)
        builder->is_precise = false;
    else if (liveobj_os_make_room((void **)&builder->slots, builder->count, &builder->capacity,
                                  sizeof slot))
        builder->slots[builder->count++] = slot;
    else
        builder->failed = true;
}

void liveobj_layout_add_reference(struct liveobj_layout_builder *builder, size_t offset,
                                  uint32_t label) {
    liveobj_layout_add_slot(builder, (struct liveobj_slot){.offset = (uint32_t)offset,
                                                           .bytes = sizeof(uintptr_t),
                                                           .label = label,
                                                           .kind = LIVEOBJ_SLOT_REFERENCE});
}

void liveobj_layout_add_words(struct liveobj_layout_builder *builder, size_t offset, size_t bytes,
                              uint32_t label) {
    builder->is_precise = false;
    liveobj_layout_add_slot(
        builder,
        (struct liveobj_slot){.offset = (uint32_t)offset,
                              .bytes = (uint32_t)bytes,
                              .label = liveobj_label_with(label, LIVEOBJ_OWNERSHIP_CONSERVATIVE),
                              .kind = LIVEOBJ_SLOT_WORDS});
}

const struct liveobj_layout *liveobj_layout_finish(struct liveobj_layout_builder *builder) {
    size_t bytes = builder->count * sizeof *builder->slots;
    struct liveobj_layout *layout = liveobj_metadata_table_allocate(sizeof *layout + bytes);
    if (builder->failed)
        layout = NULL;
    if (layout) {
        struct liveobj_slot *slots = (struct liveobj_slot *)(layout + 1);
        if (bytes)
            memcpy(slots, builder->slots, bytes);
        *layout = (struct liveobj_layout){slots, builder->count, builder->is_precise, false};
        for (uint32_t i = 0; i < builder->count; i++)
            layout->has_references |= slots[i].kind < LIVEOBJ_SLOT_NUMBER;
    }
    leave_spare(builder);
    return layout;
}

// MARK: - Values

const struct liveobj_layout *liveobj_layout_of_value(uintptr_t type) {
    return liveobj_layout_of_value_within(type, 0);
}

const struct liveobj_layout *liveobj_layout_of_value_within(uintptr_t type, uint32_t depth) {
    const struct liveobj_layout *known = liveobj_metadata_table_get(&values, type);
    if (known)
        return known;
    struct liveobj_layout_builder builder = {.is_precise = true, .depth = depth};
    uint32_t label = liveobj_label_make(LIVEOBJ_LABEL_PROPERTY, LIVEOBJ_OWNERSHIP_STRONG, "");
    liveobj_layout_add_value(&builder, type, 0, label);
    return liveobj_metadata_table_put(&values, type, liveobj_layout_finish(&builder));
}

bool liveobj_layout_is_known(uintptr_t type) {
    return liveobj_metadata_table_get(&values, type) != NULL;
}

// MARK: - Instances

/// Adds the part of an instance that belongs to a class without reflection metadata: it is scanned.
static void add_unknown_fields(struct liveobj_layout_builder *builder, uintptr_t metadata) {
    enum { HEADER_BYTES = 16 };
    uintptr_t superclass = liveobj_superclass_of(metadata);
    size_t start = superclass ? liveobj_instance_size(superclass) : HEADER_BYTES;
    size_t end = liveobj_instance_size(metadata);
    uint32_t label = liveobj_label_make(LIVEOBJ_LABEL_MEMORY, LIVEOBJ_OWNERSHIP_CONSERVATIVE, "");
    if (start < end)
        liveobj_layout_add_words(builder, start, end - start, label);
}

static void add_class(struct liveobj_layout_builder *builder, uintptr_t metadata) {
    for (uintptr_t level = metadata; level; level = liveobj_superclass_of(level)) {
        struct liveobj_fields fields = liveobj_fields_of(level);
        if (fields.is_known)
            liveobj_layout_add_fields(builder, level, 0, 0);
        else
            add_unknown_fields(builder, level);
    }
}

const struct liveobj_layout *liveobj_layout_of_class(uintptr_t metadata) {
    const struct liveobj_layout *known = liveobj_metadata_table_get(&classes, metadata);
    if (known)
        return known;
    struct liveobj_layout_builder builder = {.is_precise = true};
    add_class(&builder, metadata);
    return liveobj_metadata_table_put(&classes, metadata, liveobj_layout_finish(&builder));
}

#endif
