// walk_survivors.c - proves that all that a test left behind is held, without a walk of the heap.
//
// Most tests that leave objects behind leave them to variables and threads, such as event loops and
// their channels. The proof follows strong references alone:
//
//   1. The members: the test's instances, and all that is reachable from them. Members with a
//      retain that no reference of a member explains are held from outside, and must lead to all
//      others. So no cycle keeps any of them.
//   2. A member leads to each buffer that the test allocated, so none is lost.
//   3. A variable, or a stack in use, leads to each member that is held from outside. So nothing
//      has retained it too often.
//
// What this does not prove, the whole walk decides. Any task of the test is left to it, as is what
// only memory of C code holds.

#if defined(__linux__)

#include "heap/object_type.h"
#include "heap/object_words.h"
#include "metadata/labels.h"
#include "os/compiler.h"
#include "os/os.h"
#include "os/step.h"
#include "snapshot/walk.h"

LIVEOBJ_ANY_MEMORY_BEGIN

/// What is known of an object.
struct mark {
    int32_t unexplained : 28; // retains of a member without a strong reference from a member
    bool is_member : 1;
    bool is_kept : 1;    // a member that no isolated cycle keeps
    bool is_reached : 1; // from a root
};

/// Records, each of which is added once.
struct queue {
    uint32_t *indices;
    uint32_t count;
    uint32_t capacity;
    uint32_t next;
};

struct survivor_search {
    struct liveobj_walk *walk;
    const struct liveobj_survivors *survivors;
    struct mark *marks; // by record
    struct queue members;
    struct queue kept;
    struct queue reached;
    uint32_t unreached; // members that are held from outside
    bool failed;        // there is no proof

    // Of the current step.
    struct liveobj_object object;
    void (*visit)(struct survivor_search *search, uint32_t target);
};

// MARK: - Records

static void enqueue(struct survivor_search *search, struct queue *queue, uint32_t index) {
    if (liveobj_os_make_room((void **)&queue->indices, queue->count, &queue->capacity,
                             sizeof index))
        queue->indices[queue->count++] = index;
    else
        search->failed = true;
}

static uint32_t record_at(const struct survivor_search *search, uintptr_t address) {
    struct liveobj_object object;
    uint32_t index = liveobj_records_follow(address, &object);
    return index < search->walk->records_end ? index : 0;
}

static bool is_raw(uint32_t index) {
    return (liveobj_heap.records[index].metadata & liveobj_value_mask) ==
           LIVEOBJ_METADATA_RAW_BUFFER;
}

// MARK: - Strong references

static void visit_strong(void *context, const struct liveobj_reference *reference) {
    struct survivor_search *search = context;
    liveobj_snapshot_advance();
    if (liveobj_label_get(reference->label).ownership != LIVEOBJ_OWNERSHIP_STRONG)
        return;
    uint32_t target = record_at(search, reference->target);
    if (target)
        search->visit(search, target);
}

/// A step. Raw buffers and tasks have no references that are sure to be strong.
static void read_strong_references(void *context) {
    struct survivor_search *search = context;
    struct liveobj_reader *reader = &search->walk->capture->reader;
    const struct liveobj_object *object = &search->object;
    if (object->metadata == LIVEOBJ_METADATA_RAW_BUFFER ||
        object->metadata == LIVEOBJ_METADATA_TASK ||
        liveobj_strong_count_of(object, reader).is_pinned)
        return;
    struct liveobj_type type = liveobj_type_of(object, reader);
    liveobj_references_visit(object, &type, visit_strong, search);
}

/// Visits what the objects of the queue refer to, those that are added meanwhile included.
static void follow(struct survivor_search *search, struct queue *queue, void (*step)(void *),
                   void (*visit)(struct survivor_search *search, uint32_t target)) {
    search->visit = visit;
    while (!search->failed && queue->next < queue->count) {
        uint32_t index = queue->indices[queue->next++];
        search->object = liveobj_record_unpack(liveobj_heap.records[index]);
        search->failed |= !liveobj_snapshot_step(step, search);
    }
}

// MARK: - Members

static void add_member(struct survivor_search *search, uint32_t index) {
    if (search->marks[index].is_member)
        return;
    search->marks[index].is_member = true;
    enqueue(search, &search->members, index);
}

/// Adds those that are still alive.
static void add_survivors(struct survivor_search *search) {
    for (size_t i = 0; i < search->survivors->count; i++) {
        struct liveobj_object object;
        const struct liveobj_instance *instance = &search->survivors->items[i];
        uint32_t index = liveobj_records_follow(~instance->complement, &object);
        if (index && object.sequence == instance->sequence)
            add_member(search, index);
    }
}

static void add_target(struct survivor_search *search, uint32_t target) {
    search->marks[target].unexplained--;
    add_member(search, target);
}

/// Adds the buffers at the addresses that a member holds in any way.
static void add_buffers(struct survivor_search *search, const struct liveobj_type *type) {
    struct liveobj_reader *reader = &search->walk->capture->reader;
    struct liveobj_words words = liveobj_words_of(&search->object, type, reader);
    uintptr_t word;
    while (liveobj_words_next(&words, reader, &word)) {
        liveobj_snapshot_advance();
        uint32_t target = record_at(search, word);
        if (target && is_raw(target))
            add_member(search, target);
    }
}

