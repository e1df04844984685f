// global_search.c - see global_search.h.
//
// Only a graph of the heap, made in a copy of the process, tells what holds an object. Most of what
// tests leave behind are caches that were filled for the first time, and this says so for a part of
// the price. It follows words, from the program's variables through live objects, and takes an
// object for held if it meets as many words that lead to it as the object has strong references.
// A word that keeps nothing alive (a key, an unmanaged pointer) is one too many then, and the graph
// has to tell; so it has for what stacks, C memory and tasks hold, and where another thread was
// faster.
//
// Owns what it maps for one call. Outside of hooks, with the calling thread's guard set.

#if defined(__linux__)

#include "global_search.h"
#include "heap/address_table.h"
#include "heap/object_words.h"
#include "records.h"

/// Beyond these the graph tells as fast.
enum { MOST_OBJECTS = 1 << 17, MOST_WORDS = 1 << 21 };

/// Of variables, read at once.
enum { BLOCK_BYTES = 1 << 16 };

/// An object that variables lead to.
struct met_object {
    struct liveobj_words words;
    uint32_t references; // words that lead to it
};

struct search {
    struct liveobj_reader reader;
    struct liveobj_address_table numbers; // of the objects that were met
    struct met_object *met;               // by number
    uintptr_t *block;                     // of variables
    uint32_t words;
    bool is_open; // not all was seen
};

// MARK: - Following

/// Not inlined: few words lead to an object, and those are to be fast that do not.
__attribute__((noinline)) static void meet(struct search *search, uintptr_t word) {
    struct liveobj_object object;
    if (!liveobj_records_follow(word, &object))
        return;
    uint32_t known = search->numbers.count;
    uint32_t number = liveobj_address_number(&search->numbers, object.address);
    search->is_open |= number == 0 || number >= MOST_OBJECTS;
    if (search->is_open)
        return;
    if (number > known)
        search->met[number].words = liveobj_words_of(&object, &search->reader);
    search->met[number].references++;
}

static inline void follow(struct search *search, uintptr_t word) {
    if (LIVEOBJ_UNLIKELY(liveobj_records_near(word)))
        meet(search, word);
}

/// What cannot be read was freed meanwhile.
static void look_through(struct search *search, struct liveobj_words words) {
    uintptr_t word;
    for (uintptr_t place = words.start; place < words.end && !search->is_open;
         place += sizeof word) {
        search->is_open |= ++search->words > MOST_WORDS;
        if (place != words.seed && liveobj_read(&search->reader, place, &word, sizeof word))
            follow(search, word);
    }
}

// MARK: - Variables

static bool look_at_block(struct search *search, uintptr_t start, size_t bytes) {
    if (!liveobj_read_block(&search->reader, start, search->block, bytes))
        return false;
    for (size_t i = 0; i < bytes / sizeof *search->block && !search->is_open; i++)
        follow(search, search->block[i]);
    return true;
}

/// Never read directly: memory of an image may have lost its protection. Then the page is left out.
static void look_at_blocks(struct search *search, struct liveobj_extent extent,
                           size_t block_bytes) {
    for (uintptr_t start = extent.start, end; start < extent.end; start = end) {
        end = (start | (block_bytes - 1)) + 1;
        end = end < extent.end ? end : extent.end;
        if (!look_at_block(search, start, end - start) && block_bytes > LIVEOBJ_PAGE_BYTES)
            look_at_blocks(search, (struct liveobj_extent){start, end}, LIVEOBJ_PAGE_BYTES);
    }
}

static void look_at_variables(void *context, struct liveobj_extent extent) {
    static const uintptr_t in_word = sizeof(uintptr_t) - 1;
    extent.start = (extent.start + in_word) & ~in_word;
    extent.end &= ~in_word;
    look_at_blocks(context, extent, BLOCK_BYTES);
}

static bool look_at_image(void *context, const struct liveobj_image *image) {
    struct search *search = context;
    liveobj_image_visit_variables(image, look_at_variables, search);
    return search->is_open;
}

// MARK: - All of it

/// Weak and unowned references are not to be told from strong ones by their words.
static bool is_held(struct search *search, uintptr_t address) {
    struct liveobj_object object;
    if (!liveobj_records_find(address, &object))
        return true; // released meanwhile
    struct liveobj_strong_count strong = liveobj_strong_count_of(&object, &search->reader);
    uint32_t number = liveobj_address_find(&search->numbers, address);
    return number && !strong.is_visited && search->met[number].references == strong.value;
}

static bool are_held(struct search *search, const uintptr_t *objects, size_t count) {
    liveobj_images_visit(look_at_image, search);
    for (uint32_t number = 1; number <= search->numbers.count && !search->is_open; number++)
        look_through(search, search->met[number].words);
    bool are_held = !search->is_open && !search->reader.refused;
    for (size_t i = 0; i < count && are_held; i++)
        are_held = is_held(search, ~objects[i]);
    return are_held;
}

bool liveobj_global_search(const uintptr_t *objects, size_t count) {
    struct search search = {.met = liveobj_os_map(MOST_OBJECTS * sizeof *search.met),
                            .block = liveobj_os_map(BLOCK_BYTES)};
    liveobj_reader_start(&search.reader);
    bool held = search.met && search.block && are_held(&search, objects, count);
    liveobj_os_unmap(search.met, MOST_OBJECTS * sizeof *search.met);
    liveobj_os_unmap(search.block, BLOCK_BYTES);
    liveobj_address_table_end(&search.numbers);
    return held;
}

#endif
