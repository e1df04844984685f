// capture_types.c - writes the types of a capture's objects.
//
// Owns the table of one capture.

#if defined(__linux__)

#include "capture/capture.h"

#include <string.h>

static uint32_t type_id_of(struct liveobj_captured_types *types,
                           const struct liveobj_object *object, struct liveobj_reader *reader,
                           bool *is_new) {
    struct liveobj_type type = liveobj_type_of(object, reader);
    uint32_t id = liveobj_type_table_id(&types->table, &type, is_new);
    if (type.kind !=
        LIVEOBJ_TYPE_ERROR_BOX) { // the type of an error box depends on more than its metadata
        types->last.metadata = object->metadata;
        types->last.id = id;
    }
    return id;
}

uint32_t liveobj_captured_type_id(struct liveobj_captured_types *types,
                                  const struct liveobj_object *object,
                                  struct liveobj_reader *reader, bool *is_new) {
    *is_new = false;
    bool is_same =
        object->metadata == types->last.metadata && object->metadata != LIVEOBJ_METADATA_IN_HEADER;
    return is_same ? types->last.id : type_id_of(types, object, reader, is_new);
}

void liveobj_put_type(struct liveobj_section *section, uint32_t id, const struct liveobj_type *type,
                      struct liveobj_captured_images *images) {
    char shortened[LIVEOBJ_SHORT_NAME_BYTES];
    struct liveobj_name name = liveobj_type_name(type, shortened);
    liveobj_section_reserve(section, LIVEOBJ_STRING_LIMIT + 64);
    liveobj_put_u32(section, id);
    liveobj_put_u32(section, type->kind);
    liveobj_put_u64(section, type->metadata);
    liveobj_put_u32(section, liveobj_captured_image_id(images, type->metadata));
    liveobj_put_u32(section, liveobj_type_capture_count(type));
    liveobj_put_string(section, name.text, name.length);
}

// MARK: - SUPR

enum { SUPERCLASSES_LIMIT = 64 }; // more than any class has

/// \returns the number of superclasses.
static uint32_t list_superclasses(uintptr_t metadata,
                                  struct liveobj_type superclasses[SUPERCLASSES_LIMIT]) {
    uint32_t count = 0;
    while (count < SUPERCLASSES_LIMIT && (metadata = ((const uintptr_t *)metadata)[1]))
        superclasses[count++] = (struct liveobj_type){metadata, metadata, LIVEOBJ_TYPE_CLASS};
    return count;
}

static void put_superclasses(struct liveobj_section *section, uint32_t id,
                             const struct liveobj_type *type) {
    struct liveobj_type superclasses[SUPERCLASSES_LIMIT];
    enum { NAME_LIMIT = LIVEOBJ_RECORD_LIMIT / SUPERCLASSES_LIMIT - 8 };
    uint32_t count = list_superclasses(type->metadata, superclasses);
    if (count == 0)
        return;
    liveobj_section_reserve(section, LIVEOBJ_RECORD_LIMIT - 1);
    liveobj_put_u32(section, id);
    liveobj_put_u32(section, count);
    for (uint32_t i = 0; i < count; i++) {
        char shortened[LIVEOBJ_SHORT_NAME_BYTES];
        struct liveobj_name name = liveobj_type_name(&superclasses[i], shortened);
        liveobj_put_string(section, name.text, name.length < NAME_LIMIT ? name.length : NAME_LIMIT);
    }
}

void liveobj_write_superclasses(struct liveobj_stream *stream,
                                const struct liveobj_captured_types *types) {
    struct liveobj_section section;
    if (!liveobj_section_start(&section, stream, "SUPR"))
        return;
    for (uint32_t id = 1; id <= types->table.numbers.count; id++)
        if (types->table.types[id].kind == LIVEOBJ_TYPE_CLASS)
            put_superclasses(&section, id, &types->table.types[id]);
    liveobj_section_finish(&section);
}

#endif
