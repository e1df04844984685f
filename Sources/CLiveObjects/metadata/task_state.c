// task_state.c - reads tasks. Owns only the result of `liveobj_tasks_prepare`. See task_state.h.
//
// A task is one block of memory: the task itself, fragments that depend on its kind, its result,
// and the context of its first asynchronous function. Later contexts are in the task's slabs.
// Layout version 1: include/swift/ABI/Task.h and stdlib/public/Concurrency/TaskPrivate.h of
// swiftlang/swift.

#if defined(__linux__)

#include "metadata/task_state.h"
#include "metadata/metadata.h"
#include "metadata/types.h"
#include "os/os.h"
#include "runtime/runtime.h"

#include <pthread.h>

LIVEOBJ_ANY_MEMORY_BEGIN

/// 0 if tasks cannot be read. Atomic, and so are the next two: every thread computes the same.
static size_t task_bytes;
/// The code of the concurrency library; empty where it is linked into the program.
static uintptr_t library_start, library_end;

enum {
    STATUS_RUNNING = 0x800,
    STATUS_ENQUEUED = 0x1000,
    STATUS_WAITS = 0x4000,
};

/// The size of a task's fixed part. Swift 6.0 has no symbols for its layout, which is that of
/// version 1 except for the last members. It is the first version in which tasks can prefer an
/// executor. In later ones the last member is a lock, whose size depends on the architecture.
static size_t known_task_bytes(const struct liveobj_runtime *runtime) {
    enum { BYTES_IN_6_0 = 192, AT_LOCK = 168, ALIGNMENT = 16 };
    const uint32_t *version = runtime->_swift_concurrency_debug_internal_layout_version;
    const size_t *bytes = runtime->_swift_concurrency_debug_asyncTaskSize;
    size_t expected = liveobj_round_up(AT_LOCK + sizeof(pthread_mutex_t), ALIGNMENT);
    if (!version && !bytes)
        return runtime->swift_task_pushTaskExecutorPreference ? BYTES_IN_6_0 : 0;
    return version && *version == 1 && bytes && *bytes == expected ? expected : 0;
}

/// \returns The end of the code.
static uintptr_t take_code(struct liveobj_extent code) {
    __atomic_store_n(&library_start, code.start, __ATOMIC_RELAXED);
    return code.end;
}

static void find_library(uintptr_t address) {
    struct liveobj_image image;
    if (liveobj_image_of(address, &image) && liveobj_image_is_named(&image, "libswift_Concurrency"))
        __atomic_store_n(&library_end, liveobj_image_find_in_code(&image, take_code),
                         __ATOMIC_RELAXED);
}

bool liveobj_tasks_prepare(void) {
    const struct liveobj_runtime *runtime = liveobj_runtime_current();
    const bool *escalates = runtime->_swift_concurrency_debug_supportsPriorityEscalation;
    size_t bytes = escalates && !*escalates ? known_task_bytes(runtime) : 0;
    find_library((uintptr_t)escalates);
    // Relaxed, here and below: the word refers to no other memory.
    __atomic_store_n(&task_bytes, bytes, __ATOMIC_RELAXED);
    return bytes > 0;
}

LIVEOBJ_HOOK size_t liveobj_task_bytes(void) {
    return __atomic_load_n(&task_bytes, __ATOMIC_RELAXED);
}

LIVEOBJ_HOOK bool liveobj_task_is_readable(uintptr_t task) {
    return liveobj_task_bytes() > 0 && liveobj_type_is_task(*(const uintptr_t *)task);
}

// MARK: - Memory

/// The context of the first function follows the fixed part, nearly always in the same page.
LIVEOBJ_HOOK static bool is_in_first_page(uintptr_t task, uintptr_t address) {
    uintptr_t end = liveobj_round_up(task + liveobj_task_bytes(), LIVEOBJ_PAGE_BYTES);
    return address - task < end - task;
}

