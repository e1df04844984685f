// malloc_chunks.c - see malloc_chunks.h. Owns nothing.
//
// A chunk begins with two words: one that belongs to the chunk before it, and its own size. The low
// bits of the size are flags; PREVIOUS_IN_USE is about the chunk before. The last chunk, "top", is
// memory that was never allocated. A heap that another heap has replaced ends with fence posts,
// chunks smaller than the minimum (glibc's malloc/malloc.c, "Chunk representation").
//
// A chunk of more than 128 KiB at first, later of up to 32 MiB, has a mapping of its own and a
// flag, IS_MAPPED. A thread's heap begins at a multiple of 64 MiB with a header (glibc's
// malloc/arena.c, `heap_info`). A heap that has shrunk keeps its mapping, so the mapping does not
// end with it.
//
// Free chunks of the ordinary bins are marked in the next chunk's flag. Those of the per-thread
// caches and the fast bins are marked as used. They are recognised by their first word: the address
// of the next one in their list, exclusive-or their own address shifted right by 12 bits (since
// glibc 2.32).

#if defined(__linux__)

#include "roots/malloc_chunks.h"
#include "os/compiler.h"
#include "os/os.h"
#include "os/step.h"

LIVEOBJ_ANY_MEMORY_BEGIN

enum {
    WORD = sizeof(uintptr_t),
    ALIGNMENT = 2 * WORD,
    LEAST_BYTES = 4 * WORD,
    PREVIOUS_IN_USE = 1,
    IS_MAPPED = 2,
    FLAGS = 7,
};

static uintptr_t word_at(uintptr_t address) {
    return *(const uintptr_t *)address;
}

static uintptr_t size_of(uintptr_t chunk) {
    return word_at(chunk + WORD) & ~(uintptr_t)FLAGS;
}

uintptr_t liveobj_chunk_content(uintptr_t chunk) {
    return chunk + 2 * WORD;
}

/// Whether a fence post is here: the end of a heap that another heap has replaced.
static bool is_fence_post(uintptr_t chunk, uintptr_t end) {
    enum { FENCE_BYTES = 4 * ALIGNMENT };
    return size_of(chunk) < LEAST_BYTES && end - chunk <= FENCE_BYTES;
}

// MARK: - Heaps

/// \returns whether the chunks end exactly at the heap's end.
static bool leads_to_end(const struct liveobj_chunks *chunks, liveobj_visit_heap_chunk_fn visit,
                         void *context) {
    uintptr_t chunk = chunks->first, end = chunks->end;
    while (end - chunk >= LEAST_BYTES && !is_fence_post(chunk, end)) {
        uintptr_t size = size_of(chunk);
        if (size < LEAST_BYTES || size % ALIGNMENT || size > end - chunk)
            return false;
        liveobj_snapshot_advance();
        if (visit && size < end - chunk)
            visit(context, chunks, chunk);
        chunk += size;
    }
    return chunk == end || is_fence_post(chunk, end);
}

struct heap_header {
    uintptr_t arena;
    uintptr_t previous;
    uintptr_t bytes;
    uintptr_t accessible_bytes; // some heaps have shrunk
};

enum { HEAP_BYTES = 64 << 20 }; // the most, and the alignment

static bool is_page_multiple(uintptr_t bytes) {
    return bytes && bytes % LIVEOBJ_PAGE_BYTES == 0;
}

/// The end of the thread's heap at `start`; 0 if none begins there.
static uintptr_t end_of_thread_heap(uintptr_t start, uintptr_t end) {
    const struct heap_header *header = (const void *)start;
    bool is_heap = start % HEAP_BYTES == 0 && header->arena && header->previous % HEAP_BYTES == 0 &&
                   is_page_multiple(header->bytes) && is_page_multiple(header->accessible_bytes) &&
                   header->bytes <= header->accessible_bytes &&
                   header->accessible_bytes <= HEAP_BYTES &&
                   header->accessible_bytes <= end - start;
    return is_heap ? start + header->bytes : 0;
}

static void note_resident(void *is_resident, struct liveobj_extent extent) {
    *(bool *)is_resident = extent.start < extent.end;
}

