// walk_survivors.c - proves that all that a test left behind is held, without a graph of the heap.
//
// Most tests that leave objects behind leave them to variables and threads, such as caches, and
// event loops with their channels. The proof has two passes:
//
//   1. The references of all that variables, stacks in use and the test's objects lead to are
//      noted and counted, as retains that they explain.
//   2. Variables and stacks hold the objects that they refer to if these have a retain that no
//      reference explains. What can be reached from there is held, and nothing has retained it too
//      often. That has to be all that the test left.
//
// An object that is older than the test and that no variable or stack leads to is not counted. If
// it leaks, and has a reference to an object that a word of the program's refers to without a
// retain, the object passes here and is found by the report at the end.
//
// What this does not prove, the whole walk decides: tasks of the test are left to it, and what only
// memory of C code or of raw buffers holds.

#if defined(__linux__)

#include "heap/object_type.h"
#include "heap/object_words.h"
#include "heap/references.h"
#include "metadata/labels.h"
#include "os/compiler.h"
#include "os/os.h"
#include "os/step.h"
#include "snapshot/walk.h"

LIVEOBJ_ANY_MEMORY_BEGIN

/// What is known of an object.
struct account {
    int32_t unexplained; // retains without a strong reference
    uint32_t edges;      // the first one; 0 before its references are read
    uint32_t words : 28; // references that are none if the word is old
    bool has_count : 1;  // unlike raw memory and immortal objects
    bool is_found : 1;
    bool is_root : 1; // a word outside of the heap refers to it
    bool is_reached : 1;
};

/// Records, each of which is added once.
struct queue {
    uint32_t *indices;
    uint32_t count;
    uint32_t capacity;
};

/// A reference to another record; a target of 0 ends an object's.
struct edge {
    uint32_t target;
    bool is_strong; // else a word that is none if it is old
};

struct edges {
    struct edge *items;
    uint32_t count;
    uint32_t capacity;
};

struct survivor_search {
    struct liveobj_walk *walk;
    const struct liveobj_survivors *survivors;
    struct account *accounts; // by record
    struct queue found;       // by any reference
    struct edges edges;       // of those that were found
    struct queue reached;     // from a root
    bool failed;              // memory ran out

    // Of the current step.
    uint32_t index;
    struct liveobj_object object;
    struct liveobj_type type;
    bool may_be_lost; // a buffer
    struct queue *queue;
    void (*read)(struct survivor_search *search);
};

// MARK: - Objects

static uintptr_t address_of_record(uint32_t index) {
    return liveobj_heap.records[index].address & liveobj_value_mask;
}

static uint32_t record_at(const struct survivor_search *search, uintptr_t address) {
    uint32_t index = liveobj_records_near(address);
    return index < search->walk->records_end && address_of_record(index) == address ? index : 0;
}

static bool is_raw(uint32_t index) {
    return (liveobj_heap.records[index].metadata & liveobj_value_mask) ==
           LIVEOBJ_METADATA_RAW_BUFFER;
}

static bool is_of_later(const struct survivor_search *search) {
    return search->object.sequence >= search->survivors->test.first;
}

static void move_to(struct survivor_search *search, uint32_t index) {
    search->index = index;
    search->object = liveobj_record_unpack(liveobj_heap.records[index]);
}

static void enqueue(struct survivor_search *search, struct queue *queue, uint32_t index) {
    if (liveobj_os_make_room((void **)&queue->indices, queue->count, &queue->capacity,
                             sizeof index))
        queue->indices[queue->count++] = index;
    else
        search->failed = true;
}

/// A step: reads the objects of the queue, those that are added meanwhile included.
static void read_queue(void *context) {
    struct survivor_search *search = context;
    for (uint32_t next = 0; next < search->queue->count; next++) {
        move_to(search, search->queue->indices[next]);
        search->read(search);
    }
}

/// \returns false at a fault, and where memory ran out: something is left out then.
static bool reads(struct survivor_search *search, struct queue *queue,
                  void (*read)(struct survivor_search *search)) {
    search->queue = queue;
    search->read = read;
    return liveobj_snapshot_step(read_queue, search) && !search->failed;
}

