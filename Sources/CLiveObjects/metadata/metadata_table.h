// metadata_table.h - what was compiled, by the address of the metadata it was compiled from.

#ifndef LIVEOBJ_METADATA_TABLE_H
#define LIVEOBJ_METADATA_TABLE_H

#include "metadata/address_table.h"

#include <stddef.h>

#pragma GCC visibility push(hidden)

/// Zeroed memory is an empty table. Static: it is listed for good.
struct liveobj_metadata_table {
    struct liveobj_metadata_table *next; // in the list of all tables
    bool is_listed;
    struct liveobj_address_table numbers;
    const void **items; // by number
    size_t capacity;
};

/// NULL for what is not there.
const void *liveobj_metadata_table_get(const struct liveobj_metadata_table *table,
                                       uintptr_t metadata);
/// \returns `item`, or NULL if there is no memory to keep it.
const void *liveobj_metadata_table_put(struct liveobj_metadata_table *table, uintptr_t metadata,
                                       const void *item);

/// Memory that is given back with all tables; zeroed. NULL if there is none.
void *liveobj_metadata_table_allocate(size_t bytes);

/// Empties all tables: what they hold was compiled from metadata that may be gone.
void liveobj_metadata_tables_forget(void);

#pragma GCC visibility pop

#endif
