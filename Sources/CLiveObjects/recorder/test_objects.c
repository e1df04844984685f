// test_objects.c - the objects that a test left behind: whether they may form a cycle, and the live
// instances.
//
// Only the graph of the heap, read in a snapshot process, proves a cycle. Most tests leave caches
// and other values behind that cannot form one, and this search finds that at a thousandth of the
// cost: it takes every pointer-sized word of an object for a reference, so that it follows more
// references than exist, never fewer. An unreachable cycle does not change any more, so it is found
// while other threads run. Older objects and those of other tests are no part of it: a reference
// from one of them is a retain that the objects of the test do not balance. The same is true of
// tasks, whose references are in their frames.
//
// A search in depth: a word closes a cycle if it leads to an object on the path from the first one.
// Owns what it maps for one call. Outside of hooks, with the calling thread's guard set.

#if defined(__linux__)

#include "heap/object_type.h"
#include "heap/object_words.h"
#include "metadata/address_table.h"
#include "metadata/types.h"
#include "os/os.h"
#include "recorder/tests.h"
#include "recorder/write_capture.h"
#include "records/records.h"
#include "records/scopes.h"
#include "runtime/memory_reader.h"
#include "runtime/unloads.h"

// MARK: - Cycles

/// Beyond these a capture is faster.
enum { OBJECT_LIMIT = 1 << 15, WORD_LIMIT = 1 << 19 };

static void end_selection(struct liveobj_selection *selection) {
    liveobj_os_unmap(selection->indices, OBJECT_LIMIT * sizeof *selection->indices);
    *selection = (struct liveobj_selection){0};
}

/// An object on the path from the first one to the present one.
struct path_object {
    uint32_t number;
    struct liveobj_words words; // those still to be read
};

struct search {
    const struct liveobj_recorded_test *test;
    struct liveobj_reader reader;
    struct liveobj_address_table numbers; // of the objects that were visited
    struct liveobj_selection *visited;
    struct path_object *path;
    bool *is_on_path; // by number
    uint32_t depth;
    uint32_t words;
    bool has_cycle;
    bool is_inconclusive; // a limit was reached
};

/// Done for the first object: most tests leave none.
static bool map_search(struct search *search) {
    search->path = liveobj_os_map(OBJECT_LIMIT * sizeof *search->path);
    search->is_on_path = liveobj_os_map(OBJECT_LIMIT * sizeof *search->is_on_path);
    search->visited->indices = liveobj_os_map(OBJECT_LIMIT * sizeof *search->visited->indices);
    return search->path && search->is_on_path && search->visited->indices;
}

static void end_search(struct search *search) {
    liveobj_os_unmap(search->path, OBJECT_LIMIT * sizeof *search->path);
    liveobj_os_unmap(search->is_on_path, OBJECT_LIMIT * sizeof *search->is_on_path);
    liveobj_address_table_end(&search->numbers);
}

static void enter_object(struct search *search, uint32_t index,
                         const struct liveobj_object *object) {
    uint32_t number = liveobj_address_number(&search->numbers, object->address);
    search->is_inconclusive |= number == 0 || number >= OBJECT_LIMIT;
    if (search->is_inconclusive)
        return;
    struct liveobj_type type = liveobj_type_of(object, &search->reader);
    search->visited->indices[search->visited->count++] = index;
    search->is_on_path[number] = true;
    search->path[search->depth++] =
        (struct path_object){number, liveobj_words_with_slack(object, &type, &search->reader)};
}

/// Objects allocated on queues and threads have no scope: they may be part of a cycle of the test.
static bool may_be_of_cycle(const struct liveobj_recorded_test *test,
                            const struct liveobj_object *object) {
    return object->sequence >= test->first && object->metadata != LIVEOBJ_METADATA_TASK &&
           (!test->scope || !object->scope || liveobj_scope_is_within(object->scope, test->scope));
}

static void follow_word(struct search *search, uintptr_t word) {
    struct liveobj_object object;
    uint32_t index = liveobj_records_follow(word, &object);
    if (!index || !may_be_of_cycle(search->test, &object))
        return;
    uint32_t number = liveobj_address_find(&search->numbers, object.address);
    if (!number)
        enter_object(search, index, &object);
    else
        search->has_cycle |= search->is_on_path[number];
}

/// Follows the next word of the last object on the path, or removes it from the path.
static void search_next_word(struct search *search) {
    struct path_object *last = &search->path[search->depth - 1];
    uintptr_t word;
    if (!liveobj_words_next(&last->words, &search->reader, &word)) {
        search->is_on_path[last->number] = false;
        search->depth--;
        return;
    }
    search->is_inconclusive |= ++search->words > WORD_LIMIT;
    follow_word(search, word);
}

