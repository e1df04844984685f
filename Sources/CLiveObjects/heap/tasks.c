// tasks.c - reads Swift's asynchronous tasks.
//
// Owns nothing. In the guarded child, but for `liveobj_tasks_prepare`.

#if defined(__linux__)

#include "tasks.h"

bool liveobj_tasks_prepare(void) {
    return false;
}

struct liveobj_task liveobj_task_read(uintptr_t task) {
    (void)task;
    return (struct liveobj_task){0};
}

void liveobj_task_visit(const struct liveobj_object *task, liveobj_visit_reference_fn visit,
                        void *context) {
    (void)task, (void)visit, (void)context;
}

#endif