LIVEOBJ_HOOK bool liveobj_task_owns(uintptr_t task, uintptr_t address) {
    enum { MOST_SLABS = 8 }; // others are left to the kernel
    if (!liveobj_task_is_readable(task))
        return false;
    if (is_in_first_page(task, address))
        return true;
    const struct liveobj_task_slab *slab =
        *(const struct liveobj_task_slab *const *)(task + LIVEOBJ_TASK_AT_FIRST_SLAB);
    for (int i = 0; slab && i < MOST_SLABS; i++, slab = slab->next)
        if (address - (uintptr_t)slab < sizeof *slab + slab->capacity)
            return true;
    return false;
}

// MARK: - Parent

LIVEOBJ_HOOK uintptr_t liveobj_task_parent(uintptr_t task) {
    // Before Swift 6.2 it may have ended on another thread, which runs it now.
    bool is_child = liveobj_task_is_readable(task) &&
                    *(const uint32_t *)(task + LIVEOBJ_TASK_AT_FLAGS) & LIVEOBJ_TASK_IS_CHILD;
    return is_child ? *(const uintptr_t *)(task + liveobj_task_bytes()) : 0;
}

// MARK: - Children

/// A status record; those of children have a list of them.
struct status_record {
    uintptr_t kind_and_flags;
    const struct status_record *next;
    uintptr_t first_child;
};

/// A status record that names the executor which the task prefers.
struct preference {
    uintptr_t kind_and_flags;
    const struct status_record *next;
    uint8_t is_retained;
    uintptr_t identity;
    uintptr_t functions;
};
_Static_assert(sizeof(struct preference) == 40, "as the runtime has it");

/// Whether the task prefers an executor.
static bool prefers_executor(uintptr_t task) {
    enum { KIND_MASK = 0xff, PREFERENCE = 5, MOST_RECORDS = 64 };
    const struct status_record *record =
        (const struct status_record *)liveobj_word_at(task, LIVEOBJ_TASK_AT_STATUS_RECORDS);
    for (uint32_t i = 0; record && i < MOST_RECORDS; i++, record = record->next)
        if ((record->kind_and_flags & KIND_MASK) == PREFERENCE)
            return ((const struct preference *)record)->is_retained <= 1 &&
                   ((const struct preference *)record)->functions != 0;
    return false;
}

void liveobj_task_visit_children(uintptr_t task, liveobj_visit_child_fn visit, void *context) {
    enum { KIND_MASK = 0xff, CHILD_TASK = 1, TASK_GROUP = 2, AT_NEXT_CHILD = 8 };
    const struct status_record *record =
        (const struct status_record *)liveobj_word_at(task, LIVEOBJ_TASK_AT_STATUS_RECORDS);
    uint32_t left = LIVEOBJ_TASK_LIST_LIMIT;
    for (; record && left > 0; record = record->next) {
        left--;
        uintptr_t kind = record->kind_and_flags & KIND_MASK;
        bool has_children = kind == CHILD_TASK || kind == TASK_GROUP;
        uintptr_t child = has_children ? record->first_child : 0;
        for (; child && liveobj_task_is_readable(child) && left > 0; left--) {
            visit(context, child, kind == CHILD_TASK);
            child = liveobj_word_at(child + liveobj_task_bytes(), AT_NEXT_CHILD);
        }
    }
}

// MARK: - State

static enum liveobj_task_state state_of_status(uint32_t status) {
    return status & LIVEOBJ_TASK_STATUS_COMPLETE ? LIVEOBJ_TASK_COMPLETE
           : status & STATUS_RUNNING             ? LIVEOBJ_TASK_RUNNING
           : status & STATUS_ENQUEUED            ? LIVEOBJ_TASK_ENQUEUED
                                                 : LIVEOBJ_TASK_SUSPENDED;
}

enum { AT_EXECUTOR = 16, AT_EXECUTOR_FUNCTIONS = 24 }; // of a dependency record

