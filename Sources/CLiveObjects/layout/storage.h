// storage.h - the storage classes of arrays, dictionaries and sets, whose elements follow the
// stored properties.

#pragma once

#include "layout/layout.h"
#include "os/os.h"
#include "records/records.h"

#pragma GCC visibility push(hidden)

enum liveobj_storage_kind {
    LIVEOBJ_STORAGE_NONE, // the memory after the properties is unknown
    LIVEOBJ_STORAGE_ARRAY,
    LIVEOBJ_STORAGE_DICTIONARY,
    LIVEOBJ_STORAGE_SET,
    LIVEOBJ_STORAGE_TEXT, // of a string: refers to its breadcrumbs at most
};

/// The kind of storage that a class is. Reads metadata only.
enum liveobj_storage_kind liveobj_storage_kind_of(uintptr_t metadata);

/// The offset of an element from the start of an array's storage. Reads metadata only.
size_t liveobj_array_element_offset(uintptr_t metadata, size_t index);

/// The stride of the values of a generic argument in the elements. Reads metadata only.
size_t liveobj_storage_stride(uintptr_t metadata, size_t argument);

/// `__RawDictionaryStorage` of the standard library, with the object's header. A set has no
/// `values`. A bitmap follows, with a bit for each bucket, set if the bucket is occupied.
struct liveobj_hash_table {
    uint64_t header[2];
    uint64_t count;
    uint64_t capacity;
    uint8_t scale;
    uint8_t reserved[7];
    uint64_t seed; // in most tables: the address of the first storage
    uintptr_t keys;
    uintptr_t values;
};
_Static_assert(sizeof(struct liveobj_hash_table) == 64, "as the standard library has it");

/// \returns 0 for a scale that no table has.
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

/// The maximum number of bytes in an array's or a ManagedBuffer's storage that was requested with
/// `bytes`. They use all that the allocator returned, at most a quarter or a page more than was
/// requested.
static inline uint64_t liveobj_array_room(uint64_t bytes) {
    return bytes + bytes / 4 + liveobj_os_page_bytes();
}

/// Where a string's storage refers to its breadcrumbs, an index of UTF-16 offsets: behind the room
/// for the text. The first word behind the header has the size of that room, and a flag for the
/// reference (the standard library's StringStorage.swift).
/// \param bytes Of the object, as requested.
/// \returns 0 if the string has none.
static inline uintptr_t liveobj_text_breadcrumbs(uintptr_t object, uint64_t capacity_and_flags,
                                                 uint64_t bytes) {
    enum { CODE_UNITS = 32 };
    static const uint64_t has_breadcrumbs = UINT64_C(1) << 63, room = (UINT64_C(1) << 48) - 1;
    uint64_t offset = liveobj_round_up(CODE_UNITS + (capacity_and_flags & room), sizeof(uintptr_t));
    bool is_there = capacity_and_flags & has_breadcrumbs &&
                    offset + sizeof(uintptr_t) <= liveobj_array_room(bytes);
    return is_there ? object + offset : 0;
}

/// The elements that follow a class's stored properties.
struct liveobj_storage {
    enum liveobj_storage_kind kind;
    const struct liveobj_layout *elements; // keys of a dictionary; NULL if memory could not be had
    const struct liveobj_layout *values;
    size_t element_stride;
    size_t value_stride;
    size_t first_element; // of an array: from the start of the object
    size_t data_length;   // of Foundation's Data: from the start of the object; 0 for others
    bool is_managed_buffer;
    bool is_dispatch_object; // a wrapper of an object of libdispatch: its first property
};

/// Returns NULL if memory could not be had.
const struct liveobj_storage *liveobj_storage_of(uintptr_t metadata);

#pragma GCC visibility pop
