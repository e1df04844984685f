// roots_words.c - reads memory for references: words, and heaps of the C library; see roots_scan.h.
// Owns nothing.

#if defined(__linux__)

#include "heap/object_type.h"
#include "heap/object_words.h"
#include "heap/references.h"
#include "layout/storage.h"
#include "metadata/metadata.h"
#include "os/compiler.h"
#include "os/step.h"
#include "roots/malloc_chunks.h"
#include "roots/roots_scan.h"
#include "runtime/memory_reader.h"
#include "runtime/runtime.h"

LIVEOBJ_ANY_MEMORY_BEGIN

enum { MALLOC_ALIGNMENT = 16 };

// MARK: - Words

/// Whether the word lies in a block's captures. A Swift closure that was converted to a block
/// follows the block's own words.
static bool is_in_block(const struct liveobj_scan *scan, const uintptr_t *place) {
    enum { ISA = -5 };
    uintptr_t block_class = (uintptr_t)liveobj_runtime_current()->_NSConcreteMallocBlock;
    return (uintptr_t)&place[ISA] >= scan->range.start && block_class && place[ISA] == block_class;
}

/// Whether the words are those of a job of the concurrency library's own: it resumes a task that
/// sleeps.
static bool is_in_job(const struct liveobj_scan *scan) {
    const uintptr_t *metadata = liveobj_runtime_current()->_swift_concurrency_debug_jobMetadata;
    return scan->end_of_heap && metadata && *(const uintptr_t *)scan->range.start == *metadata;
}

static struct liveobj_root describe_root(const struct liveobj_scan *scan, const uintptr_t *place) {
    enum { CODE = -1 };
    struct liveobj_root root = {.kind = scan->range.kind,
                                .target = *place & LIVEOBJ_REFERENCE_MASK,
                                .word = scan->range.is_of_libc ? 0 : *place,
                                .place = (uintptr_t)place};
    if (root.kind == LIVEOBJ_ROOT_STACK) {
        root.place = scan->range.thread;
        if ((uintptr_t)place >= scan->thread_locals)
            root.kind = LIVEOBJ_ROOT_THREAD_LOCAL;
    } else if (root.kind == LIVEOBJ_ROOT_C_MEMORY && is_in_block(scan, place)) {
        root.kind = LIVEOBJ_ROOT_HANDLER;
        root.place = place[CODE];
    } else {
        root.is_in_use = root.kind == LIVEOBJ_ROOT_C_MEMORY && is_in_job(scan);
    }
    return root;
}

static void find_storage(struct liveobj_scan *scan) {
    struct liveobj_reader *reader = liveobj_metadata_reader();
    struct liveobj_object object = {.address = scan->range.start,
                                    .bytes = scan->range.end - scan->range.start,
                                    .metadata = LIVEOBJ_METADATA_IN_HEADER};
    struct liveobj_type type = {0};
    if (scan->end_of_heap)
        type = liveobj_type_of(&object, reader);
    scan->storage = scan->range.start;
    scan->element = 0;
    scan->is_storage = type.kind == LIVEOBJ_TYPE_CLASS &&
                       liveobj_storage_kind_of(type.metadata) != LIVEOBJ_STORAGE_NONE;
    if (scan->is_storage)
        scan->elements = liveobj_words_of(&object, &type, reader);
}

/// Whether the word lies in a collection's storage that the recorder does not know, because it is
/// the recorder's own or older, and not in an element. Removed elements leave their words.
static bool is_in_free_storage(struct liveobj_scan *scan, uintptr_t place) {
    uintptr_t word;
    if (scan->storage != scan->range.start)
        find_storage(scan);
    while (scan->is_storage && scan->element < place &&
           liveobj_words_next(&scan->elements, liveobj_metadata_reader(), &word))
        scan->element = scan->elements.next - sizeof word;
    return scan->is_storage && scan->element != place;
}