/// Whether code of an executor has got the task as a job. The runtime's own executors keep their
/// jobs by themselves: default actors have no functions, and the global one has no address.
static bool is_in_executor(uintptr_t record, uintptr_t task) {
    enum { FLAGS = 7 };
    if (!liveobj_word_at(record, AT_EXECUTOR))
        return prefers_executor(task);
    return liveobj_word_at(record, AT_EXECUTOR_FUNCTIONS) & ~(uintptr_t)FLAGS;
}

/// Reads the dependency record. Its kind is the reason of the wait, numbered as
/// LIVEOBJ_TASK_WAIT_*.
static void read_dependency(uintptr_t address, struct liveobj_task *task) {
    enum { AT_KIND = 32 };
    uintptr_t record = liveobj_word_at(address, LIVEOBJ_TASK_AT_DEPENDENCY);
    uint8_t kind = record ? *(const uint8_t *)(record + AT_KIND) : 0;
    if (kind < LIVEOBJ_TASK_WAIT_TASK || kind > LIVEOBJ_TASK_WAIT_EXECUTOR)
        return;
    task->wait = (enum liveobj_task_wait)kind;
    if (kind == LIVEOBJ_TASK_WAIT_EXECUTOR)
        task->is_in_executor = is_in_executor(record, address);
}

static void add_frame(struct liveobj_task *task, uintptr_t function) {
    bool repeats = task->frame_count > 0 && task->frames[task->frame_count - 1] == function;
    if (function && !repeats)
        task->frames[task->frame_count++] = function;
}

/// Each asynchronous function's context refers to its caller's context and to the function that
/// resumes the caller.
struct context {
    const struct context *parent;
    uintptr_t resume;
};

static bool is_library_code(uintptr_t address) {
    uintptr_t start = __atomic_load_n(&library_start, __ATOMIC_RELAXED);
    return address - start < __atomic_load_n(&library_end, __ATOMIC_RELAXED) - start;
}

uintptr_t liveobj_task_runtime_frames(uintptr_t task) {
    if (state_of_status(liveobj_half_word(task, LIVEOBJ_TASK_AT_STATUS)) != LIVEOBJ_TASK_SUSPENDED)
        return 0;
    const struct context *context =
        (const struct context *)liveobj_word_at(task, LIVEOBJ_TASK_AT_RESUME_CONTEXT);
    uintptr_t frames = 0;
    uint32_t left = LIVEOBJ_TASK_LIST_LIMIT;
    for (; context && is_library_code(context->resume) && left > 0; left--) {
        context = context->parent;
        frames = (uintptr_t)context;
    }
    return frames;
}

/// Lists the resume functions. A task that waits for something resumes in the runtime first.
static void read_frames(uintptr_t address, struct liveobj_task *task) {
    if (task->wait == LIVEOBJ_TASK_WAIT_NONE || task->wait == LIVEOBJ_TASK_WAIT_EXECUTOR)
        add_frame(task, liveobj_word_at(address, LIVEOBJ_TASK_AT_RESUME_FUNCTION));
    const struct context *context =
        (const struct context *)liveobj_word_at(address, LIVEOBJ_TASK_AT_RESUME_CONTEXT);
    for (uint32_t i = 0;
         context && i < LIVEOBJ_TASK_LIST_LIMIT && task->frame_count < LIVEOBJ_TASK_FRAMES; i++) {
        add_frame(task, context->resume);
        context = context->parent;
    }
}

struct liveobj_task liveobj_task_read(uintptr_t address) {
    struct liveobj_task task = {0};
    if (!liveobj_task_is_readable(address))
        return task;
    uint32_t status = liveobj_half_word(address, LIVEOBJ_TASK_AT_STATUS);
    task.state = state_of_status(status);
    if (task.state == LIVEOBJ_TASK_COMPLETE || task.state == LIVEOBJ_TASK_RUNNING)
        return task; // its contexts are freed, or newer than the task's data
    if (status & STATUS_WAITS)
        read_dependency(address, &task);
    read_frames(address, &task);
    return task;
}

LIVEOBJ_ANY_MEMORY_END

#endif