// MARK: - Counts

static void find(struct survivor_search *search, uint32_t index) {
    if (!index || search->accounts[index].is_found)
        return;
    search->accounts[index].is_found = true;
    enqueue(search, &search->found, index);
}

static void note_edge(struct survivor_search *search, struct edge edge) {
    struct edges *edges = &search->edges;
    if (liveobj_os_make_room((void **)&edges->items, edges->count, &edges->capacity, sizeof edge))
        edges->items[edges->count++] = edge;
    else
        search->failed = true;
}

static void count_reference(void *context, const struct liveobj_reference *reference) {
    struct survivor_search *search = context;
    enum liveobj_ownership ownership = liveobj_label_get(reference->label).ownership;
    bool is_strong = ownership == LIVEOBJ_OWNERSHIP_STRONG;
    bool is_word = ownership == LIVEOBJ_OWNERSHIP_CONSERVATIVE;
    uint32_t target = is_strong || is_word ? record_at(search, reference->target) : 0;
    liveobj_snapshot_advance();
    if (!target)
        return;
    search->accounts[target].unexplained -= is_strong;
    search->accounts[target].words += is_word;
    note_edge(search, (struct edge){target, is_strong});
    find(search, target);
}

/// Raw buffers and tasks have no references that are sure to be strong, and an object whose
/// deinit has begun has none that are valid.
static void visit_references(struct survivor_search *search) {
    struct liveobj_reader *reader = &search->walk->capture->reader;
    uintptr_t metadata = search->object.metadata;
    struct account *account = &search->accounts[search->index];
    if (metadata == LIVEOBJ_METADATA_RAW_BUFFER || metadata == LIVEOBJ_METADATA_TASK)
        return;
    struct liveobj_strong_count strong = liveobj_strong_count_of(&search->object, reader);
    if (strong.is_pinned)
        return;
    account->has_count = strong.is_known;
    account->unexplained += strong.is_known ? (int32_t)strong.value : 0;
    search->type = liveobj_type_of(&search->object, reader);
    liveobj_references_visit(&search->object, &search->type, count_reference, search);
}

static void count_references(struct survivor_search *search) {
    search->accounts[search->index].edges = search->edges.count;
    visit_references(search);
    note_edge(search, (struct edge){0});
}

static void take_root_of_survivor(void *context, const struct liveobj_root *root) {
    struct survivor_search *search = context;
    bool is_in_use = root->kind == LIVEOBJ_ROOT_GLOBAL || root->kind == LIVEOBJ_ROOT_STACK ||
                     root->kind == LIVEOBJ_ROOT_THREAD_LOCAL;
    uint32_t index = is_in_use ? record_at(search, root->target) : 0;
    search->accounts[index].is_root = true;
    find(search, index);
}

static bool counts_references(struct survivor_search *search) {
    liveobj_roots_scan_in_use(search->walk->roots, take_root_of_survivor, search);
    for (size_t i = 0; i < search->survivors->count; i++)
        find(search, record_at(search, ~search->survivors->items[i].complement));
    note_edge(search, (struct edge){0}); // the first one is no object's
    return reads(search, &search->found, count_references);
}

// MARK: - Reached objects

static void reach(struct survivor_search *search, uint32_t index) {
    if (!index || search->accounts[index].is_reached)
        return;
    search->accounts[index].is_reached = true;
    enqueue(search, &search->reached, index);
}

static bool is_retained_by_unknown(const struct survivor_search *search, uint32_t index) {
    const struct account *account = &search->accounts[index];
    return !account->has_count || account->unexplained > 0;
}

/// A word that retains nothing holds nothing.
static void reach_from_roots(struct survivor_search *search) {
    for (uint32_t i = 0; i < search->found.count; i++) {
        uint32_t index = search->found.indices[i];
        if (search->accounts[index].is_root && is_retained_by_unknown(search, index))
            reach(search, index);
    }
}

