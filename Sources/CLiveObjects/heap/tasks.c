// tasks.c - see tasks.h. Owns nothing but what `liveobj_tasks_prepare` found out.
//
// A task is one piece of memory: the task itself, fragments that depend on its kind, its result,
// and the first asynchronous function's context. Later contexts lie in slabs of its own. Layout
// version 1: include/swift/ABI/Task.h and stdlib/public/Concurrency/TaskPrivate.h of
// swiftlang/swift.

#if defined(__linux__)

#include "tasks.h"
#include "metadata.h"

LIVEOBJ_ANY_MEMORY_BEGIN

/// 0 if tasks cannot be read. Atomic: the same whoever finds it out.
static size_t task_bytes;

/// Byte offsets in a task.
enum {
    AT_FLAGS = 32,
    AT_RESUME_FUNCTION = 56,
    AT_RESUME_CONTEXT = 64,
    AT_STATUS = 96,
    AT_FIRST_SLAB = 120,
    AT_LOCALS = 136,
    AT_DEPENDENCY = 160,
};

enum {
    IS_CHILD = 1 << 24,
    IS_FUTURE = 1 << 25,
    IS_GROUP_CHILD = 1 << 26,
};

enum {
    STATUS_RUNNING = 0x800,
    STATUS_ENQUEUED = 0x1000,
    STATUS_COMPLETE = 0x2000,
    STATUS_WAITS = 0x4000,
};

/// More than any task has; what is read may be garbage.
enum { LIST_LIMIT = 1 << 16 };

/// Swift 6.0 does not tell its layout, which is that of version 1 but for what comes last. It is
/// the first that lets tasks prefer an executor.
static size_t known_task_bytes(const struct liveobj_runtime *runtime) {
    enum { BYTES_IN_6_0 = 192, BYTES = 208 };
    const uint32_t *version = runtime->_swift_concurrency_debug_internal_layout_version;
    const size_t *bytes = runtime->_swift_concurrency_debug_asyncTaskSize;
    if (!version && !bytes)
        return runtime->swift_task_pushTaskExecutorPreference ? BYTES_IN_6_0 : 0;
    return version && *version == 1 && bytes && *bytes == BYTES ? BYTES : 0;
}

bool liveobj_tasks_prepare(void) {
    const struct liveobj_runtime *runtime = liveobj_recorder_runtime();
    const bool *escalates = runtime->_swift_concurrency_debug_supportsPriorityEscalation;
    size_t bytes = escalates && !*escalates ? known_task_bytes(runtime) : 0;
    // Relaxed, here and below: there is nothing else to it.
    __atomic_store_n(&task_bytes, bytes, __ATOMIC_RELAXED);
    return bytes > 0;
}

static inline size_t bytes_of_task(void) {
    return __atomic_load_n(&task_bytes, __ATOMIC_RELAXED);
}

static bool can_read(uintptr_t task) {
    return bytes_of_task() > 0 && liveobj_type_is_task(liveobj_word(task, 0));
}

static uintptr_t word_at(uintptr_t address, size_t offset) {
    return *(const uintptr_t *)(address + offset);
}

// MARK: - Whose child it is

LIVEOBJ_HOOK uintptr_t liveobj_task_parent(uintptr_t task) {
    size_t bytes = bytes_of_task();
    bool is_child = bytes > 0 && *(const uint32_t *)(task + AT_FLAGS) & IS_CHILD;
    return is_child ? *(const uintptr_t *)(task + bytes) : 0;
}

// MARK: - What it does

static enum liveobj_task_state state_of(uint32_t status) {
    return status & STATUS_COMPLETE   ? LIVEOBJ_TASK_COMPLETE
           : status & STATUS_RUNNING  ? LIVEOBJ_TASK_RUNNING
           : status & STATUS_ENQUEUED ? LIVEOBJ_TASK_ENQUEUED
                                      : LIVEOBJ_TASK_SUSPENDED;
}

/// A dependency record says what it is a wait for, as LIVEOBJ_TASK_WAIT_* are numbered.
static void read_dependency(uintptr_t record, struct liveobj_task *task) {
    enum { AT_AWAITED = 16, AT_KIND = 32 };
    uint8_t kind = record ? *(const uint8_t *)(record + AT_KIND) : 0;
    if (kind < LIVEOBJ_TASK_WAIT_TASK || kind > LIVEOBJ_TASK_WAIT_EXECUTOR)
        return;
    task->wait = (enum liveobj_task_wait)kind;
    if (kind <= LIVEOBJ_TASK_WAIT_CONTINUATION)
        task->awaited = word_at(record, AT_AWAITED);
}

static void add_frame(struct liveobj_task *task, uintptr_t function) {
    bool repeats = task->frame_count > 0 && task->frames[task->frame_count - 1] == function;
    if (function && !repeats)
        task->frames[task->frame_count++] = function;
}

/// Each asynchronous function's context leads to its caller's, and to the function that the caller
/// goes on in. A task that waits for something resumes in the runtime first.
static void read_frames(uintptr_t address, struct liveobj_task *task) {
    struct context {
        const struct context *parent;
        uintptr_t resume;
    };
    if (task->wait == LIVEOBJ_TASK_WAIT_NONE || task->wait == LIVEOBJ_TASK_WAIT_EXECUTOR)
        add_frame(task, word_at(address, AT_RESUME_FUNCTION));
    const struct context *context = (const struct context *)word_at(address, AT_RESUME_CONTEXT);
    for (uint32_t i = 0; context && i < LIST_LIMIT && task->frame_count < LIVEOBJ_TASK_FRAMES;
         i++) {
        add_frame(task, context->resume);
        context = context->parent;
    }
}

