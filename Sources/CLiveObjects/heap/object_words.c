// object_words.c - see object_words.h. Owns nothing. Outside of hooks.

#if defined(__linux__)

#include "object_words.h"
#include "storage.h"

struct array_header {
    uint64_t count;
    uint64_t double_capacity;
};

/// A count that nobody has written yet leads nowhere.
static uintptr_t end_of_elements(const struct liveobj_object *object, uintptr_t metadata,
                                 const struct array_header *header) {
    if (header->count > header->double_capacity / 2 || header->count > object->bytes)
        return object->address + object->bytes;
    size_t bytes = liveobj_array_element_offset(metadata, header->count);
    return object->address + (bytes < liveobj_array_room(object->bytes) ? bytes : object->bytes);
}

struct liveobj_words liveobj_words_of(const struct liveobj_object *object,
                                      struct liveobj_reader *reader) {
    enum { HEADER_BYTES = 16, SEED_OFFSET = 40 };
    struct array_header header;
    struct liveobj_type type = liveobj_type_of(object, reader);
    struct liveobj_words words = {
        .start = object->address + (type.kind == LIVEOBJ_TYPE_RAW_BUFFER ? 0 : HEADER_BYTES),
        .end = object->address + (object->bytes & ~(sizeof(uintptr_t) - 1))};
    if (type.kind != LIVEOBJ_TYPE_CLASS)
        return words;
    switch (liveobj_storage_kind_of(type.metadata)) {
    case LIVEOBJ_STORAGE_TEXT:
        words.end = words.start;
        break;
    case LIVEOBJ_STORAGE_ARRAY:
        if (liveobj_read(reader, words.start, &header, sizeof header))
            words.end = end_of_elements(object, type.metadata, &header);
        break;
    case LIVEOBJ_STORAGE_DICTIONARY: // hash with the address of their first storage
    case LIVEOBJ_STORAGE_SET:
        words.seed = object->address + SEED_OFFSET;
        break;
    case LIVEOBJ_STORAGE_NONE:
        break;
    }
    return words;
}

#endif
