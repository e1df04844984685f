// suspects.h - objects with a retain that no reference accounts for, and raw buffers to which no
// object refers.
//
// A program may keep them by a word that is not their address: one that leads into the memory, or
// that has a tag in the bits which no address uses.
//
// In the snapshot process. Add all suspects, sort them, then search.

#pragma once

#include "arch/address.h"
#include "os/compiler.h"

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

struct liveobj_suspect {
    uintptr_t start;
    uintptr_t end;   // not inside: malloc's lists have the address of the chunk behind
    uint32_t number; // the caller's
};

struct liveobj_suspects {
    struct liveobj_suspect *items;
    uint32_t count;
    uint32_t capacity;
    /// A bit for each page with a suspect, by the last bits of the page's number.
    uint64_t pages[8192];
};

/// \returns false if memory ran out.
bool liveobj_suspects_add(struct liveobj_suspects *suspects, struct liveobj_suspect suspect);
void liveobj_suspects_sort(struct liveobj_suspects *suspects);
/// Forgets all of them.
void liveobj_suspects_clear(struct liveobj_suspects *suspects);

/// Fast: called for most words of the memory.
static inline bool liveobj_suspects_may_find(const struct liveobj_suspects *suspects,
                                             uintptr_t word) {
    enum { BITS = 64, PAGES = BITS * sizeof suspects->pages / sizeof *suspects->pages };
    uintptr_t page = (word & LIVEOBJ_WORD_ADDRESS) / LIVEOBJ_PAGE_BYTES % PAGES;
    return suspects->pages[page / BITS] >> page % BITS & 1;
}
uint32_t liveobj_suspects_search(const struct liveobj_suspects *suspects, uintptr_t word);
/// The suspect into which a word leads, or to whose start one with a tag does; 0 if there is none.
static inline uint32_t liveobj_suspects_find(const struct liveobj_suspects *suspects,
                                             uintptr_t word) {
    return LIVEOBJ_UNLIKELY(liveobj_suspects_may_find(suspects, word))
               ? liveobj_suspects_search(suspects, word)
               : 0;
}

#pragma GCC visibility pop
