// references.h - what one object refers to.
//
// Reads the object's memory plainly: in the guarded child only, where the world stands still and a
// fault ends the look at one object, not the program.

#ifndef LIVEOBJ_REFERENCES_H
#define LIVEOBJ_REFERENCES_H

#include "heap/value_references.h"
#include "metadata/types.h"
#include "records/records.h"

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/// Compiles what `liveobj_references_visit` will need for objects of this type. In the program
/// itself, before the child is made.
void liveobj_references_prepare(const struct liveobj_type *type);

/// Calls `visit` for every reference of an object whose deinit has not begun.
/// \returns false if some of the object could only be scanned for want of metadata.
bool liveobj_references_visit(const struct liveobj_object *object, const struct liveobj_type *type,
                              liveobj_visit_reference_fn visit, void *context);

#pragma GCC visibility pop

#endif