struct liveobj_task liveobj_task_read(uintptr_t address) {
    struct liveobj_task task = {0};
    if (!can_read(address))
        return task;
    uint32_t status = liveobj_half_word(address, AT_STATUS);
    task.state = state_of(status);
    if (task.state == LIVEOBJ_TASK_COMPLETE || task.state == LIVEOBJ_TASK_RUNNING)
        return task; // its contexts are gone, or ahead of what the task says
    if (status & STATUS_WAITS)
        read_dependency(word_at(address, AT_DEPENDENCY), &task);
    read_frames(address, &task);
    return task;
}

// MARK: - What it holds

struct visit {
    const struct liveobj_object *object;
    uintptr_t task;
    bool is_complete;
    liveobj_visit_reference_fn function;
    void *context;
};

static uint32_t strong_label(enum liveobj_label_kind kind) {
    return liveobj_label_make(kind, LIVEOBJ_OWNERSHIP_STRONG, "");
}

static void tell(const struct visit *visit, uintptr_t target, enum liveobj_label_kind kind) {
    if (target)
        visit->function(visit->context, &(struct liveobj_reference){target, strong_label(kind),
                                                                    LIVEOBJ_NO_ELEMENT, 0});
}

static void scan_frames(const struct visit *visit, uintptr_t start, uintptr_t end) {
    uint32_t label =
        liveobj_label_make(LIVEOBJ_LABEL_TASK_FRAME, LIVEOBJ_OWNERSHIP_CONSERVATIVE, "");
    liveobj_references_scan(start, end, label, visit->function, visit->context);
}

/// The result of a task whose value others may ask for. \returns where it ends.
static uintptr_t visit_future(const struct visit *visit, uintptr_t future) {
    enum { AT_TYPE = 8, AT_ERROR = 16, AT_RESULT = 24, SUCCESS = 1, FAILURE = 2, STATE_MASK = 3 };
    uintptr_t type = word_at(future, AT_TYPE), state = word_at(future, 0) & STATE_MASK;
    uintptr_t result = liveobj_value_offset(type, future + AT_RESULT);
    if (state == SUCCESS)
        liveobj_references_visit_value(result, type, strong_label(LIVEOBJ_LABEL_TASK_RESULT),
                                       visit->function, visit->context);
    else if (state == FAILURE)
        tell(visit, word_at(future, AT_ERROR), LIVEOBJ_LABEL_TASK_RESULT);
    return result + liveobj_witnesses_of(type)->size;
}

/// The first function's context, and before it the closure that the task was made with: held until
/// the task is complete.
static void visit_first_context(const struct visit *visit, uintptr_t prefix, size_t prefix_bytes) {
    enum { CONTEXT_ALIGNMENT = 16, CLOSURE_BEFORE = 16 };
    uintptr_t end = visit->object->address + visit->object->bytes;
    uintptr_t start = prefix + prefix_bytes + CONTEXT_ALIGNMENT - 1;
    start -= start % CONTEXT_ALIGNMENT;
    if (start > end || visit->is_complete)
        return;
    tell(visit, word_at(start - CLOSURE_BEFORE, 0), LIVEOBJ_LABEL_TASK_CLOSURE);
    scan_frames(visit, start, end);
}

static void visit_fragments(const struct visit *visit) {
    enum { CHILD_BYTES = 16, GROUP_CHILD_BYTES = 8, PREFIX_BYTES = 24, FUTURE_PREFIX_BYTES = 32 };
    uint32_t flags = liveobj_half_word(visit->task, AT_FLAGS);
    uintptr_t next = visit->task + bytes_of_task();
    next += flags & IS_CHILD ? CHILD_BYTES : 0;
    next += flags & IS_GROUP_CHILD ? GROUP_CHILD_BYTES : 0;
    if (flags & IS_FUTURE)
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
    const struct slab *slab = (const struct slab *)word_at(visit->task, AT_FIRST_SLAB);
    for (uint32_t i = 0; slab && i < LIST_LIMIT; i++, slab = slab->next)
        if (slab->used <= slab->capacity)
            scan_frames(visit, (uintptr_t)slab + AT_DATA, (uintptr_t)slab + AT_DATA + slab->used);
}

/// Task-local values, innermost first. Those of a parent follow its marker: they are the parent's.
static void visit_locals(const struct visit *visit) {
    enum { AT_TYPE = 16, AT_VALUE = 24, KIND_MASK = 3, IS_VALUE = 0, IS_PARENTS = 1 };
    uintptr_t item = word_at(visit->task, AT_LOCALS), kind = IS_VALUE;
    for (uint32_t i = 0; item && i < LIST_LIMIT && kind != IS_PARENTS; i++) {
        kind = word_at(item, 0) & KIND_MASK;
        uintptr_t type = kind == IS_VALUE ? word_at(item, AT_TYPE) : 0;
        if (type)
            liveobj_references_visit_value(liveobj_value_offset(type, item + AT_VALUE), type,
                                           strong_label(LIVEOBJ_LABEL_TASK_LOCAL), visit->function,
                                           visit->context);
        item = word_at(item, 0) & ~(uintptr_t)KIND_MASK;
    }
}

void liveobj_task_visit(const struct liveobj_object *task, liveobj_visit_reference_fn function,
                        void *context) {
    struct visit visit = {task, task->address, false, function, context};
    if (!can_read(task->address))
        return scan_frames(&visit, task->address, task->address + task->bytes);
    visit.is_complete = liveobj_half_word(task->address, AT_STATUS) & STATUS_COMPLETE;
    visit_fragments(&visit);
    visit_locals(&visit);
    visit_slabs(&visit);
}

LIVEOBJ_ANY_MEMORY_END

#endif