static void search_from(struct search *search, uint32_t index,
                        const struct liveobj_object *object) {
    bool is_deinitialising = liveobj_strong_count_of(object, &search->reader).is_pinned;
    if (is_deinitialising || liveobj_address_find(&search->numbers, object->address))
        return;
    search->is_inconclusive = !search->path && !map_search(search);
    if (!search->is_inconclusive)
        enter_object(search, index, object);
    while (search->depth > 0 && !search->is_inconclusive)
        search_next_word(search);
}

/// A cycle of the test has an instance in it that the test itself allocated.
static bool is_of(const struct liveobj_recorded_test *test, const struct liveobj_object *object) {
    return may_be_of_cycle(test, object) && object->metadata != LIVEOBJ_METADATA_RAW_BUFFER &&
           (!test->scope || object->scope);
}

/// Follows the words of the objects that a test left behind.
/// \param visited receives all objects that were visited, to be ended by the caller.
/// \returns LIVEOBJ_TEST_CLEAN if no word leads back to an object that it was reached from,
/// LIVEOBJ_TEST_INCONCLUSIVE if a limit was reached or memory could not be read, else
/// LIVEOBJ_TEST_CAPTURED: a capture of the visited objects decides.
static enum liveobj_test_check search_cycles(const struct liveobj_recorded_test *test,
                                             struct liveobj_selection *visited) {
    struct search search = {
        .test = test, .visited = visited, .is_inconclusive = liveobj_unloads_failure() != NULL};
    uint32_t index = 0;
    struct liveobj_object object;
    liveobj_reader_start(&search.reader);
    search.reader.direct = false; // a block that C code has freed is no memory any more
    while (!search.is_inconclusive && (index = liveobj_records_next_since(index, test->first)))
        if (liveobj_records_get(index, &object) && is_of(test, &object))
            search_from(&search, index, &object);
    search.is_inconclusive |= search.reader.refused;
    end_search(&search);
    return search.is_inconclusive ? LIVEOBJ_TEST_INCONCLUSIVE
           : search.has_cycle     ? LIVEOBJ_TEST_CAPTURED
                                  : LIVEOBJ_TEST_CLEAN;
}

// MARK: - Captures

static enum liveobj_test_check capture_possible_cycles(const struct liveobj_recorded_test *test,
                                                       struct liveobj_capture_request *request) {
    struct liveobj_selection visited = {0};
    enum liveobj_test_check check = search_cycles(test, &visited);
    request->since = test->first;
    request->selection = &visited;
    if (check == LIVEOBJ_TEST_CAPTURED && !liveobj_capture_write(request))
        check = LIVEOBJ_TEST_INCONCLUSIVE;
    end_selection(&visited);
    return check;
}

static enum liveobj_test_check capture_unless_held(const struct liveobj_survivors *survivors,
                                                   struct liveobj_capture_request *request) {
    bool is_held = false;
    request->survivors = survivors;
    request->is_held = &is_held;
    bool written = liveobj_capture_write(request);
    return !written  ? LIVEOBJ_TEST_INCONCLUSIVE
           : is_held ? LIVEOBJ_TEST_CLEAN
                     : LIVEOBJ_TEST_CAPTURED;
}

enum liveobj_test_check liveobj_survivors_capture(const struct liveobj_survivors *survivors,
                                                  struct liveobj_capture_request *request) {
    return survivors->items ? capture_unless_held(survivors, request)
                            : capture_possible_cycles(&survivors->test, request);
}

// MARK: - Instances

static bool is_made_in(const struct liveobj_recorded_test *test,
                       const struct liveobj_object *object) {
    bool is_running = test->end == 0;
    return object->sequence >= test->first && (is_running || object->sequence < test->end);
}

void liveobj_test_instances_visit(const struct liveobj_recorded_test *test,
                                  liveobj_visit_instance_fn visit, void *context) {
    uint32_t index = 0;
    struct liveobj_object object;
    struct liveobj_reader reader;
    liveobj_reader_start(&reader);
    while ((index = liveobj_records_next_since(index, test->first))) {
        if (!liveobj_records_get(index, &object) || !is_made_in(test, &object))
            continue;
        bool is_buffer = object.metadata == LIVEOBJ_METADATA_RAW_BUFFER;
        if (is_buffer || !liveobj_strong_count_of(&object, &reader).is_pinned)
            visit(context, &(struct liveobj_instance){~object.address, object.sequence,
                                                      object.stack, is_buffer});
    }
}

#endif
