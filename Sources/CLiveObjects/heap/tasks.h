// tasks.h - Swift's asynchronous tasks: what they hold, and what they wait for.
//
// Offsets are those of one layout version of libswift_Concurrency; the runtime's own debug symbols
// are asked whether they hold, and without them tasks are scanned as memory. Like references.h, in
// the guarded child only, but for `prepare`.

#ifndef LIVEOBJ_TASKS_H
#define LIVEOBJ_TASKS_H

#include "references.h"

#pragma GCC visibility push(hidden)

/// As the capture format numbers them.
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
    uintptr_t awaited;                     // the task, or the context of the continuation; 0
    uintptr_t frames[LIVEOBJ_TASK_FRAMES]; // resume functions, innermost first
    uint32_t frame_count;
};

/// Whether this runtime's tasks can be read. Before the first hook runs, and as often as wanted.
bool liveobj_tasks_prepare(void);
/// The task that waits for a child task to end, if that is known; else 0. Inside hooks too, for a
/// task that runs, and for the parents of one.
LIVEOBJ_HOOK uintptr_t liveobj_task_parent(uintptr_t task);
struct liveobj_task liveobj_task_read(uintptr_t task);
void liveobj_task_visit(const struct liveobj_object *task, liveobj_visit_reference_fn visit,
                        void *context);

#pragma GCC visibility pop

#endif
