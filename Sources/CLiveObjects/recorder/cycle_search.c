// cycle_search.c - see cycle_search.h.
//
// Only a graph of the heap, made in a copy of the process, shows a cycle. Most tests leave caches
// and other values behind that cannot be one, and this says so for a thousandth of the price: it
// takes every word of an object for a reference, so that it follows more than there is, never less.
// A cycle that nothing outside can reach does not change any more, so it is found while other
// threads go on. Older objects and those of other tests are no part of it: whatever they hold has a
// retain that nothing here explains. The same is true of tasks, whose references lie elsewhere.
//
// A search in depth: an object that a word leads back to while the way from it is still being
// followed is on a cycle. Owns what it maps for one call. Outside of hooks, with the calling
// thread's guard set.

#if defined(__linux__)

#include "recorder/cycle_search.h"
#include "CLiveObjects.h"
#include "capture/capture.h"
#include "capture/test_table.h"
#include "heap/object_type.h"
#include "heap/object_words.h"
#include "metadata/address_table.h"
#include "metadata/types.h"
#include "os/os.h"
#include "records/records.h"
#include "records/scopes.h"
#include "runtime/memory_reader.h"

/// Beyond these a capture is faster.
enum { MOST_OBJECTS = 1 << 15, MOST_WORDS = 1 << 19 };

void liveobj_selection_end(struct liveobj_selection *selection) {
    liveobj_os_unmap(selection->indices, MOST_OBJECTS * sizeof *selection->indices);
    *selection = (struct liveobj_selection){0};
}

/// An object on the way from the first one to the present one.
struct way_point {
    uint32_t number;
    struct liveobj_words words; // those that are still to be looked at
};

struct search {
    const struct liveobj_kept_test *test;
    struct liveobj_reader reader;
    struct liveobj_address_table numbers; // of the objects that were met
    struct liveobj_selection *met;
    struct way_point *way;
    bool *is_on_way; // by number
    uint32_t depth;
    uint32_t words;
    bool has_cycle;
    bool is_open; // too much was met
};

/// Done for the first object: most tests leave none.
static bool map(struct search *search) {
    search->way = liveobj_os_map(MOST_OBJECTS * sizeof *search->way);
    search->is_on_way = liveobj_os_map(MOST_OBJECTS * sizeof *search->is_on_way);
    search->met->indices = liveobj_os_map(MOST_OBJECTS * sizeof *search->met->indices);
    return search->way && search->is_on_way && search->met->indices;
}

static void end(struct search *search) {
    liveobj_os_unmap(search->way, MOST_OBJECTS * sizeof *search->way);
    liveobj_os_unmap(search->is_on_way, MOST_OBJECTS * sizeof *search->is_on_way);
    liveobj_address_table_end(&search->numbers);
}

static void enter(struct search *search, uint32_t index, const struct liveobj_object *object) {
    uint32_t number = liveobj_address_number(&search->numbers, object->address);
    search->is_open |= number == 0 || number >= MOST_OBJECTS;
    if (search->is_open)
        return;
    search->met->indices[search->met->count++] = index;
    search->is_on_way[number] = true;
    search->way[search->depth++] =
        (struct way_point){number, liveobj_words_of(object, &search->reader)};
}

/// Work on queues and threads has no scope: it may have made a part of what keeps itself alive.
static bool may_be_of_cycle(const struct liveobj_kept_test *test,
                            const struct liveobj_object *object) {
    return object->sequence >= test->first && object->metadata != LIVEOBJ_METADATA_TASK &&
           (!test->scope || !object->scope || liveobj_scope_is_within(object->scope, test->scope));
}

static void follow(struct search *search, uintptr_t word) {
    struct liveobj_object object;
    uint32_t index = liveobj_records_follow(word, &object);
    if (!index || !may_be_of_cycle(search->test, &object))
        return;
    uint32_t number = liveobj_address_find(&search->numbers, object.address);
    if (!number)
        enter(search, index, &object);
    else
        search->has_cycle |= search->is_on_way[number];
}

/// Looks at the next word of the object where the way ends, or goes back from it.
static void step(struct search *search) {
    struct way_point *last = &search->way[search->depth - 1];
    uintptr_t word;
    if (!liveobj_words_next(&last->words, &search->reader, &word)) {
        search->is_on_way[last->number] = false;
        search->depth--;
        return;
    }
    search->is_open |= ++search->words > MOST_WORDS;
    follow(search, word);
}

static void search_from(struct search *search, uint32_t index,
                        const struct liveobj_object *object) {
    bool is_dead = liveobj_strong_count_of(object, &search->reader).is_pinned;
    if (is_dead || liveobj_address_find(&search->numbers, object->address))
        return;
    search->is_open = !search->way && !map(search);
    if (!search->is_open)
        enter(search, index, object);
    while (search->depth > 0 && !search->is_open)
        step(search);
}

/// A cycle of the test has an instance in it that the test made itself.
static bool is_of(const struct liveobj_kept_test *test, const struct liveobj_object *object) {
    return may_be_of_cycle(test, object) && object->metadata != LIVEOBJ_METADATA_RAW_BUFFER &&
           (!test->scope || object->scope);
}

enum liveobj_cycle_check liveobj_cycle_search(const struct liveobj_kept_test *test,
                                              struct liveobj_selection *met) {
    struct search search = {.test = test, .met = met};
    uint32_t records_end = liveobj_records_end();
    struct liveobj_object object;
    liveobj_reader_start(&search.reader);
    search.reader.direct = false; // a block that C code has freed is no memory any more
    for (uint32_t index = 1; index < records_end && !search.is_open; index++)
        if (liveobj_records_may_be_since(index, test->first) &&
            liveobj_records_get(index, &object) && is_of(test, &object))
            search_from(&search, index, &object);
    search.is_open |= search.reader.refused;
    end(&search);
    return search.is_open     ? LIVEOBJ_CYCLE_INCONCLUSIVE
           : search.has_cycle ? LIVEOBJ_CYCLE_POSSIBLE
                              : LIVEOBJ_CYCLE_NONE;
}

#endif
