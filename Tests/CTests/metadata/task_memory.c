// The references, slabs and inner tasks of fake tasks, in the layout of version 1.

#include "metadata/task_memory.h"
#include "heap/references.h"
#include "metadata/labels.h"
#include "metadata/task_state.h"
#include "records/records.h"
#include "runtime/runtime.h"
#include "support/expect.h"
#include "support/fake_runtime.h"

#include <stdlib.h>
#include <string.h>

#ifdef __linux__

enum {
    TASK_BYTES = FAKE_TASK_BYTES,
    MOST_BYTES = 1024,
    WAITS = 0x4000,
    CHILD_RECORD = 1,
    GROUP_RECORD = 2,
    MOST_SEEN = 64,
};

// The symbols by which the recorder recognises tasks and their layout.
uintptr_t _swift_concurrency_debug_asyncTaskMetadata = 0x1234560;
const size_t _swift_concurrency_debug_asyncTaskSize = TASK_BYTES;
const uint32_t _swift_concurrency_debug_internal_layout_version = 1;
const bool _swift_concurrency_debug_supportsPriorityEscalation = false;

struct status_record {
    uintptr_t kind;
    struct status_record *next;
    uintptr_t first_child;
};

struct slab_of_test {
    struct liveobj_task_slab header;
    uintptr_t words[8];
};

static void put(uintptr_t task, size_t offset, uintptr_t word) {
    memcpy((char *)task + offset, &word, sizeof word);
}

static uintptr_t make_task(uint32_t flags) {
    uintptr_t task = (uintptr_t)calloc(1, MOST_BYTES);
    put(task, 0, _swift_concurrency_debug_asyncTaskMetadata);
    put(task, LIVEOBJ_TASK_AT_FLAGS, flags);
    return task;
}

static struct slab_of_test *add_slab(uintptr_t task) {
    struct slab_of_test *slab = calloc(1, sizeof *slab);
    slab->header.capacity = sizeof slab->words;
    put(task, LIVEOBJ_TASK_AT_FIRST_SLAB, (uintptr_t)slab);
    return slab;
}

static void add_child(uintptr_t parent, struct status_record *record, uintptr_t kind,
                      uintptr_t child) {
    *record = (struct status_record){kind, NULL, child};
    put(parent, LIVEOBJ_TASK_AT_STATUS_RECORDS, (uintptr_t)record);
    put(child, TASK_BYTES, parent);
}

// MARK: - References

struct seen {
    uint32_t count;
    struct {
        uintptr_t target;
        enum liveobj_label_kind kind;
    } items[MOST_SEEN];
};

static void note(void *context, const struct liveobj_reference *reference) {
    struct seen *seen = context;
    if (seen->count < MOST_SEEN) {
        seen->items[seen->count].kind = liveobj_label_get(reference->label).kind;
        seen->items[seen->count++].target = reference->target;
    }
}

static uint32_t times(const struct seen *seen, uintptr_t target, enum liveobj_label_kind kind) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < seen->count; i++)
        count += seen->items[i].target == target && seen->items[i].kind == kind;
    return count;
}

static struct seen visit(uintptr_t task) {
    struct seen seen = {0};
    struct liveobj_object object = {.address = task, .bytes = TASK_BYTES};
    liveobj_task_visit(&object, note, &seen);
    return seen;
}

static void a_task_refers_to_the_tasks_of_its_group(void) {
    struct status_record record;
    uintptr_t parent = make_task(0), first = make_task(LIVEOBJ_TASK_IS_CHILD),
              second = make_task(LIVEOBJ_TASK_IS_CHILD);
    add_child(parent, &record, GROUP_RECORD, first);
    put(first, TASK_BYTES + sizeof(uintptr_t), second);
    struct seen seen = visit(parent);
    EXPECT(times(&seen, first, LIVEOBJ_LABEL_TASK_CHILD) == 1);
    EXPECT(times(&seen, second, LIVEOBJ_LABEL_TASK_CHILD) == 1);
    free((void *)parent), free((void *)first), free((void *)second);
}

static void a_task_of_a_group_refers_to_the_one_that_waits_for_it(void) {
    enum { AT_KIND = 32 };
    uintptr_t parent = make_task(0),
              child = make_task(LIVEOBJ_TASK_IS_CHILD | LIVEOBJ_TASK_IS_GROUP_CHILD);
    unsigned char dependency[64] = {[AT_KIND] = LIVEOBJ_TASK_WAIT_GROUP};
    put(child, TASK_BYTES, parent);
    put(parent, LIVEOBJ_TASK_AT_STATUS, WAITS);
    put(parent, LIVEOBJ_TASK_AT_DEPENDENCY, (uintptr_t)dependency);
    struct seen seen = visit(child);
    EXPECT(times(&seen, parent, LIVEOBJ_LABEL_WAITING_TASK) == 1);
    dependency[AT_KIND] = LIVEOBJ_TASK_WAIT_CONTINUATION;
    seen = visit(child);
    EXPECT(times(&seen, parent, LIVEOBJ_LABEL_WAITING_TASK) == 0);
    free((void *)parent), free((void *)child);
}

