// suspects.c - see suspects.h. Owns the list.

#if defined(__linux__)

#include "heap/suspects.h"
#include "os/os.h"

#include <string.h>

static void mark_pages(struct liveobj_suspects *suspects, struct liveobj_suspect suspect) {
    enum { BITS = 64, PAGES = BITS * sizeof suspects->pages / sizeof *suspects->pages };
    uintptr_t first = suspect.start / LIVEOBJ_PAGE_BYTES;
    uintptr_t count = (suspect.end - 1) / LIVEOBJ_PAGE_BYTES - first + 1;
    for (uintptr_t i = 0; i < count && i < PAGES; i++)
        suspects->pages[(first + i) % PAGES / BITS] |= UINT64_C(1) << (first + i) % BITS;
}

bool liveobj_suspects_add(struct liveobj_suspects *suspects, struct liveobj_suspect suspect) {
    if (!liveobj_os_make_room((void **)&suspects->items, suspects->count, &suspects->capacity,
                              sizeof suspect))
        return false;
    suspects->items[suspects->count++] = suspect;
    mark_pages(suspects, suspect);
    return true;
}

void liveobj_suspects_clear(struct liveobj_suspects *suspects) {
    suspects->count = 0;
    memset(suspects->pages, 0, sizeof suspects->pages);
}

// MARK: - Order

static void swap_suspects(struct liveobj_suspect *items, uint32_t i, uint32_t j) {
    struct liveobj_suspect item = items[i];
    items[i] = items[j];
    items[j] = item;
}

/// Moves an item down, until no child of it in the heap is greater.
static void sift_suspect(struct liveobj_suspect *items, uint32_t parent, uint32_t count) {
    for (uint32_t child; (child = 2 * parent + 1) < count; parent = child) {
        if (child + 1 < count && items[child].start < items[child + 1].start)
            child++;
        if (items[parent].start >= items[child].start)
            return;
        swap_suspects(items, parent, child);
    }
}

/// Heapsort: libc's function allocates, which no one may in the snapshot process.
void liveobj_suspects_sort(struct liveobj_suspects *suspects) {
    for (uint32_t i = suspects->count / 2; i-- > 0;)
        sift_suspect(suspects->items, i, suspects->count);
    for (uint32_t count = suspects->count; count > 1; count--) {
        swap_suspects(suspects->items, 0, count - 1);
        sift_suspect(suspects->items, 0, count - 1);
    }
}

/// Two numbers in one word often look like a pointer with a tag, but seldom like one to a start.
static bool leads_to(const struct liveobj_suspect *suspect, uintptr_t word, uintptr_t address) {
    bool has_tag = word - address >= LIVEOBJ_WORD_ADDRESS;
    return has_tag ? address == suspect->start : address < suspect->end;
}

uint32_t liveobj_suspects_search(const struct liveobj_suspects *suspects, uintptr_t word) {
    uintptr_t address = word & LIVEOBJ_WORD_ADDRESS;
    uint32_t first = 0, count = suspects->count;
    while (count > 0) { // the suspects behind `first + count` begin behind the address
        uint32_t half = count / 2;
        bool is_before = suspects->items[first + half].start <= address;
        first += is_before ? half + 1 : 0;
        count = is_before ? count - half - 1 : half;
    }
    const struct liveobj_suspect *suspect = first ? &suspects->items[first - 1] : NULL;
    return suspect && leads_to(suspect, word, address) ? suspect->number : 0;
}

#endif
