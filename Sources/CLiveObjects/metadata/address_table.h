// address_table.h - tables by address, in memory from the system. No locks.

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// Numbers addresses, or other words, from 1, in the order in which they are first seen. A hash
/// table with open addressing.
struct liveobj_address_table {
    struct liveobj_numbered_address *slots;
    uint32_t count;
    uint32_t capacity; // a power of two
};

/// The number of an address other than 0, which gets one if it has none; 0 if there is no memory.
/// Zeroed memory is an empty table.
uint32_t liveobj_address_number(struct liveobj_address_table *table, uintptr_t address);
/// The number of an address that has one; 0 for others.
uint32_t liveobj_address_find(const struct liveobj_address_table *table, uintptr_t address);
void liveobj_address_table_end(struct liveobj_address_table *table);

// MARK: - Metadata

/// Maps the address of metadata to what was compiled from it, which is cached for later captures.
/// Zeroed memory is an empty table.
struct liveobj_metadata_table {
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

/// Allocates zeroed memory for an item. NULL if there is none.
void *liveobj_metadata_table_allocate(size_t bytes);

#pragma GCC visibility pop
