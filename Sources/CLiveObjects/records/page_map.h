// page_map.h - maps an address to a record's index, without locks.
//
// Two levels, as in tcmalloc: a root of pointers to leaves, and leaves of one 4-byte index per
// granule of address space. Both are reserved as address space and get memory page by page on first
// access.
//
//   root[granule >> LEAF_BITS]  ->  leaf[the rest of the granule]  ->  record index, 0 for none
//
// A granule is 32 bytes if the allocator never begins two blocks in one, which is so for glibc's,
// and else 16. Half the map means half the cache misses, and those are most of the cost of
// tracking.
//
// A slot (an entry of a leaf) is written only by the thread that allocates or deallocates the
// object at its address; the allocator orders those two for one address. The functions are inline,
// because they run in every hook.

#pragma once

#include "arch/address.h"
#include "os/arena.h"
#include "os/compiler.h"

enum {
    LIVEOBJ_SMALL_GRANULE_BITS = 4,
    LIVEOBJ_LARGE_GRANULE_BITS = 5,
    // 21 or 22. Of all splits this one reserves the least address space for the root and one leaf,
    // which limits may count.
    LIVEOBJ_LEAF_BITS = (LIVEOBJ_ADDRESS_BITS - 4) / 2,
    LIVEOBJ_REGION_BITS = 36,
};

#define LIVEOBJ_LEAF_BYTES (sizeof(uint32_t) << LIVEOBJ_LEAF_BITS)

struct liveobj_page_map {
    uint32_t **root;
    uint32_t granule_bits;
    /// Whether a leaf was ever added in a region of the address space. Atomic.
    bool has_leaf[UINT32_C(1) << (LIVEOBJ_ADDRESS_BITS - LIVEOBJ_REGION_BITS)];
};

static inline bool liveobj_page_map_start(struct liveobj_page_map *map, uint32_t granule_bits) {
    uint32_t root_bits = LIVEOBJ_ADDRESS_BITS - LIVEOBJ_LEAF_BITS - granule_bits;
    map->granule_bits = granule_bits;
    map->root = liveobj_os_map_charged(sizeof(uint32_t *) << root_bits, false);
    return map->root != NULL;
}

/// Adds a leaf. If two threads try at once, both use the leaf of the first.
static inline void liveobj_page_map_add_leaf(struct liveobj_page_map *map, uintptr_t address) {
    uint32_t **entry = &map->root[address >> map->granule_bits >> LIVEOBJ_LEAF_BITS];
    uint32_t *leaf = liveobj_os_map_charged(LIVEOBJ_LEAF_BYTES, false);
    uint32_t *present = NULL;
    if (!leaf)
        return;
    // Relaxed: the release below orders this store before the leaf.
    __atomic_store_n(&map->has_leaf[address >> LIVEOBJ_REGION_BITS], true, __ATOMIC_RELAXED);
    // Release: the zeroed leaf before its address. Acquire: the other thread's leaf, if it was
    // first.
    if (!__atomic_compare_exchange_n(entry, &present, leaf, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE))
        liveobj_os_unmap_charged(leaf, LIVEOBJ_LEAF_BYTES, false);
}

/// The slot of any address; NULL if its part of the address space has no leaf.
static inline uint32_t *liveobj_page_map_find(const struct liveobj_page_map *map,
                                              uintptr_t address) {
    if (LIVEOBJ_UNLIKELY(address >> LIVEOBJ_ADDRESS_BITS))
        return NULL;
    uintptr_t granule = address >> map->granule_bits;
    // Acquire: pairs with the release that published the leaf.
    uint32_t *leaf = __atomic_load_n(&map->root[granule >> LIVEOBJ_LEAF_BITS], __ATOMIC_ACQUIRE);
    return LIVEOBJ_LIKELY(leaf != NULL) ? &leaf[granule & ((1u << LIVEOBJ_LEAF_BITS) - 1)] : NULL;
}

/// A cheap filter for arbitrary words: false for most that are not addresses of objects. Looking
/// each of them up would access all of the root, page by page.
static inline bool liveobj_page_map_may_find(const struct liveobj_page_map *map,
                                             uintptr_t address) {
    // Relaxed: a thread that knows of an object there has seen this store.
    return address >> LIVEOBJ_ADDRESS_BITS == 0 &&
           __atomic_load_n(&map->has_leaf[address >> LIVEOBJ_REGION_BITS], __ATOMIC_RELAXED);
}
