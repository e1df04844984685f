// layout_table.h - what was compiled, by the address of the metadata it was compiled from.

#ifndef LIVEOBJ_LAYOUT_TABLE_H
#define LIVEOBJ_LAYOUT_TABLE_H

#include "address_table.h"

#include <stddef.h>

#pragma GCC visibility push(hidden)

/// Zeroed memory is an empty table.
struct liveobj_layout_table {
    struct liveobj_address_table numbers;
    const void **items; // by number
    size_t capacity;
};

/// NULL for what is not there.
const void *liveobj_layout_table_get(const struct liveobj_layout_table *table, uintptr_t metadata);
/// \returns `item`, or NULL if there is no memory to keep it.
const void *liveobj_layout_table_put(struct liveobj_layout_table *table, uintptr_t metadata,
                                     const void *item);

/// Memory that is never given back; zeroed. NULL if there is none.
void *liveobj_layout_allocate(size_t bytes);

#pragma GCC visibility pop

#endif
