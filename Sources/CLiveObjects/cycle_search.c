// cycle_search.c - see cycle_search.h.
//
// Only a graph of the heap, made in a copy of the process, shows a cycle. Most tests leave caches
// and other values behind that cannot be one, and this says so for a thousandth of the price: it
// takes every word of an object for a reference, so that it follows more than there is, never less.
// A cycle that nothing outside can reach does not change any more, so it is found while other
// threads go on.
//
// A search in depth: an object that a word leads back to while the way from it is still being
// followed is on a cycle. Owns what it maps for one call. Outside of hooks, with the calling
// thread's guard set.

#if defined(__linux__)

#include "cycle_search.h"
#include "heap/address_table.h"
#include "heap/storage.h"
#include "scopes.h"

/// Beyond these the graph tells faster.
enum { MOST_OBJECTS = 4096, MOST_WORDS = 1 << 16 };

/// An object on the way from the first one to the present one.
struct way_point {
    uint32_t number;
    uintptr_t next; // the word to be looked at
    uintptr_t end;
    uintptr_t seed; // a word to be passed over; 0 for none
};

struct search {
    struct liveobj_reader reader;
    struct liveobj_address_table numbers; // of the objects that were met
    struct way_point *way;
    bool *is_on_way; // by number
    uint32_t depth;
    uint32_t words;
    bool may_find;
};

/// Done for the first object: most tests leave none.
static bool map(struct search *search) {
    search->way = liveobj_os_map(MOST_OBJECTS * sizeof *search->way);
    search->is_on_way = liveobj_os_map(MOST_OBJECTS * sizeof *search->is_on_way);
    return search->way && search->is_on_way;
}

static void end(struct search *search) {
    liveobj_os_unmap(search->way, MOST_OBJECTS * sizeof *search->way);
    liveobj_os_unmap(search->is_on_way, MOST_OBJECTS * sizeof *search->is_on_way);
    liveobj_address_table_end(&search->numbers);
}

/// Leaves out the words that keep nothing alive.
static void bound(struct search *search, const struct liveobj_object *object,
                  struct way_point *point) {
    enum { HEADER_BYTES = 16, SEED_OFFSET = 40 };
    uint64_t count;
    struct liveobj_type type = liveobj_type_of(object, &search->reader);
    point->end = object->address + (object->bytes & ~(sizeof(uintptr_t) - 1));
    point->next = object->address + (type.kind == LIVEOBJ_TYPE_RAW_BUFFER ? 0 : HEADER_BYTES);
    if (type.kind != LIVEOBJ_TYPE_CLASS)
        return;
    switch (liveobj_storage_kind_of(type.metadata)) {
    case LIVEOBJ_STORAGE_TEXT:
        point->end = point->next;
        break;
    case LIVEOBJ_STORAGE_ARRAY: // behind the elements lies what was there before
        if (liveobj_read(&search->reader, point->next, &count, sizeof count) && count < MOST_WORDS)
            point->end = object->address + liveobj_array_element_offset(type.metadata, count);
        break;
    case LIVEOBJ_STORAGE_DICTIONARY: // hash with the address of their first storage
    case LIVEOBJ_STORAGE_SET:
        point->seed = object->address + SEED_OFFSET;
        break;
    case LIVEOBJ_STORAGE_NONE:
        break;
    }
}

static void enter(struct search *search, const struct liveobj_object *object) {
    uint32_t number = liveobj_address_number(&search->numbers, object->address);
    // What a task refers to lies in other memory.
    search->may_find |=
        number == 0 || number >= MOST_OBJECTS || object->metadata == LIVEOBJ_METADATA_TASK;
    if (search->may_find)
        return;
    search->is_on_way[number] = true;
    struct way_point *point = &search->way[search->depth++];
    *point = (struct way_point){.number = number};
    bound(search, object, point);
}

static void follow(struct search *search, uintptr_t word) {
    // Flags may stand in the spare bits.
    static const uintptr_t mask = (UINT64_C(1) << 48) - sizeof(uintptr_t);
    struct liveobj_object object;
    if ((word & mask) < LIVEOBJ_PAGE_BYTES || !liveobj_records_find(word & mask, &object))
        return;
    uint32_t number = liveobj_address_find(&search->numbers, object.address);
    if (!number)
        enter(search, &object);
    else
        search->may_find |= search->is_on_way[number];
}

/// Looks at the next word of the object where the way ends, or goes back from it.
static void step(struct search *search) {
    struct way_point *last = &search->way[search->depth - 1];
    uintptr_t word, place = last->next;
    bool is_there = place < last->end && liveobj_read(&search->reader, place, &word, sizeof word);
    if (!is_there) { // looked through, or freed meanwhile
        search->is_on_way[last->number] = false;
        search->depth--;
        return;
    }
    last->next += sizeof word;
    search->may_find |= ++search->words > MOST_WORDS;
    if (place != last->seed)
        follow(search, word);
}

static void search_from(struct search *search, const struct liveobj_object *object) {
    bool is_dead = liveobj_strong_count_of(object, &search->reader).is_pinned;
    if (is_dead || liveobj_address_find(&search->numbers, object->address))
        return;
    search->may_find = !search->way && !map(search);
    if (!search->may_find)
        enter(search, object);
    while (search->depth > 0 && !search->may_find)
        step(search);
}

/// A cycle has an instance in it.
static bool is_of(const struct liveobj_kept_test *test, const struct liveobj_object *object) {
    return object->sequence >= test->first && object->metadata != LIVEOBJ_METADATA_RAW_BUFFER &&
           (!test->scope || liveobj_scope_is_within(object->scope, test->scope));
}

bool liveobj_cycle_search_may_find(const struct liveobj_kept_test *test) {
    struct search search = {.may_find = false};
    uint32_t records_end = liveobj_records_end();
    struct liveobj_object object;
    liveobj_reader_start(&search.reader);
    for (uint32_t index = 1; index < records_end && !search.may_find; index++)
        if (liveobj_records_get(index, &object) && is_of(test, &object))
            search_from(&search, &object);
    end(&search);
    return search.may_find;
}

#endif
