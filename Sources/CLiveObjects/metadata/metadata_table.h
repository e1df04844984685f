// metadata_table.h - maps the address of metadata to what was compiled from it.

#pragma once

#include "metadata/address_table.h"

#include <stddef.h>

#pragma GCC visibility push(hidden)

/// Zeroed memory is an empty table. Must be static: it stays in the list of all tables.
struct liveobj_metadata_table {
    struct liveobj_metadata_table *next; // in the list of all tables
    bool is_listed;
    struct liveobj_address_table numbers;
    const void **items; // by number
    uint32_t capacity;
};

/// NULL if the table has no item.
const void *liveobj_metadata_table_get(const struct liveobj_metadata_table *table,
                                       uintptr_t metadata);
/// \returns `item`, or NULL if there is no memory for it.
const void *liveobj_metadata_table_put(struct liveobj_metadata_table *table, uintptr_t metadata,
                                       const void *item);

/// Allocates zeroed memory that is freed with all tables. NULL if there is none.
void *liveobj_metadata_table_allocate(size_t bytes);

/// Empties all tables: their items were compiled from metadata that may have been unloaded.
void liveobj_metadata_tables_forget(void);

#pragma GCC visibility pop
