// references.h - the references of one object.
//
// Reads the object's memory directly. So it runs in the snapshot process only, where no other
// thread runs and a fault loses one object's references instead of ending the program.

#ifndef LIVEOBJ_REFERENCES_H
#define LIVEOBJ_REFERENCES_H

#include "heap/value_references.h"
#include "metadata/types.h"
#include "records/records.h"

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/// Compiles what `liveobj_references_visit` needs for objects of this type. In the program, before
/// the snapshot process starts.
void liveobj_references_prepare(const struct liveobj_type *type);

/// Calls `visit` for every reference of an object whose deinit has not begun.
/// \returns false if metadata is missing and part of the object was only scanned.
bool liveobj_references_visit(const struct liveobj_object *object, const struct liveobj_type *type,
                              liveobj_visit_reference_fn visit, void *context);
/// The references of Swift's asynchronous tasks (tasks.c).
void liveobj_task_visit(const struct liveobj_object *task, liveobj_visit_reference_fn visit,
                        void *context);

#pragma GCC visibility pop

#endif
