// tasks.c - the references of Swift's asynchronous tasks; see references.h. Owns nothing.

#if defined(__linux__)

#include "heap/references.h"
#include "metadata/labels.h"
#include "metadata/metadata.h"
#include "metadata/task_state.h"
#include "os/compiler.h"

LIVEOBJ_ANY_MEMORY_BEGIN

struct visit {
    const struct liveobj_object *object;
    uintptr_t task; // the object, or a task of `async let` in its memory
    bool is_complete;
    uint32_t depth; // of `async let` in `async let`
    uint32_t *left; // children that may still be visited: lists may be garbage
    liveobj_visit_reference_fn function;
    void *context;
};

// MARK: - References that keep alive

static void report_task_reference(const struct visit *visit, uintptr_t target,
                                  enum liveobj_label_kind kind) {
    if (target)
        visit->function(visit->context,
                        &(struct liveobj_reference){target, liveobj_label_strong(kind),
                                                    LIVEOBJ_NO_ELEMENT, 0, 0});
}

static void scan_task_words(const struct visit *visit, uintptr_t start, uintptr_t end,
                            enum liveobj_label_kind kind) {
    uint32_t label = liveobj_label_make(kind, LIVEOBJ_OWNERSHIP_CONSERVATIVE, "");
    liveobj_references_scan(start, end, label, visit->function, visit->context);
}

static void scan_frames(const struct visit *visit, uintptr_t start, uintptr_t end) {
    scan_task_words(visit, start, end, LIVEOBJ_LABEL_TASK_FRAME);
}

// MARK: - Fragments

/// Behind those of a child task: the future, or the closure of a task without one.
static uintptr_t last_fragment(uintptr_t task) {
    enum { CHILD_BYTES = 16, GROUP_CHILD_BYTES = 8 };
    uint32_t flags = liveobj_half_word(task, LIVEOBJ_TASK_AT_FLAGS);
    return task + liveobj_task_bytes() + (flags & LIVEOBJ_TASK_IS_CHILD ? CHILD_BYTES : 0) +
           (flags & LIVEOBJ_TASK_IS_GROUP_CHILD ? GROUP_CHILD_BYTES : 0);
}

/// Visits the result of a task whose value can be awaited. \returns where the result ends.
static uintptr_t visit_future(const struct visit *visit, uintptr_t future) {
    enum { AT_TYPE = 8, AT_ERROR = 16, AT_RESULT = 24, SUCCESS = 1, FAILURE = 2, STATE_MASK = 3 };
    uintptr_t type = liveobj_word_at(future, AT_TYPE),
              state = liveobj_word_at(future, 0) & STATE_MASK;
    uintptr_t result = liveobj_value_offset(type, future + AT_RESULT);
    if (state == SUCCESS)
        liveobj_references_visit_value(result, type,
                                       liveobj_label_strong(LIVEOBJ_LABEL_TASK_RESULT),
                                       visit->function, visit->context);
    else if (state == FAILURE)
        report_task_reference(visit, liveobj_word_at(future, AT_ERROR), LIVEOBJ_LABEL_TASK_RESULT);
    return result + liveobj_witnesses_of(type)->size;
}

/// Visits the first function's context, and before it the closure with which the task was created.
/// Both are retained until the task completes.
static void visit_first_context(const struct visit *visit, uintptr_t prefix, size_t prefix_bytes) {
    enum { CONTEXT_ALIGNMENT = 16, CLOSURE_BEFORE = 16 };
    uintptr_t object = visit->object->address, bytes = visit->object->bytes;
    uintptr_t slab = liveobj_word_at(visit->task, LIVEOBJ_TASK_AT_FIRST_SLAB);
    uintptr_t end = slab - object < bytes ? slab : object + bytes;
    uintptr_t start = prefix + prefix_bytes + CONTEXT_ALIGNMENT - 1;
    start -= start % CONTEXT_ALIGNMENT;
    if (start > end || visit->is_complete)
        return;
    report_task_reference(visit, liveobj_word_at(start - CLOSURE_BEFORE, 0),
                          LIVEOBJ_LABEL_TASK_CLOSURE);
    scan_frames(visit, start, end);
}