/// Not inlined: few words point to an object, and the path of all other words must be fast.
__attribute__((noinline)) static void visit_root(struct liveobj_scan *scan,
                                                 const uintptr_t *place) {
    if (is_in_free_storage(scan, (uintptr_t)place))
        return;
    struct liveobj_root root = describe_root(scan, place);
    scan->visit(scan->context, &root);
}

static inline void scan_word(struct liveobj_scan *scan, const uintptr_t *place) {
    if (LIVEOBJ_UNLIKELY(liveobj_scan_may_find(scan, *place)))
        visit_root(scan, place);
    if (LIVEOBJ_UNLIKELY(*place - scan->groups.start < scan->groups.end - scan->groups.start))
        liveobj_dispatch_note_root(*place);
}

/// The end of the memory of the live object that begins at `address`, slack included; 0 if no
/// object begins there.
static uintptr_t end_of_object(uintptr_t address) {
    enum { HEADER = sizeof(size_t) }; // of a chunk of the C library's allocator
    struct liveobj_object object;
    if (!liveobj_records_find(address, &object))
        return 0;
    return address +
           ((object.bytes + HEADER + MALLOC_ALIGNMENT - 1) & ~(uintptr_t)(MALLOC_ALIGNMENT - 1)) -
           HEADER;
}

static void note_library_object(struct liveobj_scan *scan, uintptr_t content) {
    uintptr_t word = *(const uintptr_t *)content;
    if (!liveobj_dispatch_may_begin_with(word) && !liveobj_core_may_begin_with(word))
        return;
    if (liveobj_os_make_room((void **)&scan->library_objects, scan->library_object_count,
                             &scan->library_object_capacity, sizeof content))
        scan->library_objects[scan->library_object_count++] = content;
}

/// \returns where to continue: `end`, or the end of an object that extends beyond it.
static uintptr_t scan_words_and_objects(struct liveobj_scan *scan, uintptr_t place, uintptr_t end) {
    while (place < end) {
        bool may_be_chunk = place % MALLOC_ALIGNMENT == 0;
        if (may_be_chunk && !scan->end_of_heap)
            note_library_object(scan, place);
        uintptr_t object_end = may_be_chunk ? end_of_object(place) : 0;
        if (!object_end)
            scan_word(scan, (const uintptr_t *)place);
        place = object_end ? object_end : place + sizeof(uintptr_t);
    }
    return place;
}

static uintptr_t scan_root_words(struct liveobj_scan *scan, uintptr_t place, uintptr_t end) {
    for (; place < end; place += sizeof(uintptr_t))
        scan_word(scan, (const uintptr_t *)place);
    return end;
}

void liveobj_scan_range(void *context) {
    struct liveobj_scan *scan = context;
    bool may_hold_objects = scan->range.kind == LIVEOBJ_ROOT_C_MEMORY;
    while (scan->next < scan->range.end) {
        uintptr_t end = liveobj_scan_end_of_page(scan->next);
        end = end < scan->range.end ? end : scan->range.end;
        scan->next = may_hold_objects ? scan_words_and_objects(scan, scan->next, end)
                                      : scan_root_words(scan, scan->next, end);
        liveobj_snapshot_advance();
    }
}

// MARK: - Heaps of the C library

/// Whether the chunk is an object's. Chunks can be 16 bytes larger than requested; behind the
/// object are words of the chunk's previous use. A larger rest belongs to a raw buffer that realloc
/// has extended, and is scanned.
static bool is_object_chunk(uintptr_t content, uintptr_t end) {
    uintptr_t object_end = end_of_object(content);
    return object_end && end - object_end <= MALLOC_ALIGNMENT;
}

