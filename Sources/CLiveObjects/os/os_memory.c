// os_memory.c - maps memory; owns the list of the recorder's mappings. See os.h.

#if defined(__linux__)

#include "os/os.h"

#include <errno.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/// Since Linux 4.17, and only in newer headers.
#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

// System calls are not declared fit for hooks; those made here do not call malloc.
LIVEOBJ_UNCHECKED_BEGIN

// MARK: - Own mappings

/// An entry of the list. Entries are reused and never removed. There are no locks, because hooks
/// map memory too.
struct mapping {
    uintptr_t start; // 0: free; TAKEN: being filled; atomic
    uintptr_t end;   // atomic
};
enum { TAKEN = 1, MAPPINGS_IN_BLOCK = 1023 };

struct mapping_block {
    struct mapping_block *next; // atomic
    struct mapping mappings[MAPPINGS_IN_BLOCK];
};
static struct mapping_block first_block;

/// \returns false if no entry is free.
static bool note_in(struct mapping_block *block, uintptr_t start, uintptr_t end) {
    for (size_t i = 0; i < MAPPINGS_IN_BLOCK; i++) {
        struct mapping *mapping = &block->mappings[i];
        uintptr_t free_place = 0;
        // Acquire: pairs with the release that freed the entry, whose end must not overtake this
        // one.
        if (__atomic_load_n(&mapping->start, __ATOMIC_RELAXED) ||
            !__atomic_compare_exchange_n(&mapping->start, &free_place, TAKEN, false,
                                         __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
            continue;
        __atomic_store_n(&mapping->end, end, __ATOMIC_RELAXED);
        // Release: a reader of the start sees the end.
        __atomic_store_n(&mapping->start, start, __ATOMIC_RELEASE);
        return true;
    }
    return false;
}

static struct mapping_block *next_block(struct mapping_block *block) {
    // Acquire: pairs with the release that added it.
    return __atomic_load_n(&block->next, __ATOMIC_ACQUIRE);
}

/// Adds a block, which lists itself. If two threads try at once, both use the block of the first.
static struct mapping_block *add_block(struct mapping_block *last) {
    struct mapping_block *present = NULL;
    struct mapping_block *block = mmap(NULL, sizeof *block, PROT_READ | PROT_WRITE,
                                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (block == MAP_FAILED)
        return NULL;
    madvise(block, sizeof *block, MADV_DONTDUMP);
    note_in(block, (uintptr_t)block, (uintptr_t)(block + 1));
    if (__atomic_compare_exchange_n(&last->next, &present, block, false, __ATOMIC_RELEASE,
                                    __ATOMIC_ACQUIRE))
        return block;
    munmap(block, sizeof *block);
    return present;
}

static void note_mapping(void *start, size_t bytes) {
    struct mapping_block *block = &first_block;
    while (block && !note_in(block, (uintptr_t)start, (uintptr_t)start + bytes)) {
        struct mapping_block *next = next_block(block);
        block = next ? next : add_block(block);
    }
}

/// Lengthens the mapping that ends at `start`. \returns false if there is none.
static bool lengthen_mapping(void *start, size_t bytes) {
    for (struct mapping_block *block = &first_block; block; block = next_block(block))
        for (size_t i = 0; i < MAPPINGS_IN_BLOCK; i++) {
            struct mapping *mapping = &block->mappings[i];
            uintptr_t end = (uintptr_t)start;
            if (__atomic_load_n(&mapping->start, __ATOMIC_ACQUIRE) > TAKEN &&
                __atomic_compare_exchange_n(&mapping->end, &end, end + bytes, false,
                                            __ATOMIC_RELAXED, __ATOMIC_RELAXED))
                return true;
        }
    return false;
}

/// Removes a mapping, or the part of it from `start` on.
static void forget_mapping(void *start_pointer) {
    uintptr_t start = (uintptr_t)start_pointer;
    for (struct mapping_block *block = &first_block; block; block = next_block(block))
        for (size_t i = 0; i < MAPPINGS_IN_BLOCK; i++) {
            struct mapping *mapping = &block->mappings[i];
            uintptr_t first = __atomic_load_n(&mapping->start, __ATOMIC_ACQUIRE);
            if (first <= TAKEN || start < first ||
                start >= __atomic_load_n(&mapping->end, __ATOMIC_RELAXED))
                continue;
            __atomic_store_n(&mapping->end, start, __ATOMIC_RELAXED);
            if (start == first)
                __atomic_store_n(&mapping->start, 0, __ATOMIC_RELEASE);
            return;
        }
}

void liveobj_os_visit_mappings(liveobj_os_visit_mapping_fn visit, void *context) {
    for (struct mapping_block *block = &first_block; block; block = next_block(block))
        for (size_t i = 0; i < MAPPINGS_IN_BLOCK; i++) {
            const struct mapping *mapping = &block->mappings[i];
            uintptr_t start = __atomic_load_n(&mapping->start, __ATOMIC_ACQUIRE);
            if (start > TAKEN)
                visit(context, start, __atomic_load_n(&mapping->end, __ATOMIC_RELAXED));
        }
}

// MARK: - Memory

LIVEOBJ_HOOK size_t liveobj_os_page_bytes(void) {
    return getauxval(AT_PAGESZ); // reads an array
}

/// Applies what all of the recorder's mappings have in common. They are not part of core files.
/// They are in small pages: a huge page takes two megabytes at the first access, and in a virtual
/// machine that returns free memory, clearing one takes longer than all faults of small ones.
static void advise_kernel(void *start, size_t bytes) {
    enum { HUGE_PAGE_BYTES = 2 << 20 };
    madvise(start, bytes, MADV_DONTDUMP);
    if (bytes >= HUGE_PAGE_BYTES)
        madvise(start, bytes, MADV_NOHUGEPAGE);
}

/// Most of a large mapping is never accessed. If the program has locked its memory including future
/// mappings (mlockall), the system fills each new one, unless it is mapped inaccessible first.
static void *map_memory(size_t bytes, int flags) {
    enum { LARGE_BYTES = 1 << 20 };
    bool is_large = bytes >= LARGE_BYTES;
    int protection = is_large ? PROT_NONE : PROT_READ | PROT_WRITE;
    void *start = mmap(NULL, bytes, protection, MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);
    if (start == MAP_FAILED)
        return NULL;
    if (!is_large)
        return start;
    munlock(start, bytes);
    if (mprotect(start, bytes, PROT_READ | PROT_WRITE) == 0)
        return start;
    munmap(start, bytes);
    return NULL;
}

static void *map_anywhere(size_t bytes, int flags) {
    int saved = errno; // the recorder's failures must not change the program's errno
    void *start = map_memory(bytes, flags);
    if (start) {
        advise_kernel(start, bytes);
        note_mapping(start, bytes);
    }
    errno = saved;
    return start;
}

LIVEOBJ_HOOK void *liveobj_os_map(size_t bytes) {
    return map_anywhere(bytes, MAP_PRIVATE);
}

LIVEOBJ_HOOK bool liveobj_os_map_at(void *start, size_t bytes) {
    int saved = errno;
    // ThreadSanitizer's mmap replaces an address that is not the program's by 0, and ends the
    // process.
    void *mapped =
        (void *)syscall(SYS_mmap, start, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    bool is_there = mapped == start;
    if (mapped != MAP_FAILED && !is_there) // an older kernel ignores the flag
        munmap(mapped, bytes);
    if (is_there) {
        advise_kernel(start, bytes);
        if (!lengthen_mapping(start, bytes))
            note_mapping(start, bytes);
    }
    errno = saved;
    return is_there;
}

LIVEOBJ_HOOK void liveobj_os_set_inherited(void *start, size_t bytes, bool is_inherited) {
    int saved = errno; // before Linux 4.14 the child gets the memory
    madvise(start, bytes, is_inherited ? MADV_KEEPONFORK : MADV_WIPEONFORK);
    errno = saved;
}

void *liveobj_os_find_room(size_t bytes) {
    int saved = errno;
    void *start = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start != MAP_FAILED)
        munmap(start, bytes);
    errno = saved;
    return start == MAP_FAILED ? NULL : start;
}

LIVEOBJ_HOOK void liveobj_os_unmap(void *start, size_t bytes) {
    int saved = errno;
    if (start) {
        forget_mapping(start); // before another thread can get a mapping there
        munmap(start, bytes);
    }
    errno = saved;
}

void *liveobj_os_map_shared(size_t bytes) {
    return map_anywhere(bytes, MAP_SHARED);
}

static void *move_mapping(void *start, size_t bytes, size_t new_bytes) {
    forget_mapping(start); // before another thread can get a mapping there
    void *moved = mremap(start, bytes, new_bytes, MREMAP_MAYMOVE);
    bool is_moved = moved != MAP_FAILED;
    note_mapping(is_moved ? moved : start, is_moved ? new_bytes : bytes);
    return is_moved ? moved : NULL;
}

void *liveobj_os_resize(void *start, size_t bytes, size_t new_bytes) {
    enum { TWO_LARGE_PAGES = 1 << 22 };
    int saved = errno;
    void *moved = start ? move_mapping(start, bytes, new_bytes) : liveobj_os_map(new_bytes);
    // A large array will be written to its end: huge pages avoid hundreds of page faults.
    if (moved && new_bytes >= TWO_LARGE_PAGES)
        madvise(moved, new_bytes, MADV_HUGEPAGE);
    errno = saved;
    return moved;
}

bool liveobj_os_make_room(void **items, uint32_t count, uint32_t *capacity, size_t item_bytes) {
    enum { FIRST_CAPACITY = 512 };
    if (count < *capacity)
        return true;
    uint32_t larger = *capacity ? *capacity * 2 : FIRST_CAPACITY;
    void *moved = liveobj_os_resize(*items, *capacity * item_bytes, larger * item_bytes);
    if (moved) {
        *items = moved;
        *capacity = larger;
    }
    return moved != NULL;
}

LIVEOBJ_UNCHECKED_END

#endif
