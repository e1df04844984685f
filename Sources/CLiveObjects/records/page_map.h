// page_map.h - address -> record index, without locks.
//
// Two levels, as in tcmalloc: a root of leaf pointers, leaves of one 4-byte index per granule of
// address space. Both are reserved as address space and take memory page by page on first touch.
//
//   root[granule >> 21]  ->  leaf[granule & (2^21 - 1)]  ->  record index, 0 for none
//
// A granule is 32 bytes where the allocator never begins two blocks in one, which glibc's does not,
// else 16: half the map is half the cache misses, and those are most of what watching costs.
//
// A slot is written only by the thread that allocates or frees the object at its address; the
// allocator orders those two for one address. Inline because both run in every hook.

#ifndef LIVEOBJ_PAGE_MAP_H
#define LIVEOBJ_PAGE_MAP_H

#include "os/address.h"
#include "os/compiler.h"
#include "os/os.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    LIVEOBJ_SMALL_GRANULE_BITS = 4,
    LIVEOBJ_LARGE_GRANULE_BITS = 5,
    // Of root and leaves together this is the least address space, which limits may count.
    LIVEOBJ_LEAF_BITS = 21,
    LIVEOBJ_REGION_BITS = 36,
};

#define LIVEOBJ_LEAF_BYTES (sizeof(uint32_t) << LIVEOBJ_LEAF_BITS)

struct liveobj_page_map {
    uint32_t **root;
    uint32_t granule_bits;
    /// By region of the address space: whether a leaf was ever added there. Atomic.
    bool has_leaf[UINT32_C(1) << (LIVEOBJ_ADDRESS_BITS - LIVEOBJ_REGION_BITS)];
};

static inline bool liveobj_page_map_start(struct liveobj_page_map *map, uint32_t granule_bits) {
    uint32_t root_bits = LIVEOBJ_ADDRESS_BITS - LIVEOBJ_LEAF_BITS - granule_bits;
    map->granule_bits = granule_bits;
    map->root = liveobj_os_map_kept(sizeof(uint32_t *) << root_bits, false);
    return map->root != NULL;
}

/// Adds a leaf; of two threads that try at once, one wins and both use its leaf.
static inline uint32_t *liveobj_page_map_add_leaf(struct liveobj_page_map *map, uintptr_t address) {
    uint32_t **entry = &map->root[address >> map->granule_bits >> LIVEOBJ_LEAF_BITS];
    uint32_t *leaf = liveobj_os_map_kept(LIVEOBJ_LEAF_BYTES, false);
    uint32_t *present = NULL;
    if (!leaf)
        return NULL;
    // Relaxed: the release below orders it before the leaf.
    __atomic_store_n(&map->has_leaf[address >> LIVEOBJ_REGION_BITS], true, __ATOMIC_RELAXED);
    // Release: the zeroed leaf before its address. Acquire: the winner's leaf, if we lost.
    if (__atomic_compare_exchange_n(entry, &present, leaf, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE))
        return leaf;
    liveobj_os_unmap_kept(leaf, LIVEOBJ_LEAF_BYTES, false);
    return present;
}

/// The slot of an address that may hold no object; NULL if no object was ever near it.
static inline uint32_t *liveobj_page_map_find(const struct liveobj_page_map *map,
                                              uintptr_t address) {
    if (LIVEOBJ_UNLIKELY(address >> LIVEOBJ_ADDRESS_BITS))
        return NULL;
    uintptr_t granule = address >> map->granule_bits;
    // Acquire: pairs with the release that published the leaf.
    uint32_t *leaf = __atomic_load_n(&map->root[granule >> LIVEOBJ_LEAF_BITS], __ATOMIC_ACQUIRE);
    return LIVEOBJ_LIKELY(leaf != NULL) ? &leaf[granule & ((1u << LIVEOBJ_LEAF_BITS) - 1)] : NULL;
}

/// False for most words that are no addresses of objects. To look each of them up would touch all
/// of the root, page by page.
static inline bool liveobj_page_map_may_find(const struct liveobj_page_map *map,
                                             uintptr_t address) {
    // Relaxed: who knows of an object there has seen this before.
    return address >> LIVEOBJ_ADDRESS_BITS == 0 &&
           __atomic_load_n(&map->has_leaf[address >> LIVEOBJ_REGION_BITS], __ATOMIC_RELAXED);
}

/// The slot of a new object's address; NULL if it cannot be had.
static inline uint32_t *liveobj_page_map_claim(struct liveobj_page_map *map, uintptr_t address) {
    uint32_t *slot = liveobj_page_map_find(map, address);
    if (LIVEOBJ_LIKELY(slot != NULL) || address >> LIVEOBJ_ADDRESS_BITS)
        return slot;
    liveobj_page_map_add_leaf(map, address);
    return liveobj_page_map_find(map, address);
}

#endif
