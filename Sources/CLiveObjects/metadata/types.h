// types.h - types by their metadata: kind, name, and a number for each.

#pragma once

#include "metadata/address_table.h"
#include "os/compiler.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// Values in place of metadata, for memory without metadata or with metadata only in its header.
enum {
    LIVEOBJ_METADATA_RAW_BUFFER = 1,
    LIVEOBJ_METADATA_IN_HEADER = 2,
    LIVEOBJ_METADATA_TASK = 3,
};

/// Kinds as the capture format numbers them.
enum liveobj_type_kind {
    LIVEOBJ_TYPE_CLASS = 1,
    LIVEOBJ_TYPE_CLOSURE_CONTEXT_OR_BOX = 2,
    LIVEOBJ_TYPE_GENERIC_BOX = 3,
    LIVEOBJ_TYPE_ERROR_BOX = 4,
    LIVEOBJ_TYPE_RAW_BUFFER = 5,
    LIVEOBJ_TYPE_OTHER = 6,
    LIVEOBJ_TYPE_TASK = 7,
};

struct liveobj_type {
    uintptr_t metadata;
    /// The metadata with the type's name: its own, or that of the boxed value; 0 for none.
    uintptr_t subject;
    enum liveobj_type_kind kind;
};

/// Whether `header`, the first word of an object, is that of an asynchronous task. A task is
/// recorded before the runtime has written its header.
LIVEOBJ_HOOK bool liveobj_type_is_task(uintptr_t header);

/// The number of values in a closure context or box; 0 for other kinds, and without reflection
/// metadata.
uint32_t liveobj_type_capture_count(const struct liveobj_type *type);

// MARK: - type_names.c

struct liveobj_name {
    const char *text;
    size_t length;
};
/// A name in which more types than these are nested is shortened to that of the outermost one:
/// `Demo.Parser<…>`. The whole name of a type that nests twelve levels may have 4,096 others.
enum { LIVEOBJ_TYPES_IN_NAME = 64, LIVEOBJ_SHORT_NAME_BYTES = 512 };
/// The type's name as the runtime writes it; empty for none. The runtime allocates and locks here.
/// \param shortened The memory of a name that is shortened.
struct liveobj_name liveobj_type_name(const struct liveobj_type *type,
                                      char shortened[LIVEOBJ_SHORT_NAME_BYTES]);
/// The number of types in the name of this one, itself included; counts up to `most`.
uint32_t liveobj_type_size(uintptr_t metadata, uint32_t most);

/// Types by id. Ids count from 1, in the order in which the types were first seen. Zeroed memory is
/// an empty table.
struct liveobj_type_table {
    struct liveobj_address_table numbers; // its count is the highest id
    struct liveobj_type *types;           // by id
    uint32_t capacity;                    // of `types`
};
/// Finds or adds a type.
/// \returns Its id; 0 if there is no memory. `is_new` says whether it is not in the table yet.
uint32_t liveobj_type_table_id(struct liveobj_type_table *table, const struct liveobj_type *type,
                               bool *is_new);
void liveobj_type_table_end(struct liveobj_type_table *table);

// MARK: - declared_types.c

/// Whether a text is a part of the name of a type or protocol that an image declares, or begins
/// with such a name and a dot, as a method does. Names are those of watched_types.h. True if
/// unknown.
bool liveobj_type_is_declared(const char *text);

#pragma GCC visibility pop