// MARK: - Memory

static void slabs_and_inner_tasks_are_found(void) {
    struct status_record record;
    uintptr_t parent = make_task(0), child = make_task(LIVEOBJ_TASK_IS_CHILD);
    struct slab_of_test *slab = add_slab(parent), *inner = add_slab(child);
    add_child(parent, &record, CHILD_RECORD, child);
    struct liveobj_task_memory memory = {0};
    liveobj_task_memory_add(&memory, parent);
    EXPECT(liveobj_address_find(&memory.slabs, (uintptr_t)slab));
    EXPECT(liveobj_address_find(&memory.slabs, (uintptr_t)inner));
    EXPECT(liveobj_task_memory_find(&memory, child) == parent);
    EXPECT(liveobj_task_memory_find(&memory, parent) == 0);
    EXPECT(liveobj_task_memory_find(&memory, child + sizeof(uintptr_t)) == 0);
    liveobj_task_memory_add(&memory, child); // already there
    EXPECT(memory.inner.count == 1);
    free(slab), free(inner), free((void *)parent), free((void *)child);
}

static void a_running_task_owns_itself_and_its_slabs(void) {
    uintptr_t task = make_task(0), page_end = liveobj_round_up(task + TASK_BYTES, 4096);
    struct slab_of_test *first = add_slab(task), *second = calloc(1, sizeof *second);
    first->header.next = &second->header;
    second->header.capacity = sizeof second->words;
    EXPECT(liveobj_task_owns(task, task) && liveobj_task_owns(task, page_end - 1));
    EXPECT(!liveobj_task_owns(task, task - 1));
    EXPECT(liveobj_task_owns(task, (uintptr_t)&first->words[7]));
    EXPECT(liveobj_task_owns(task, (uintptr_t)&second->words[7]));
    EXPECT(!liveobj_task_owns(task, page_end + 4096));
    second->header.next = &first->header; // a circle
    EXPECT(!liveobj_task_owns(task, page_end + 4096));
    free(first), free(second), free((void *)task);
}

static void frames_of_an_inner_task_are_visited_once(void) {
    struct status_record record;
    uintptr_t parent = make_task(0), child = make_task(LIVEOBJ_TASK_IS_CHILD);
    struct slab_of_test *slab = add_slab(child);
    slab->words[1] = 0x7000001230;
    slab->words[3] = 0x7000004560; // behind the used part
    slab->header.used = 2 * sizeof *slab->words;
    add_child(parent, &record, CHILD_RECORD, child);
    struct seen seen = visit(parent);
    EXPECT(times(&seen, 0x7000001230, LIVEOBJ_LABEL_TASK_FRAME) == 1);
    EXPECT(times(&seen, 0x7000004560, LIVEOBJ_LABEL_TASK_FRAME) == 0);
    free(slab), free((void *)parent), free((void *)child);
}

static void a_list_that_is_a_circle_ends(void) {
    struct status_record record;
    uintptr_t parent = make_task(0), child = make_task(LIVEOBJ_TASK_IS_CHILD);
    add_child(parent, &record, GROUP_RECORD, child);
    put(child, TASK_BYTES + sizeof(uintptr_t), child);
    struct seen seen = visit(parent);
    EXPECT(times(&seen, child, LIVEOBJ_LABEL_TASK_CHILD) == MOST_SEEN);
    record.next = &record;
    seen = visit(parent);
    EXPECT(seen.count == MOST_SEEN);
    free((void *)parent), free((void *)child);
}

int main(void) {
    EXPECT(liveobj_runtime_find() == LIVEOBJ_STATE_READY);
    EXPECT(liveobj_tasks_prepare());
    a_task_refers_to_the_tasks_of_its_group();
    a_task_of_a_group_refers_to_the_one_that_waits_for_it();
    slabs_and_inner_tasks_are_found();
    a_running_task_owns_itself_and_its_slabs();
    frames_of_an_inner_task_are_visited_once();
    a_list_that_is_a_circle_ends();
    return EXPECT_STATUS();
}

#else
int main(void) {
    return 0;
}
#endif