/// A step.
static void read_member(void *context) {
    struct survivor_search *search = context;
    struct liveobj_reader *reader = &search->walk->capture->reader;
    struct liveobj_strong_count strong = liveobj_strong_count_of(&search->object, reader);
    uint32_t index = search->members.indices[search->members.next - 1];
    struct liveobj_type type = liveobj_type_of(&search->object, reader);
    bool has_count = !is_raw(index) && strong.is_known && !strong.is_pinned;
    search->failed |= search->object.metadata == LIVEOBJ_METADATA_TASK;
    search->marks[index].unexplained += has_count ? (int32_t)strong.value : 0;
    if (!has_count) { // as raw memory, and an object whose deinit has begun
        search->marks[index].is_kept = true;
        enqueue(search, &search->kept, index);
    }
    read_strong_references(search);
    add_buffers(search, &type);
}

static void keep(struct survivor_search *search, uint32_t index) {
    if (search->marks[index].is_kept)
        return;
    search->marks[index].is_kept = true;
    enqueue(search, &search->kept, index);
}

static bool is_held_from_outside(const struct survivor_search *search, uint32_t index) {
    return search->marks[index].is_member && search->marks[index].unexplained > 0;
}

static bool finds_no_cycle(struct survivor_search *search) {
    const struct queue *members = &search->members;
    for (uint32_t i = 0; i < members->count; i++)
        if (is_held_from_outside(search, members->indices[i])) {
            keep(search, members->indices[i]);
            search->unreached++;
        }
    follow(search, &search->kept, read_strong_references, keep);
    return !search->failed && search->kept.count == members->count;
}

// MARK: - Tasks and buffers

/// A step.
static void check_buffer(void *context) {
    struct survivor_search *search = context;
    search->failed |= liveobj_buffer_may_be_lost(&search->object);
}

static bool is_of_test(const struct survivor_search *search) {
    const struct liveobj_recorded_test *test = &search->survivors->test;
    uint64_t sequence = search->object.sequence;
    return sequence >= test->first && (!test->end || sequence < test->end);
}

static void check_record(struct survivor_search *search, uint32_t index) {
    search->failed |= search->object.metadata == LIVEOBJ_METADATA_TASK;
    if (is_raw(index) && !search->marks[index].is_member)
        search->failed |= !liveobj_snapshot_step(check_buffer, search);
}

/// Whether the test has left no task behind, and no buffer that no member leads to.
static bool finds_no_other(struct survivor_search *search) {
    uint32_t index = 0;
    uint64_t first = search->survivors->test.first;
    while (!search->failed && (index = liveobj_records_next_since(index, first)))
        if (liveobj_records_get(index, &search->object) && is_of_test(search))
            check_record(search, index);
    return !search->failed;
}

// MARK: - Roots

static void reach(struct survivor_search *search, uint32_t index) {
    if (search->marks[index].is_reached)
        return;
    search->marks[index].is_reached = true;
    search->unreached -= is_held_from_outside(search, index);
    enqueue(search, &search->reached, index);
    if (search->unreached == 0) // there is nothing left to follow
        search->reached.next = search->reached.count;
}

static void take_root_of_member(void *context, const struct liveobj_root *root) {
    struct survivor_search *search = context;
    bool is_of_program = root->kind == LIVEOBJ_ROOT_GLOBAL || root->kind == LIVEOBJ_ROOT_STACK ||
                         root->kind == LIVEOBJ_ROOT_THREAD_LOCAL;
    uint32_t index = is_of_program ? record_at(search, root->target) : 0;
    if (index)
        reach(search, index);
}

static bool reaches_all(struct survivor_search *search) {
    liveobj_roots_scan_in_use(search->walk->roots, take_root_of_member, search);
    follow(search, &search->reached, read_strong_references, reach);
    return !search->failed && search->unreached == 0;
}

// MARK: - The proof

static bool prove(struct survivor_search *search) {
    add_survivors(search);
    follow(search, &search->members, read_member, add_target);
    return !search->failed && finds_no_cycle(search) && finds_no_other(search) &&
           reaches_all(search);
}

static void end_queue(struct queue *queue) {
    liveobj_os_unmap(queue->indices, queue->capacity * sizeof *queue->indices);
}

bool liveobj_walk_proves_held(struct liveobj_walk *walk,
                              const struct liveobj_survivors *survivors) {
    size_t bytes = walk->records_end * sizeof(struct mark);
    struct survivor_search search = {
        .walk = walk, .survivors = survivors, .marks = liveobj_os_map(bytes)};
    bool is_held = search.marks && prove(&search);
    liveobj_os_unmap(search.marks, bytes);
    end_queue(&search.members);
    end_queue(&search.kept);
    end_queue(&search.reached);
    return is_held;
}

LIVEOBJ_ANY_MEMORY_END

#endif
