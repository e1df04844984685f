// types.c - gets kinds from metadata, and numbers the types of a capture.
//
// Metadata layouts are those of the Swift ABI (docs/ABI/TypeMetadata.rst of swiftlang/swift). Owns
// the memory of type tables. Runs outside of hooks.

#if defined(__linux__)

#include "metadata/types.h"
#include "metadata/metadata.h"
#include "os/os.h"
#include "runtime/image.h"
#include "runtime/runtime.h"

#include <string.h>

uint32_t liveobj_type_capture_count(const struct liveobj_type *type) {
    struct liveobj_image image;
    if (type->kind != LIVEOBJ_TYPE_CLOSURE_CONTEXT_OR_BOX)
        return 0;
    uintptr_t descriptor = liveobj_word(type->metadata, 2);
    if (!descriptor || !liveobj_image_of(type->metadata, &image) ||
        !liveobj_image_contains(&image, descriptor, 0))
        return 0;
    return *(const uint32_t *)descriptor;
}

LIVEOBJ_HOOK bool liveobj_type_is_task(uintptr_t header) {
    uintptr_t *task = liveobj_runtime_current()->_swift_concurrency_debug_asyncTaskMetadata;
    return task && *task == header;
}

// MARK: - Table

static bool make_room(struct liveobj_type_table *table, uint32_t capacity) {
    *table = (struct liveobj_type_table){
        .types = liveobj_os_map(capacity / 2 * sizeof *table->types),
        .slots = liveobj_os_map(capacity * sizeof *table->slots),
        .capacity = capacity,
    };
    return table->types && table->slots;
}

bool liveobj_type_table_start(struct liveobj_type_table *table) {
    enum { FIRST_CAPACITY = 1024 };
    return make_room(table, FIRST_CAPACITY);
}

void liveobj_type_table_end(struct liveobj_type_table *table) {
    liveobj_os_unmap(table->types, table->capacity / 2 * sizeof *table->types);
    liveobj_os_unmap(table->slots, table->capacity * sizeof *table->slots);
    *table = (struct liveobj_type_table){0};
}

static bool is_same(const struct liveobj_type *one, const struct liveobj_type *other) {
    return one->metadata == other->metadata && one->subject == other->subject &&
           one->kind == other->kind;
}

/// The slot of the type; if the table does not have it, the free one where it belongs.
static uint32_t *slot_of(const struct liveobj_type_table *table, const struct liveobj_type *type) {
    // Metadata is aligned and close together: a multiplication spreads it.
    uint64_t hash = (type->metadata ^ type->subject << 7) * UINT64_C(0x9e3779b97f4a7c15);
    uint32_t slot = (uint32_t)(hash >> 32) & (table->capacity - 1);
    while (table->slots[slot] && !is_same(&table->types[table->slots[slot]], type))
        slot = (slot + 1) & (table->capacity - 1);
    return &table->slots[slot];
}

static void add(struct liveobj_type_table *table, const struct liveobj_type *type) {
    uint32_t *slot = slot_of(table, type);
    *slot = ++table->count;
    table->types[*slot] = *type;
}

static bool grow(struct liveobj_type_table *table) {
    struct liveobj_type_table larger;
    if (!make_room(&larger, table->capacity * 2)) {
        liveobj_type_table_end(&larger);
        return false;
    }
    for (uint32_t id = 1; id <= table->count; id++)
        add(&larger, &table->types[id]);
    liveobj_type_table_end(table);
    *table = larger;
    return true;
}

uint32_t liveobj_type_table_id(struct liveobj_type_table *table, const struct liveobj_type *type,
                               bool *is_new) {
    uint32_t id = *slot_of(table, type);
    *is_new = id == 0;
    if (id)
        return id;
    // The last entry of `types` is that of the greatest id.
    if (table->count + 1 >= table->capacity / 2 && !grow(table))
        return 0;
    add(table, type);
    return table->count;
}

#endif
