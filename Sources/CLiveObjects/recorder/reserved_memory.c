// reserved_memory.c - prevents the allocation of memory to which stale words on a stack point.
//
// A frame may contain a stale word: the address of an object that was deallocated. A new object at
// the same address would seem to be referenced by that frame. So an over-retained object that an
// assertion's body allocates there would be hidden. The assertion therefore allocates such memory
// before its body runs, and frees it after the evaluation. Stale words left by its own frames are
// overwritten.
//
// Not in a hook: it allocates with the C library, as the body will. Sizes are read in front of the
// memory, where glibc stores them. A wrong size costs a few calls of malloc. Owns nothing.

#if defined(__linux__)

#include "CLiveObjects.h"
#include "os/os.h"
#include "runtime/memory_reader.h"

#include <stdlib.h>
#include <string.h>

enum {
    WORD = sizeof(uintptr_t),
    ALIGNMENT = 2 * WORD,
    FLAGS = 7,
    LEAST_BYTES = 4 * WORD, // of a chunk, with the word for its size
    MOST_BYTES = 64 * ALIGNMENT,
    SIZES = MOST_BYTES / ALIGNMENT,
    /// The number of chunks of one size that a thread caches; the last freed is the first used.
    CHUNKS_OF_SIZE = 16,
    STACK_PAGES = 8,
};

/// A list, linked through the first word of each block.
struct liveobj_reserved_memory {
    struct liveobj_reserved_memory *next;
};

/// The sizes of the memory to which words point, by size / ALIGNMENT.
struct sizes {
    struct liveobj_reader reader;
    bool is_present[SIZES];
};

static void add_size(struct sizes *sizes, uintptr_t address) {
    uintptr_t size;
    if (address % ALIGNMENT || address < LIVEOBJ_PAGE_BYTES ||
        !liveobj_read_checked(&sizes->reader, address - WORD, &size, sizeof size))
        return;
    size &= ~(uintptr_t)FLAGS;
    if (size >= LEAST_BYTES && size < MOST_BYTES && size % ALIGNMENT == 0)
        sizes->is_present[size / ALIGNMENT] = true;
}

/// Adds the sizes for the words on the stack, from the address upwards, up to STACK_PAGES.
static void add_sizes_on_stack(struct sizes *sizes, uintptr_t from) {
    struct liveobj_reader reader;
    uintptr_t words[LIVEOBJ_PAGE_BYTES / WORD];
    uintptr_t end =
        (from & ~(uintptr_t)(LIVEOBJ_PAGE_BYTES - 1)) + STACK_PAGES * LIVEOBJ_PAGE_BYTES;
    liveobj_reader_start(&reader);
    while (from < end) {
        uintptr_t bytes = LIVEOBJ_PAGE_BYTES - from % LIVEOBJ_PAGE_BYTES;
        if (!liveobj_read_block(&reader, from, words, bytes))
            return;
        for (size_t i = 0; i < bytes / WORD; i++)
            // Skips addresses of the stack itself.
            if (words[i] - from >= end - from)
                add_size(sizes, words[i]);
        from += bytes;
    }
}

static struct liveobj_reserved_memory *reserve_chunks(struct liveobj_reserved_memory *reserved,
                                                      size_t size) {
    for (int i = 0; i < CHUNKS_OF_SIZE; i++) {
        struct liveobj_reserved_memory *chunk = malloc(size - WORD);
        if (!chunk)
            break;
        // Cleared, because its words would be references themselves. Not by memset: a compiler
        // turns malloc and memset into calloc, which does not use the thread's cache.
        explicit_bzero(chunk, size - WORD);
        chunk->next = reserved;
        reserved = chunk;
    }
    return reserved;
}

__attribute__((noinline)) struct liveobj_reserved_memory *liveobj_reserved_memory_allocate(void) {
    struct sizes sizes = {.is_present = {false}};
    struct liveobj_reserved_memory *reserved = NULL;
    liveobj_reader_start(&sizes.reader);
    add_sizes_on_stack(&sizes, (uintptr_t)__builtin_frame_address(0));
    for (size_t i = 0; i < SIZES; i++)
        if (sizes.is_present[i])
            reserved = reserve_chunks(reserved, i * ALIGNMENT);
    return reserved;
}

void liveobj_reserved_memory_free(struct liveobj_reserved_memory *reserved) {
    while (reserved) {
        struct liveobj_reserved_memory *next = reserved->next;
        free(reserved);
        reserved = next;
    }
}

/// Not inlined, so that the array lies where the frames of earlier calls were.
__attribute__((noinline)) void liveobj_stack_overwrite(void) {
    enum { FORGOTTEN_BYTES = 16 * 1024 };
    volatile uintptr_t words[FORGOTTEN_BYTES / sizeof(uintptr_t)];
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        words[i] = 0;
}

#endif
