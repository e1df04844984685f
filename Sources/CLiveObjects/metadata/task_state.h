// task_state.h - Swift's asynchronous tasks: their layout, their state and what they wait for.
//
// The offsets are those of one layout version of libswift_Concurrency. The runtime's own debug
// symbols say whether they apply; if they do not, tasks are scanned as memory. Used only in steps
// of the snapshot process, unless a function says otherwise.

#pragma once

#include "os/compiler.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// Byte offsets in a task, and flags, of that layout version.
enum {
    LIVEOBJ_TASK_AT_NEXT_WAITING = 16, // the next task that waits for the same one
    LIVEOBJ_TASK_AT_FLAGS = 32,
    LIVEOBJ_TASK_AT_RESUME_FUNCTION = 56,
    LIVEOBJ_TASK_AT_RESUME_CONTEXT = 64,
    LIVEOBJ_TASK_AT_STATUS = 96,
    LIVEOBJ_TASK_AT_STATUS_RECORDS = 104,
    LIVEOBJ_TASK_AT_FIRST_SLAB = 120,
    LIVEOBJ_TASK_AT_LOCALS = 136,
    LIVEOBJ_TASK_AT_DEPENDENCY = 160,
    LIVEOBJ_TASK_IS_CHILD = 1 << 24,
    LIVEOBJ_TASK_IS_FUTURE = 1 << 25,
    LIVEOBJ_TASK_IS_GROUP_CHILD = 1 << 26,
    LIVEOBJ_TASK_STATUS_COMPLETE = 0x2000,
    LIVEOBJ_TASK_LIST_LIMIT = 1 << 16, // more than any task has; the list may be garbage
};

/// Numbered as in the capture format.
enum liveobj_task_state {
    LIVEOBJ_TASK_UNKNOWN = 0,
    LIVEOBJ_TASK_RUNNING = 1,
    LIVEOBJ_TASK_ENQUEUED = 2,
    LIVEOBJ_TASK_SUSPENDED = 3,
    LIVEOBJ_TASK_COMPLETE = 4,
};
enum liveobj_task_wait {
    LIVEOBJ_TASK_WAIT_NONE = 0,
    LIVEOBJ_TASK_WAIT_TASK = 1,
    LIVEOBJ_TASK_WAIT_CONTINUATION = 2,
    LIVEOBJ_TASK_WAIT_GROUP = 3,
    LIVEOBJ_TASK_WAIT_EXECUTOR = 4,
};

enum { LIVEOBJ_TASK_FRAMES = 32 };
struct liveobj_task {
    enum liveobj_task_state state;
    enum liveobj_task_wait wait;
    bool is_in_executor; // enqueued on an executor that is no actor of the runtime's own
    uintptr_t frames[LIVEOBJ_TASK_FRAMES]; // resume functions, innermost first
    uint32_t frame_count;
};

/// Whether this runtime's tasks can be read. Called before the first hook runs; may be called
/// again.
bool liveobj_tasks_prepare(void);
/// The parent task that waits for a child task; 0 if it has none or it is unknown. May be called in
/// hooks, for a task that runs and for its parents.
LIVEOBJ_HOOK uintptr_t liveobj_task_parent(uintptr_t task);
struct liveobj_task liveobj_task_read(uintptr_t task);
/// The context of the function of the concurrency library that a suspended task has called and that
/// waits, as in `Task.sleep`; 0 if it waits in another function, or that is not known. The task
/// must be readable.
uintptr_t liveobj_task_runtime_frames(uintptr_t task);
/// Visits the children that a task has started and not yet ended, those of its groups and those of
/// `async let`.
typedef void (*liveobj_visit_child_fn)(void *context, uintptr_t child, bool is_async_let);
void liveobj_task_visit_children(uintptr_t task, liveobj_visit_child_fn visit, void *context);
/// The size of a task's fixed part; 0 if tasks cannot be read.
LIVEOBJ_HOOK size_t liveobj_task_bytes(void);
LIVEOBJ_HOOK bool liveobj_task_is_readable(uintptr_t task);

/// Whether the address is in the memory that a task has as long as it runs, and so can be read.
/// false also if that is not known. May be called in hooks, for the task that runs on the calling
/// thread.
LIVEOBJ_HOOK bool liveobj_task_owns(uintptr_t task, uintptr_t address);

/// Memory for the frames of a task's functions. The data follow the header.
struct liveobj_task_slab {
    uintptr_t metadata;
    const struct liveobj_task_slab *next;
    uint32_t capacity; // of the data, in bytes
    uint32_t used;
    uintptr_t unused;
};
_Static_assert(sizeof(struct liveobj_task_slab) == 32, "as the runtime aligns the data");

#pragma GCC visibility pop
