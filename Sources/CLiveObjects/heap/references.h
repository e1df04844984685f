// references.h - what one object refers to.
//
// Reads the object's memory plainly: in the guarded child only, where the world stands still and a
// fault ends the look at one object, not the program.

#ifndef LIVEOBJ_REFERENCES_H
#define LIVEOBJ_REFERENCES_H

#include "labels.h"

#pragma GCC visibility push(hidden)

#define LIVEOBJ_NO_ELEMENT UINT32_MAX

struct liveobj_reference {
    uintptr_t target; // an address that may be an object's: the caller looks it up
    uint32_t label;
    uint32_t element;   // index in an array, bucket of a dictionary or set; LIVEOBJ_NO_ELEMENT
    uintptr_t function; // the code beside a closure context, else 0
};
typedef void (*liveobj_visit_reference_fn)(void *context,
                                           const struct liveobj_reference *reference);

/// Compiles what `liveobj_references_visit` will need for objects of this type. In the program
/// itself, before the child is made.
void liveobj_references_prepare(const struct liveobj_type *type);

/// Calls `visit` for every reference of an object whose deinit has not begun.
/// \returns false if some of the object could only be scanned for want of metadata.
bool liveobj_references_visit(const struct liveobj_object *object, const struct liveobj_type *type,
                              liveobj_visit_reference_fn visit, void *context);

/// Visits what a value of `type` refers to that stands where `label` says.
/// \returns as `liveobj_references_visit`.
bool liveobj_references_visit_value(uintptr_t value, uintptr_t type, uint32_t label,
                                    liveobj_visit_reference_fn visit, void *context);

/// Scans words whose types are not known.
void liveobj_references_scan(uintptr_t start, uintptr_t end, uint32_t label,
                             liveobj_visit_reference_fn visit, void *context);

#pragma GCC visibility pop

#endif