static void visit_fragments(const struct visit *visit) {
    enum { PREFIX_BYTES = 24, FUTURE_PREFIX_BYTES = 32 };
    uint32_t flags = liveobj_half_word(visit->task, LIVEOBJ_TASK_AT_FLAGS);
    uintptr_t next = last_fragment(visit->task);
    if (flags & LIVEOBJ_TASK_IS_FUTURE)
        visit_first_context(visit, visit_future(visit, next), FUTURE_PREFIX_BYTES);
    else
        visit_first_context(visit, next, PREFIX_BYTES);
}

// MARK: - Slabs

static const struct liveobj_task_slab *first_slab(uintptr_t task) {
    return (const struct liveobj_task_slab *)liveobj_word_at(task, LIVEOBJ_TASK_AT_FIRST_SLAB);
}

static bool is_in_slabs(uintptr_t address, uintptr_t task) {
    const struct liveobj_task_slab *slab = first_slab(task);
    for (uint32_t i = 0; slab && i < LIVEOBJ_TASK_LIST_LIMIT; i++, slab = slab->next)
        if (address - (uintptr_t)slab < sizeof *slab + slab->capacity)
            return true;
    return false;
}

/// Whether a slab of an inner task is in a frame of the tasks that enclose it, which was visited.
static bool is_in_frame(const struct visit *visit, const struct liveobj_task_slab *slab) {
    uintptr_t address = (uintptr_t)slab, task = visit->task;
    if (task == visit->object->address)
        return false;
    for (uint32_t i = 0; task && task != visit->object->address && i < visit->depth; i++) {
        task = liveobj_task_parent(task);
        if (task && is_in_slabs(address, task))
            return true;
    }
    return address - visit->object->address < visit->object->bytes;
}

/// Frames are allocated in the order of the calls, and those of the runtime's functions in which a
/// task waits are its last.
static void visit_slabs(const struct visit *visit) {
    uintptr_t runtime = liveobj_task_runtime_frames(visit->task);
    const struct liveobj_task_slab *slab = first_slab(visit->task);
    for (uint32_t i = 0; slab && i < LIVEOBJ_TASK_LIST_LIMIT; i++, slab = slab->next) {
        uintptr_t start = (uintptr_t)(slab + 1), end = start + slab->used;
        if (slab->used > slab->capacity || is_in_frame(visit, slab))
            continue;
        uintptr_t until = runtime - start < slab->used ? runtime : end;
        scan_frames(visit, start, until);
        scan_task_words(visit, until, end, LIVEOBJ_LABEL_RUNTIME_FRAME);
    }
}

// MARK: - Task-local values

/// Whether an item of a task's local values ends those of the task itself: what follows belongs to
/// a parent. Swift 6.0 marks it in the lowest bit, later versions have two bits above that.
static bool is_parents(uintptr_t kind) {
    enum { PARENTS_IN_6_0 = 1, PARENTS = 4 };
    return kind == PARENTS_IN_6_0 || kind == PARENTS;
}

/// Whether an item binds a value, in the body of a task group too.
static bool is_local_value(uintptr_t kind) {
    enum { VALUE = 0, VALUE_IN_GROUP = 2 };
    return kind == VALUE || kind == VALUE_IN_GROUP;
}

/// Task-local values, innermost first (include/swift/ABI/TaskLocal.h of swiftlang/swift).
static void visit_locals(const struct visit *visit) {
    enum { AT_TYPE = 16, AT_VALUE = 24, KIND_MASK = 7 };
    uintptr_t item = liveobj_word_at(visit->task, LIVEOBJ_TASK_AT_LOCALS), kind = 0;
    for (uint32_t i = 0; item && i < LIVEOBJ_TASK_LIST_LIMIT && !is_parents(kind); i++) {
        kind = liveobj_word_at(item, 0) & KIND_MASK;
        uintptr_t type = is_local_value(kind) ? liveobj_word_at(item, AT_TYPE) : 0;
        if (type)
            liveobj_references_visit_value(liveobj_value_offset(type, item + AT_VALUE), type,
                                           liveobj_label_strong(LIVEOBJ_LABEL_TASK_LOCAL),
                                           visit->function, visit->context);
        item = liveobj_word_at(item, 0) & ~(uintptr_t)KIND_MASK;
    }
}

// MARK: - Other tasks

