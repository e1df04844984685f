// tasks.h - the references of Swift's asynchronous tasks. In the snapshot process only, as
// references.h.

#ifndef LIVEOBJ_TASKS_H
#define LIVEOBJ_TASKS_H

#include "heap/value_references.h"
#include "records/records.h"

#pragma GCC visibility push(hidden)

void liveobj_task_visit(const struct liveobj_object *task, liveobj_visit_reference_fn visit,
                        void *context);

#pragma GCC visibility pop

#endif
