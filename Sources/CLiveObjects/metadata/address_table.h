// address_table.h - numbers addresses from 1, in the order in which they are first seen.
//
// A hash table with open addressing, in memory from the system. Owned by one capture; no locks.

#pragma once

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

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

#pragma GCC visibility pop
