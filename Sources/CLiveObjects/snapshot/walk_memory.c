// walk_memory.c - counts what the resident memory of the process is used for.
//
// Each byte of a resident page is counted once: a chunk of malloc by what it is to the program,
// header included; other anonymous memory as such. Files and the recorder are counted by the list
// of mappings (roots.c), stacks by the mappings that they are in (roots_place.c). Pages that were
// read and never written to count as resident here, and not in the list: they are all the same page
// of zeros.

#if defined(__linux__)

#include "os/compiler.h"
#include "os/os.h"
#include "os/step.h"
#include "snapshot/walk.h"

LIVEOBJ_ANY_MEMORY_BEGIN

enum { PAGE = LIVEOBJ_PAGE_BYTES, WINDOW_PAGES = 1024 };

struct count {
    struct liveobj_walk *walk;
    uint64_t *memory;               // by use
    struct liveobj_extent extent;   // of the range that is read
    struct liveobj_extent window;   // whose pages are known
    bool has_resident;              // in the window
    bool is_resident[WINDOW_PAGES]; // of the window
    uintptr_t next;                 // the end of what was counted
    uintptr_t run;                  // the first of the free chunks before the next one; 0 for none
};

// MARK: - Resident pages

static void note_pages(void *context, struct liveobj_extent pages) {
    struct count *count = context;
    count->has_resident = true;
    for (uintptr_t page = pages.start; page < pages.end; page += PAGE)
        count->is_resident[(page - count->window.start) / PAGE] = true;
}

/// Asks the system about many pages at a time.
static void move_window(struct count *count, uintptr_t page) {
    uintptr_t end = page + (uintptr_t)WINDOW_PAGES * PAGE;
    uintptr_t end_of_extent = liveobj_round_up(count->extent.end, PAGE);
    count->window = (struct liveobj_extent){page, end < end_of_extent ? end : end_of_extent};
    count->has_resident = false;
    for (size_t i = 0; i < WINDOW_PAGES; i++)
        count->is_resident[i] = false;
    liveobj_os_visit_pages(count->window, false, note_pages, count);
}

static bool is_resident(struct count *count, uintptr_t address) {
    uintptr_t page = address & ~(uintptr_t)(PAGE - 1);
    if (page < count->window.start || page >= count->window.end)
        move_window(count, page);
    return count->is_resident[(page - count->window.start) / PAGE];
}

static uint64_t resident_bytes(struct count *count, uintptr_t start, uintptr_t end) {
    uint64_t bytes = 0;
    while (start < end) {
        uintptr_t end_of_page = (start | (PAGE - 1)) + 1;
        uintptr_t until = end_of_page < end ? end_of_page : end;
        bytes += is_resident(count, start) ? until - start : 0;
        start = until;
        liveobj_snapshot_advance();
    }
    return bytes;
}

static void add(struct count *count, enum liveobj_memory_use use, uintptr_t start, uintptr_t end) {
    count->memory[use] += resident_bytes(count, start, end);
}

// MARK: - Chunks of malloc

static enum liveobj_memory_use use_of_block(const struct liveobj_walk *walk, uintptr_t content) {
    uint32_t number = liveobj_walk_find(walk, content);
    if (number) {
        uint32_t record = walk->records[number];
        bool is_buffer = liveobj_record_unpack(liveobj_heap.records[record]).metadata ==
                         LIVEOBJ_METADATA_RAW_BUFFER;
        return is_buffer ? LIVEOBJ_MEMORY_BUFFERS : LIVEOBJ_MEMORY_OBJECTS;
    }
    bool is_behind = liveobj_address_find(&walk->blocks.addresses, content) ||
                     liveobj_address_find(&walk->task_memory.slabs, content);
    return is_behind ? LIVEOBJ_MEMORY_BEHIND : LIVEOBJ_MEMORY_BLOCKS;
}

/// Adds what `malloc_trim` returns of free memory: whole pages behind the links of a free chunk.
static void add_trimmed(struct count *count, uintptr_t start, uintptr_t end) {
    enum { LINKS = 6 * sizeof(uintptr_t) };
    uintptr_t page = liveobj_os_page_bytes();
    add(count, LIVEOBJ_MEMORY_TRIMMED, liveobj_round_up(start + LINKS, page), end & ~(page - 1));
}

/// Notes free chunks that follow each other. `malloc_trim` unites them, also small ones, which are
/// marked as used until then; larger ones that are marked so are in a thread's cache, and stay.
static void note_run(struct count *count, uintptr_t chunk, bool is_united) {
    if (!is_united && count->run)
        add_trimmed(count, count->run, chunk);
    if (!is_united)
        count->run = 0;
    else if (!count->run)
        count->run = chunk;
}