/// The end of what the owner of the chunk asked for, where it says so: of a block. The word behind
/// it is of the chunk's previous use.
static uintptr_t end_of_content(uintptr_t content, uintptr_t end) {
    enum { DESCRIPTOR = 3, BYTES = 1 };
    const uintptr_t *block = (const void *)content;
    uintptr_t class = (uintptr_t)liveobj_runtime_current()->_NSConcreteMallocBlock, bytes = 0;
    bool is_block =
        class && block[0] == class &&
        liveobj_read_checked(liveobj_metadata_reader(), block[DESCRIPTOR] + BYTES * sizeof bytes,
                             &bytes, sizeof bytes);
    return is_block && bytes < end - content ? content + bytes : end;
}

bool liveobj_roots_is_heap(const void *context, uintptr_t address) {
    const struct liveobj_roots *roots = context;
    for (uint32_t i = 0; i < roots->count; i++) {
        const struct liveobj_memory_range *range = &roots->ranges[i];
        if (address - MALLOC_ALIGNMENT >= range->start && address < range->end - MALLOC_ALIGNMENT)
            return range->kind == LIVEOBJ_ROOT_C_MEMORY;
    }
    return false;
}

static bool is_no_root(const struct liveobj_scan *scan, uintptr_t content) {
    return liveobj_address_find(&scan->continuations, content) ||
           liveobj_dispatch_is_owned(content) || liveobj_address_find(&scan->tasks->slabs, content);
}

/// A task's frames are no roots, and may have the only pointer to memory.
static void visit_slab(const struct liveobj_scan *scan, uintptr_t content, uintptr_t end) {
    for (; content < end; content += sizeof content) {
        struct liveobj_root root = {.kind = LIVEOBJ_ROOT_STACK,
                                    .word = *(const uintptr_t *)content};
        if (liveobj_suspects_find(scan->suspects, root.word))
            scan->visit(scan->context, &root);
    }
}

/// Scans every chunk that is not free, not a cached continuation of libdispatch, not a task's slab
/// and not an object.
static void scan_chunks(struct liveobj_scan *scan, const struct liveobj_chunks *chunks) {
    uintptr_t bytes;
    for (uintptr_t chunk = chunks->first; (bytes = liveobj_chunk_bytes(chunks, chunk)) > 0;
         chunk += bytes) {
        liveobj_snapshot_advance();
        // A chunk also has the first word of the next one.
        uintptr_t content = liveobj_chunk_content(chunk), end = chunk + bytes + sizeof(uintptr_t);
        if (liveobj_chunk_is_free(chunks, chunk, liveobj_roots_is_heap, scan->roots) ||
            is_no_root(scan, content)) {
            if (liveobj_address_find(&scan->tasks->slabs, content))
                visit_slab(scan, content, end);
            continue;
        }
        note_library_object(scan, content);
        if (scan->roots->visit_chunk)
            scan->roots->visit_chunk(scan->roots->visit_context, content, end - content);
        if (is_object_chunk(content, end))
            continue;
        scan->range.start = scan->next = content;
        scan->range.end = end_of_content(content, end);
        liveobj_scan_range(scan);
    }
}

bool liveobj_roots_find_chunks(const struct liveobj_roots *roots, uintptr_t start, uintptr_t end,
                               struct liveobj_chunks *chunks) {
    for (uint32_t i = 0; i < roots->heap_count; i++)
        if (roots->heaps[i].start == start) {
            *chunks = roots->heaps[i].chunks;
            return true;
        }
    return liveobj_chunks_find(start, end, chunks, NULL, NULL);
}

void liveobj_scan_heap(void *context) {
    struct liveobj_scan *scan = context;
    struct liveobj_chunks chunks;
    struct liveobj_memory_range range = scan->range;
    if (liveobj_roots_find_chunks(scan->roots, range.start, range.end, &chunks)) {
        scan->end_of_heap = chunks.end;
        scan_chunks(scan, &chunks);
    } else {
        scan->next_heap = liveobj_chunks_next_heap(range.start, range.end);
    }
    scan->range = range;
}

LIVEOBJ_ANY_MEMORY_END

#endif
