// global_search.c - see global_search.h.
//
// Only a graph of the heap, made in a snapshot process, shows what holds an object. Most of what
// tests leave behind are caches that were filled for the first time, and this says so for a part of
// the price.
//
// It follows words, from the program's variables through live objects, and counts those that lead
// to each object. An object with as many words as strong references is *explained*. What explained
// objects alone lead to, from a variable onwards, is held. A word that keeps nothing alive (an
// identifier, an unmanaged pointer) is one too many, so that the graph has to tell; so it has where
// weak or unowned references were made, for what stacks, C memory and tasks hold, and where another
// thread was faster.
//
// Owns what it maps for one call. Outside of hooks, with the calling thread's guard set.

#if defined(__linux__)

#include "recorder/global_search.h"
#include "CLiveObjects.h"
#include "heap/object_type.h"
#include "heap/object_words.h"
#include "metadata/address_table.h"
#include "metadata/types.h"
#include "os/compiler.h"
#include "os/os.h"
#include "records/records.h"
#include "runtime/image.h"
#include "runtime/memory_reader.h"
#include "runtime/unloads.h"

/// Beyond these a capture is as fast.
enum { MOST_OBJECTS = 1 << 17, MOST_WORDS = 1 << 22, MOST_EDGES = 1 << 20, MOST_EXTENTS = 1 << 12 };

/// Of variables, read at once.
enum { BLOCK_BYTES = 1 << 16 };

/// An object that variables lead to.
struct met_object {
    uint32_t index; // of its record
    uint32_t words; // that lead to it
    uint32_t strong;
    uint32_t first_edge, end_edge; // what its own words lead to
    bool is_countable;             // no task, and without weak or unowned references
    bool is_in_variable;
    bool is_held;
};

struct search {
    struct liveobj_reader reader;
    struct liveobj_address_table numbers; // of the objects that were met, from 1 on
    struct met_object *met;               // by number
    uint32_t *edges;                      // numbers
    uint32_t *held;                       // numbers
    struct liveobj_extent *extents;       // of variables
    uintptr_t *block;                     // what is read of them
    uint32_t edge_count, held_count, extent_count;
    uint32_t words;
    bool is_too_large;
};

// MARK: - Memory

static bool start(struct search *search) {
    liveobj_reader_start(&search->reader);
    // A block that C code has freed is no memory any more, and recorded all the same.
    search->reader.direct = false;
    search->met = liveobj_os_map(MOST_OBJECTS * sizeof *search->met);
    search->edges = liveobj_os_map(MOST_EDGES * sizeof *search->edges);
    search->held = liveobj_os_map(MOST_OBJECTS * sizeof *search->held);
    search->extents = liveobj_os_map(MOST_EXTENTS * sizeof *search->extents);
    search->block = liveobj_os_map(BLOCK_BYTES);
    return search->met && search->edges && search->held && search->extents && search->block;
}

static void end(struct search *search) {
    liveobj_os_unmap(search->met, MOST_OBJECTS * sizeof *search->met);
    liveobj_os_unmap(search->edges, MOST_EDGES * sizeof *search->edges);
    liveobj_os_unmap(search->held, MOST_OBJECTS * sizeof *search->held);
    liveobj_os_unmap(search->extents, MOST_EXTENTS * sizeof *search->extents);
    liveobj_os_unmap(search->block, BLOCK_BYTES);
    liveobj_address_table_end(&search->numbers);
}

// MARK: - Following words

/// Not inlined: few words lead to an object, and those are to be fast that do not.
/// \returns the object's number; 0 if there is none, or no room for it.
__attribute__((noinline)) static uint32_t meet(struct search *search, uintptr_t word) {
    struct liveobj_object object;
    uint32_t index = liveobj_records_follow(word, &object);
    uint32_t number = index ? liveobj_address_number(&search->numbers, object.address) : 0;
    search->is_too_large |= index && (number == 0 || number >= MOST_OBJECTS);
    if (!index || search->is_too_large)
        return 0;
    search->met[number].index = index;
    search->met[number].words++;
    return number;
}

static inline uint32_t follow(struct search *search, uintptr_t word) {
    return LIVEOBJ_UNLIKELY(liveobj_records_near(word)) ? meet(search, word) : 0;
}

static void add_edge(struct search *search, uint32_t target) {
    search->is_too_large |= search->edge_count == MOST_EDGES;
    if (!search->is_too_large)
        search->edges[search->edge_count++] = target;
}

/// What a task refers to lies in its frames, among what they held before.
static void count_references(struct search *search, struct met_object *met,
                             const struct liveobj_object *object) {
    struct liveobj_strong_count strong = liveobj_strong_count_of(object, &search->reader);
    met->strong = strong.value;
    met->is_countable = strong.is_known && !strong.was_weakly_referenced &&
                        object->metadata != LIVEOBJ_METADATA_TASK;
}

