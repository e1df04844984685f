// blocks.h - blocks of glibc's malloc that objects point to and that are no objects themselves:
// the bytes of Foundation's Data, a buffer of C code. Their sizes are found while the heaps of the
// C library are read.
//
// In the snapshot process only.

#pragma once

#include "metadata/address_table.h"
#include "roots/roots.h"

#pragma GCC visibility push(hidden)

struct liveobj_block_owner {
    uint32_t object; // counted from 0
    uint32_t number; // of the address
    uintptr_t address;
};

struct liveobj_blocks {
    struct liveobj_address_table addresses; // that may be those of blocks
    uint64_t *bytes;                        // by number; 0: no block
    struct liveobj_block_owner *owners;     // in the order in which they were added
    uint32_t owner_count;
    uint32_t owner_capacity;
};

/// Whether malloc may have returned the word.
bool liveobj_blocks_may_have(uintptr_t word);
/// Adds an address to which an object points. Without memory, the block is not counted.
void liveobj_blocks_add(struct liveobj_blocks *blocks, uint32_t object, uintptr_t address);

/// Makes room for the sizes of all addresses that were added.
void liveobj_blocks_prepare(struct liveobj_blocks *blocks);
/// Notes a chunk that is in use.
void liveobj_blocks_note(struct liveobj_blocks *blocks, uintptr_t content, uint64_t bytes);
/// Finds the blocks that have a mapping of their own, and are in no heap.
void liveobj_blocks_find_mapped(struct liveobj_blocks *blocks, const struct liveobj_roots *roots);

#pragma GCC visibility pop
