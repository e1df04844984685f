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

/// A word for each type: the metadata that distinguishes it, and the kind in the bits that are 0
/// because metadata is aligned. The metadata of an error box is the runtime's own.
static uintptr_t key_of(const struct liveobj_type *type) {
    bool is_error = type->kind == LIVEOBJ_TYPE_ERROR_BOX && type->subject;
    uintptr_t metadata = is_error ? type->subject : type->metadata;
    return (metadata & ~(sizeof metadata - 1)) | (uintptr_t)type->kind;
}

uint32_t liveobj_type_table_id(struct liveobj_type_table *table, const struct liveobj_type *type,
                               bool *is_new) {
    uintptr_t key = key_of(type);
    uint32_t id = liveobj_address_find(&table->numbers, key);
    *is_new = id == 0;
    if (id || !liveobj_os_make_room((void **)&table->types, table->numbers.count + 1,
                                    &table->capacity, sizeof *table->types))
        return id;
    id = liveobj_address_number(&table->numbers, key);
    if (id)
        table->types[id] = *type;
    return id;
}

void liveobj_type_table_end(struct liveobj_type_table *table) {
    liveobj_address_table_end(&table->numbers);
    liveobj_os_unmap(table->types, table->capacity * sizeof *table->types);
    *table = (struct liveobj_type_table){0};
}

#endif
