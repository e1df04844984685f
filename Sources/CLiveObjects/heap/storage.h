// storage.h - the classes behind arrays, dictionaries and sets: elements follow their properties.

#ifndef LIVEOBJ_STORAGE_H
#define LIVEOBJ_STORAGE_H

#include "layout.h"

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