static void follow_edges(struct survivor_search *search) {
    const struct edges *edges = &search->edges;
    uint32_t next = search->accounts[search->index].edges;
    for (struct edge edge; next < edges->count && (edge = edges->items[next]).target; next++)
        if (edge.is_strong || is_retained_by_unknown(search, edge.target))
            reach(search, edge.target);
}

// MARK: - Pointers

/// A pointer holds a buffer, and what has a retain that no other word may explain.
static void follow_pointer(struct survivor_search *search, uintptr_t place) {
    uint32_t target = record_at(search, *(const uintptr_t *)place);
    const struct account *account = &search->accounts[target];
    bool may_be_held =
        account->has_count ? account->unexplained > (int32_t)account->words : is_raw(target);
    if (target && may_be_held &&
        liveobj_references_is_pointer(&search->object, &search->type, place))
        reach(search, target);
}

static void follow_words(void *context, struct liveobj_extent words) {
    for (uintptr_t place = words.start; place < words.end; place += sizeof place) {
        liveobj_snapshot_advance();
        follow_pointer(context, place);
    }
}

/// Pointers of older objects are left to the whole walk: there are too many.
static void read_pointers(struct survivor_search *search) {
    struct account *account = &search->accounts[search->index];
    if (!is_of_later(search))
        return;
    if (!account->edges) // only a pointer leads to it
        count_references(search);
    follow_edges(search);
    if (!account->has_count)
        return;
    search->type = liveobj_type_of(&search->object, &search->walk->capture->reader);
    struct liveobj_words words =
        liveobj_words_of(&search->object, &search->type, &search->walk->capture->reader);
    if (!words.bitmap)
        liveobj_words_visit(words.next, words.end, follow_words, search);
}

// MARK: - What the test left

static bool leaves_task(struct survivor_search *search) {
    uint32_t index = 0;
    while ((index = liveobj_records_next_since(index, search->survivors->test.first)))
        if (liveobj_records_get(index, &search->object) && is_of_later(search) &&
            search->object.metadata == LIVEOBJ_METADATA_TASK)
            return true;
    return false;
}

/// A step.
static void check_buffer(void *context) {
    struct survivor_search *search = context;
    search->may_be_lost = liveobj_buffer_may_be_lost(&search->object);
}

/// Whether the instance is held, has died, or is a buffer of the runtime's own.
static bool is_explained(struct survivor_search *search, const struct liveobj_instance *instance) {
    uint32_t index = record_at(search, ~instance->complement);
    move_to(search, index);
    if (!index || search->object.sequence != instance->sequence ||
        search->accounts[index].is_reached)
        return true;
    return is_raw(index) && liveobj_snapshot_step(check_buffer, search) && !search->may_be_lost;
}

static bool explains_all(struct survivor_search *search) {
    for (size_t i = 0; i < search->survivors->count; i++)
        if (!is_explained(search, &search->survivors->items[i]))
            return false;
    return true;
}

static bool prove(struct survivor_search *search) {
    if (leaves_task(search) || !counts_references(search))
        return false;
    reach_from_roots(search);
    return (reads(search, &search->reached, follow_edges) && explains_all(search)) ||
           (reads(search, &search->reached, read_pointers) && explains_all(search));
}

static void end_queue(struct queue *queue) {
    liveobj_os_unmap(queue->indices, queue->capacity * sizeof *queue->indices);
}

bool liveobj_walk_proves_held(struct liveobj_walk *walk,
                              const struct liveobj_survivors *survivors) {
    size_t bytes = walk->records_end * sizeof(struct account);
    struct survivor_search search = {
        .walk = walk, .survivors = survivors, .accounts = liveobj_os_map(bytes)};
    bool is_held = search.accounts && prove(&search);
    liveobj_os_unmap(search.accounts, bytes);
    end_queue(&search.found);
    end_queue(&search.reached);
    liveobj_os_unmap(search.edges.items, search.edges.capacity * sizeof *search.edges.items);
    liveobj_dispatch_forget();
    return is_held;
}

LIVEOBJ_ANY_MEMORY_END

#endif
