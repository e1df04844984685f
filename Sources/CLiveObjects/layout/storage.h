// storage.h - the classes behind arrays, dictionaries and sets: elements follow their properties.

#ifndef LIVEOBJ_STORAGE_H
#define LIVEOBJ_STORAGE_H

#include "layout/layout.h"
#include "os/os.h"
#include "records/records.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

enum liveobj_storage_kind {
    LIVEOBJ_STORAGE_NONE, // what follows the properties is not known
    LIVEOBJ_STORAGE_ARRAY,
    LIVEOBJ_STORAGE_DICTIONARY,
    LIVEOBJ_STORAGE_SET,
    LIVEOBJ_STORAGE_TEXT, // of a string: no references
};

/// Which of them a class is. Reads metadata only.
enum liveobj_storage_kind liveobj_storage_kind_of(uintptr_t metadata);

/// Where an element of an array's storage begins, from the start of the object. Reads metadata
/// only.
size_t liveobj_array_element_offset(uintptr_t metadata, size_t index);

/// How far apart the values of a generic argument lie in the elements. Reads metadata only.
size_t liveobj_storage_stride(uintptr_t metadata, size_t argument);

/// `__RawDictionaryStorage` of the standard library, with the object's header. A set has no values;
/// a bit for each bucket follows that is taken.
struct liveobj_hash_table {
    uint64_t header[2];
    uint64_t count;
    uint64_t capacity;
    uint8_t scale;
    uint8_t reserved[7];
    uint64_t seed; // of most: the address of the first storage
    uintptr_t keys;
    uintptr_t values;
};
_Static_assert(sizeof(struct liveobj_hash_table) == 64, "as the standard library has it");

/// \returns 0 for a scale that none has.
static inline uint64_t liveobj_bucket_count(const struct liveobj_hash_table *table) {
    enum { SCALE_LIMIT = 40 };
    return table->scale <= SCALE_LIMIT ? UINT64_C(1) << table->scale : 0;
}

static inline size_t liveobj_bitmap_offset(bool has_values) {
    return has_values ? sizeof(struct liveobj_hash_table)
                      : offsetof(struct liveobj_hash_table, values);
}

static inline bool liveobj_buckets_lie_inside(uintptr_t first, uint64_t count, size_t stride,
                                              const struct liveobj_object *object) {
    uintptr_t offset = first - object->address;
    return stride == 0 || (offset <= object->bytes && count <= (object->bytes - offset) / stride);
}

/// The most that an array's storage of so many bytes can hold. Arrays use all that the allocator
/// gave, at most a quarter or a page more than was asked for.
static inline uint64_t liveobj_array_room(uint64_t bytes) {
    return bytes + bytes / 4 + LIVEOBJ_PAGE_BYTES;
}

/// What a class has after its stored properties.
struct liveobj_storage {
    enum liveobj_storage_kind kind;
    const struct liveobj_layout *elements; // keys of a dictionary; NULL if they hold nothing
    const struct liveobj_layout *values;
    size_t element_stride;
    size_t value_stride;
    size_t first_element; // of an array: from the start of the object
};

/// NULL if there is no memory.
const struct liveobj_storage *liveobj_storage_of(uintptr_t metadata);

#pragma GCC visibility pop

#endif