/// Reports a task that continues when this one ends, or that is cancelled with it.
static void report_task(const struct visit *visit, uintptr_t task, enum liveobj_label_kind kind) {
    uint32_t label = liveobj_label_make(kind, LIVEOBJ_OWNERSHIP_UNMANAGED, "");
    visit->function(visit->context,
                    &(struct liveobj_reference){task, label, LIVEOBJ_NO_ELEMENT, 0, 0});
}

/// Visits the tasks that wait for this one's value. Their list begins in the word that has the
/// future's state, in which 0 is that of a task that has not ended.
static void visit_waiting(const struct visit *visit) {
    enum { STATE_MASK = 3 };
    uint32_t flags = liveobj_half_word(visit->task, LIVEOBJ_TASK_AT_FLAGS);
    uintptr_t word = flags & LIVEOBJ_TASK_IS_FUTURE ? *(uintptr_t *)last_fragment(visit->task) : 0;
    uintptr_t waiting = word & STATE_MASK ? 0 : word;
    for (uint32_t i = 0; waiting && i < LIVEOBJ_TASK_LIST_LIMIT; i++) {
        if (!liveobj_task_is_readable(waiting))
            return;
        report_task(visit, waiting, LIVEOBJ_LABEL_WAITING_TASK);
        waiting = liveobj_word_at(waiting, LIVEOBJ_TASK_AT_NEXT_WAITING);
    }
}

/// Visits the next task in the list of an executor.
static void visit_next_enqueued(const struct visit *visit) {
    uintptr_t next = liveobj_word_at(visit->task, LIVEOBJ_TASK_AT_NEXT_WAITING);
    if (liveobj_task_read(visit->task).state == LIVEOBJ_TASK_ENQUEUED && next)
        report_task(visit, next, LIVEOBJ_LABEL_WAITING_TASK);
}

/// Visits the task that waits for a task of its group. It may wait for another one of its groups.
static void visit_owner_of_group(const struct visit *visit) {
    uint32_t flags = liveobj_half_word(visit->task, LIVEOBJ_TASK_AT_FLAGS);
    uintptr_t owner = flags & LIVEOBJ_TASK_IS_GROUP_CHILD ? liveobj_task_parent(visit->task) : 0;
    enum liveobj_task_wait wait = owner ? liveobj_task_read(owner).wait : LIVEOBJ_TASK_WAIT_TASK;
    if (wait == LIVEOBJ_TASK_WAIT_GROUP || wait == LIVEOBJ_TASK_WAIT_NONE)
        report_task(visit, owner, LIVEOBJ_LABEL_WAITING_TASK);
}

static void visit_related(const struct visit *visit);

/// Visits a child. That of an `async let` is in this task's memory: its frames are this task's.
static void visit_child(void *context, uintptr_t child, bool is_async_let) {
    enum { MOST_NESTED = 256 };
    const struct visit *visit = context;
    if (*visit->left == 0 || visit->depth == MOST_NESTED)
        return;
    --*visit->left;
    if (!is_async_let)
        return report_task(visit, child, LIVEOBJ_LABEL_TASK_CHILD);
    struct visit inner = *visit;
    inner.task = child;
    inner.depth++;
    visit_slabs(&inner);
    visit_related(&inner);
}

static void visit_related(const struct visit *visit) {
    visit_waiting(visit);
    visit_next_enqueued(visit);
    visit_owner_of_group(visit);
    liveobj_task_visit_children(visit->task, visit_child, (void *)visit);
}

void liveobj_task_visit(const struct liveobj_object *task, liveobj_visit_reference_fn function,
                        void *context) {
    uint32_t left = LIVEOBJ_TASK_LIST_LIMIT;
    struct visit visit = {task, task->address, false, 0, &left, function, context};
    if (!liveobj_task_is_readable(task->address))
        return scan_frames(&visit, task->address, task->address + task->bytes);
    visit.is_complete =
        liveobj_half_word(task->address, LIVEOBJ_TASK_AT_STATUS) & LIVEOBJ_TASK_STATUS_COMPLETE;
    visit_fragments(&visit);
    visit_locals(&visit);
    visit_slabs(&visit);
    if (!visit.is_complete)
        visit_related(&visit);
}

LIVEOBJ_ANY_MEMORY_END

#endif