/// Whether a heap begins there. Reads only resident pages: a read of another one of shared memory
/// would allocate it, for the program too.
static bool is_heap_at(uintptr_t address, uintptr_t end) {
    bool is_resident = false;
    if (end - address < LIVEOBJ_PAGE_BYTES)
        return false;
    liveobj_os_visit_pages((struct liveobj_extent){address, address + LIVEOBJ_PAGE_BYTES}, false,
                           note_resident, &is_resident);
    return is_resident && end_of_thread_heap(address, end) != 0;
}

uintptr_t liveobj_chunks_next_heap(uintptr_t start, uintptr_t end) {
    uintptr_t heap = liveobj_round_up(start + 1, HEAP_BYTES);
    while (heap < end && !is_heap_at(heap, end)) {
        liveobj_snapshot_advance();
        heap += HEAP_BYTES;
    }
    return heap < end ? heap : end;
}

bool liveobj_chunks_find(uintptr_t start, uintptr_t end, struct liveobj_chunks *chunks,
                         liveobj_visit_heap_chunk_fn visit, void *context) {
    enum { MOST_BEFORE = 4096, TWO_CHUNKS = 2 * LEAST_BYTES }; // bytes of a heap's own header
    uintptr_t end_of_heap = end_of_thread_heap(start, end);
    end = end_of_heap ? end_of_heap : end;
    uintptr_t last = end - start > MOST_BEFORE ? start + MOST_BEFORE : start;
    start = liveobj_round_up(start, ALIGNMENT);
    for (; start < last && end - start >= TWO_CHUNKS; start += ALIGNMENT) {
        // No chunk before the first one can be free.
        bool may_be_first = word_at(start + WORD) & PREVIOUS_IN_USE;
        *chunks = (struct liveobj_chunks){start, end};
        if (may_be_first && size_of(start) < end - start && leads_to_end(chunks, visit, context))
            return true;
    }
    return false;
}

bool liveobj_chunks_are_of_thread(uintptr_t start) {
    return start % HEAP_BYTES == 0;
}

bool liveobj_chunks_begin_arena(uintptr_t start) {
    return !liveobj_chunks_are_of_thread(start) ||
           ((const struct heap_header *)start)->previous == 0;
}

/// Its size is that of whole pages.
uintptr_t liveobj_chunk_mapped_bytes(uintptr_t chunk, uintptr_t end) {
    uintptr_t bytes = size_of(chunk);
    bool is_mapped = (word_at(chunk + WORD) & FLAGS) == IS_MAPPED;
    return is_mapped && bytes % LIVEOBJ_PAGE_BYTES == 0 && bytes <= end - chunk ? bytes : 0;
}

uintptr_t liveobj_chunk_bytes(const struct liveobj_chunks *chunks, uintptr_t chunk) {
    uintptr_t left = chunks->end - chunk;
    // The last chunk, "top", is larger where the heap has grown since.
    bool is_last =
        left < LEAST_BYTES || is_fence_post(chunk, chunks->end) || size_of(chunk) >= left;
    return is_last ? 0 : size_of(chunk);
}

// MARK: - Free chunks

static bool is_within(const struct liveobj_chunks *chunks, uintptr_t address) {
    return address >= chunks->first + 2 * WORD && address < chunks->end - 2 * WORD;
}

/// Whether the chunk's first word fits a list of free chunks. A list links either chunk headers or
/// chunk contents. A thread's cache has chunks of several heaps.
static bool is_in_free_list(uintptr_t chunk, const struct liveobj_chunks *chunks,
                            liveobj_is_heap_fn is_heap, const void *context) {
    uintptr_t content = liveobj_chunk_content(chunk);
    uintptr_t next = word_at(content) ^ content >> 12;
    if (next == 0)
        return true;
    if (next % ALIGNMENT || (!is_within(chunks, next) && !is_heap(context, next)))
        return false;
    return size_of(next) == size_of(chunk) || size_of(next - 2 * WORD) == size_of(chunk);
}

bool liveobj_chunk_is_in_bin(const struct liveobj_chunks *chunks, uintptr_t chunk) {
    uintptr_t next = chunk + size_of(chunk);
    return next + 2 * WORD <= chunks->end && !(word_at(next + WORD) & PREVIOUS_IN_USE);
}

bool liveobj_chunk_is_free(const struct liveobj_chunks *chunks, uintptr_t chunk,
                           liveobj_is_heap_fn is_heap, const void *context) {
    return liveobj_chunk_is_in_bin(chunks, chunk) ||
           is_in_free_list(chunk, chunks, is_heap, context);
}

LIVEOBJ_ANY_MEMORY_END

#endif