static void count_chunk(struct count *count, const struct liveobj_chunks *chunks, uintptr_t chunk,
                        uintptr_t bytes) {
    enum { MOST_FAST_BYTES = 16 * sizeof(uintptr_t) }; // glibc's default, "global_max_fast"
    const struct liveobj_roots *roots = count->walk->roots;
    bool is_in_bin = liveobj_chunk_is_in_bin(chunks, chunk);
    bool is_free = is_in_bin || liveobj_chunk_is_free(chunks, chunk, liveobj_roots_is_heap, roots);
    enum liveobj_memory_use use =
        is_free ? LIVEOBJ_MEMORY_FREE : use_of_block(count->walk, liveobj_chunk_content(chunk));
    add(count, use, chunk, chunk + bytes);
    note_run(count, chunk, is_in_bin || (is_free && bytes <= MOST_FAST_BYTES));
}

/// The last chunk is free. `malloc_trim` returns that of the main heap only, with what is free
/// before it.
static void count_top(struct count *count, const struct liveobj_chunks *chunks, uintptr_t top) {
    add(count, LIVEOBJ_MEMORY_FREE, top, chunks->end);
    if (!liveobj_chunks_are_of_thread(count->next))
        add_trimmed(count, count->run ? count->run : top, chunks->end);
    count->run = 0;
}

static void count_heap(struct count *count, const struct liveobj_chunks *chunks) {
    uintptr_t chunk = chunks->first, bytes;
    add(count, LIVEOBJ_MEMORY_BLOCKS, count->next, chunk);
    for (; (bytes = liveobj_chunk_bytes(chunks, chunk)) > 0; chunk += bytes) {
        liveobj_snapshot_advance();
        count_chunk(count, chunks, chunk, bytes);
    }
    count_top(count, chunks, chunk);
    count->memory[LIVEOBJ_MEMORY_ARENAS] += liveobj_chunks_begin_arena(count->next);
    count->next = chunks->end;
}

// MARK: - Other memory

/// The bytes of a chunk with a mapping of its own; 0 for other memory, whose first word is seldom
/// 0.
static uintptr_t bytes_of_mapped_chunk(const struct count *count, uintptr_t page) {
    return *(const uintptr_t *)page ? 0 : liveobj_chunk_mapped_bytes(page, count->extent.end);
}

/// Where to go on: behind memory that was only reserved, which may be more than the machine has.
static uintptr_t end_of_reserved(struct count *count, uintptr_t start) {
    return is_resident(count, start) || count->has_resident ? start : count->window.end;
}

/// Counts mappings that are no heaps: chunks with mappings of their own, and memory of others.
static void count_mappings(struct count *count, uintptr_t end) {
    while ((count->next = end_of_reserved(count, count->next)) < end) {
        uintptr_t start = count->next, end_of_page = (start | (PAGE - 1)) + 1, bytes = 0;
        if (start % PAGE == 0 && is_resident(count, start))
            bytes = bytes_of_mapped_chunk(count, start);
        if (bytes)
            add(count, use_of_block(count->walk, liveobj_chunk_content(start)), start,
                start + bytes);
        else
            add(count, LIVEOBJ_MEMORY_MAPPINGS, start, end_of_page < end ? end_of_page : end);
        count->next = bytes ? start + bytes : end_of_page;
    }
}

/// A step: counts the heap that begins at `next`, or the memory before the next one.
static void count_memory(void *context) {
    struct count *count = context;
    struct liveobj_chunks chunks;
    uintptr_t end = count->extent.end;
    if (is_resident(count, count->next) &&
        liveobj_roots_find_chunks(count->walk->roots, count->next, end, &chunks))
        count_heap(count, &chunks);
    else
        count_mappings(count, liveobj_chunks_next_heap(count->next, end));
}

/// After a fault, goes on behind the page.
static void count_range(struct count *count, struct liveobj_memory_range range) {
    static const uintptr_t most = UINT64_C(1)
                                  << 40; // more is reserved, as for the search for roots
    if (range.kind != LIVEOBJ_ROOT_C_MEMORY || range.is_file || range.is_shared ||
        range.ends_at_stack || range.end - range.start > most)
        return;
    count->extent = (struct liveobj_extent){range.start, range.end};
    count->window = (struct liveobj_extent){0};
    count->next = range.start;
    while (count->next < range.end)
        if (!liveobj_snapshot_step(count_memory, count))
            count->next = (count->next | (PAGE - 1)) + 1;
}

void liveobj_walk_count_memory(struct liveobj_walk *walk) {
    struct count count = {.walk = walk, .memory = walk->report->memory};
    const struct liveobj_roots *roots = walk->roots;
    for (uint32_t i = 0; i < roots->count; i++)
        count_range(&count, roots->ranges[i]);
    count.memory[LIVEOBJ_MEMORY_ALL] = roots->resident.all;
    count.memory[LIVEOBJ_MEMORY_STACKS] = roots->resident.stacks;
    count.memory[LIVEOBJ_MEMORY_MAPPINGS] += roots->resident.shared;
    count.memory[LIVEOBJ_MEMORY_FILES] = roots->resident.files;
    count.memory[LIVEOBJ_MEMORY_RECORDER] = roots->resident.recorder;
    count.memory[LIVEOBJ_MEMORY_THREADS] = roots->threads.count + 1;
}

LIVEOBJ_ANY_MEMORY_END

#endif