static void look_through(struct search *search, uint32_t number) {
    struct met_object *met = &search->met[number];
    struct liveobj_object object;
    uintptr_t word;
    met->first_edge = met->end_edge = search->edge_count;
    bool is_there = liveobj_records_get(met->index, &object) &&
                    liveobj_address_find(&search->numbers, object.address) == number;
    if (!is_there) // freed meanwhile, and the record may be another object's
        return;
    count_references(search, met, &object);
    struct liveobj_words words = liveobj_words_of(&object, &search->reader);
    while (!search->is_too_large && liveobj_words_next(&words, &search->reader, &word)) {
        uint32_t target = follow(search, word);
        search->is_too_large |= ++search->words > MOST_WORDS;
        if (target)
            add_edge(search, target);
    }
    met->end_edge = search->edge_count;
}

// MARK: - Variables

static void note_extent(void *context, struct liveobj_extent extent) {
    static const uintptr_t in_word = sizeof(uintptr_t) - 1;
    struct search *search = context;
    search->is_too_large |= search->extent_count == MOST_EXTENTS;
    if (!search->is_too_large)
        search->extents[search->extent_count++] =
            (struct liveobj_extent){(extent.start + in_word) & ~in_word, extent.end & ~in_word};
}

/// The dynamic linker's lock is held meanwhile: nothing is read yet.
static bool note_image(void *context, const struct liveobj_image *image) {
    liveobj_image_visit_variables(image, note_extent, context);
    return false;
}

static bool look_at_block(struct search *search, uintptr_t start, size_t bytes) {
    if (!liveobj_read_block(&search->reader, start, search->block, bytes))
        return false;
    search->words += (uint32_t)(bytes / sizeof *search->block);
    search->is_too_large |= search->words > MOST_WORDS;
    for (size_t i = 0; i < bytes / sizeof *search->block && !search->is_too_large; i++) {
        uint32_t number = follow(search, search->block[i]);
        if (number)
            search->met[number].is_in_variable = true;
    }
    return true;
}

/// Never read directly: an image may be gone, or its memory have lost its protection. A page that
/// cannot be read is left out.
static void look_at_blocks(struct search *search, struct liveobj_extent extent,
                           size_t block_bytes) {
    for (uintptr_t start = extent.start, end; start < extent.end && !search->is_too_large;
         start = end) {
        end = (start | (block_bytes - 1)) + 1;
        end = end < extent.end ? end : extent.end;
        if (!look_at_block(search, start, end - start) && block_bytes > LIVEOBJ_PAGE_BYTES)
            look_at_blocks(search, (struct liveobj_extent){start, end}, LIVEOBJ_PAGE_BYTES);
    }
}

static void look_at_resident(void *search, struct liveobj_extent extent) {
    look_at_blocks(search, extent, BLOCK_BYTES);
}

static void look_at_variables(struct search *search) {
    liveobj_images_visit(note_image, search);
    for (uint32_t i = 0; i < search->extent_count && !search->is_too_large; i++)
        liveobj_os_visit_resident(search->extents[i], look_at_resident, search);
}

// MARK: - Judging

static void hold(struct search *search, uint32_t number) {
    struct met_object *met = &search->met[number];
    bool is_explained = met->is_countable && met->words == met->strong;
    if (!is_explained || met->is_held)
        return;
    met->is_held = true;
    search->held[search->held_count++] = number;
}

static void hold_all(struct search *search) {
    for (uint32_t number = 1; number <= search->numbers.count; number++)
        if (search->met[number].is_in_variable)
            hold(search, number);
    for (uint32_t i = 0; i < search->held_count; i++) {
        const struct met_object *met = &search->met[search->held[i]];
        for (uint32_t edge = met->first_edge; edge < met->end_edge; edge++)
            hold(search, search->edges[edge]);
    }
}

static bool is_held(const struct search *search, uintptr_t address) {
    struct liveobj_object object;
    uint32_t number = liveobj_address_find(&search->numbers, address);
    return !liveobj_records_find(address, &object) || // released meanwhile
           (number && search->met[number].is_held);
}

static enum liveobj_root_search judge(struct search *search, const uintptr_t *objects,
                                      size_t count) {
    hold_all(search);
    for (size_t i = 0; i < count; i++)
        if (!is_held(search, ~objects[i]))
            return LIVEOBJ_ROOTS_INCONCLUSIVE;
    return LIVEOBJ_ROOTS_REACH_ALL;
}

// MARK: - All of it

static enum liveobj_root_search look(struct search *search, const uintptr_t *objects,
                                     size_t count) {
    look_at_variables(search);
    for (uint32_t number = 1; number <= search->numbers.count && !search->is_too_large; number++)
        look_through(search, number);
    if (search->is_too_large || search->reader.refused)
        return LIVEOBJ_ROOTS_LIMIT_EXCEEDED;
    return judge(search, objects, count);
}

enum liveobj_root_search liveobj_global_search(const uintptr_t *objects, size_t count) {
    struct search search = {0};
    // Then most types are not known without a copy of the process, nor what objects have left over.
    if (liveobj_unloads_count())
        return LIVEOBJ_ROOTS_LIMIT_EXCEEDED;
    enum liveobj_root_search holding =
        start(&search) ? look(&search, objects, count) : LIVEOBJ_ROOTS_LIMIT_EXCEEDED;
    end(&search);
    return holding;
}

#endif
