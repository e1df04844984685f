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
    uintptr_t task;
    bool is_complete;
    liveobj_visit_reference_fn function;
    void *context;
};

static void report_reference(const struct visit *visit, uintptr_t target,
                             enum liveobj_label_kind kind) {
    if (target)
        visit->function(
            visit->context,
            &(struct liveobj_reference){target, liveobj_label_strong(kind), LIVEOBJ_NO_ELEMENT, 0});
}

static void scan_frames(const struct visit *visit, uintptr_t start, uintptr_t end) {
    uint32_t label =
        liveobj_label_make(LIVEOBJ_LABEL_TASK_FRAME, LIVEOBJ_OWNERSHIP_CONSERVATIVE, "");
    liveobj_references_scan(start, end, label, visit->function, visit->context);
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
        report_reference(visit, liveobj_word_at(future, AT_ERROR), LIVEOBJ_LABEL_TASK_RESULT);
    return result + liveobj_witnesses_of(type)->size;
}

/// Visits the first function's context, and before it the closure with which the task was created.
/// Both are retained until the task completes.
static void visit_first_context(const struct visit *visit, uintptr_t prefix, size_t prefix_bytes) {
    enum { CONTEXT_ALIGNMENT = 16, CLOSURE_BEFORE = 16 };
    uintptr_t end = visit->object->address + visit->object->bytes;
    uintptr_t start = prefix + prefix_bytes + CONTEXT_ALIGNMENT - 1;
    start -= start % CONTEXT_ALIGNMENT;
    if (start > end || visit->is_complete)
        return;
    report_reference(visit, liveobj_word_at(start - CLOSURE_BEFORE, 0), LIVEOBJ_LABEL_TASK_CLOSURE);
    scan_frames(visit, start, end);
}

static void visit_fragments(const struct visit *visit) {
    enum { CHILD_BYTES = 16, GROUP_CHILD_BYTES = 8, PREFIX_BYTES = 24, FUTURE_PREFIX_BYTES = 32 };
    uint32_t flags = liveobj_half_word(visit->task, LIVEOBJ_TASK_AT_FLAGS);
    uintptr_t next = visit->task + liveobj_task_bytes();
    next += flags & LIVEOBJ_TASK_IS_CHILD ? CHILD_BYTES : 0;
    next += flags & LIVEOBJ_TASK_IS_GROUP_CHILD ? GROUP_CHILD_BYTES : 0;
    if (flags & LIVEOBJ_TASK_IS_FUTURE)
        visit_first_context(visit, visit_future(visit, next), FUTURE_PREFIX_BYTES);
    else
        visit_first_context(visit, next, PREFIX_BYTES);
}

static void visit_slabs(const struct visit *visit) {
    struct slab {
        uintptr_t metadata;
        const struct slab *next;
        uint32_t capacity;
        uint32_t used;
    };
    enum { AT_DATA = 32 };
    const struct slab *slab =
        (const struct slab *)liveobj_word_at(visit->task, LIVEOBJ_TASK_AT_FIRST_SLAB);
    for (uint32_t i = 0; slab && i < LIVEOBJ_TASK_LIST_LIMIT; i++, slab = slab->next)
        if (slab->used <= slab->capacity)
            scan_frames(visit, (uintptr_t)slab + AT_DATA, (uintptr_t)slab + AT_DATA + slab->used);
}

/// Whether an item of a task's local values ends those of the task itself: what follows belongs to
/// a parent. Swift 6.0 marks it in the lowest bit, later versions have two bits above that.
static bool is_parents(uintptr_t kind) {
    enum { PARENTS_IN_6_0 = 1, PARENTS = 4 };
    return kind == PARENTS_IN_6_0 || kind == PARENTS;
}

/// Also if it was bound in the body of a task group.
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

void liveobj_task_visit(const struct liveobj_object *task, liveobj_visit_reference_fn function,
                        void *context) {
    struct visit visit = {task, task->address, false, function, context};
    if (!liveobj_task_is_readable(task->address))
        return scan_frames(&visit, task->address, task->address + task->bytes);
    visit.is_complete =
        liveobj_half_word(task->address, LIVEOBJ_TASK_AT_STATUS) & LIVEOBJ_TASK_STATUS_COMPLETE;
    visit_fragments(&visit);
    visit_locals(&visit);
    visit_slabs(&visit);
}

LIVEOBJ_ANY_MEMORY_END

#endif
