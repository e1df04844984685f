// value_references.h - what a value, or words of any type, refer to.
//
// Reads memory plainly: in the guarded child only, where the world stands still and a fault ends
// the reading of one object, not the program.

#ifndef LIVEOBJ_VALUE_REFERENCES_H
#define LIVEOBJ_VALUE_REFERENCES_H

#include "layout/layout.h"
#include "runtime/memory_reader.h"

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

#define LIVEOBJ_NO_ELEMENT UINT32_MAX

struct liveobj_reference {
    uintptr_t target; // an address that may be an object's: the caller looks it up
    uint32_t label;
    uint32_t element;   // index in an array, bucket of a dictionary or set; LIVEOBJ_NO_ELEMENT
    uintptr_t function; // the code that goes with a closure context, else 0
};
typedef void (*liveobj_visit_reference_fn)(void *context,
                                           const struct liveobj_reference *reference);

/// Visits what a value of `type` refers to that stands where `label` says.
/// \returns as `liveobj_references_visit`.
bool liveobj_references_visit_value(uintptr_t value, uintptr_t type, uint32_t label,
                                    liveobj_visit_reference_fn visit, void *context);

/// Scans words whose types are not known.
void liveobj_references_scan(uintptr_t start, uintptr_t end, uint32_t label,
                             liveobj_visit_reference_fn visit, void *context);

// MARK: - Parts of an object

/// The visit of one object.
struct liveobj_visit {
    liveobj_visit_reference_fn function;
    void *context;
    struct liveobj_reader *reader; // for words that may be metadata
    uint32_t outer;                // the label of the place that the value stands in; 0 for none
    uint32_t element;
    uint32_t depth;
    bool is_precise;
};
struct liveobj_visit liveobj_visit_start(liveobj_visit_reference_fn function, void *context);

/// Visits the references of a value by its layout.
void liveobj_visit_layout(struct liveobj_visit *visit, const struct liveobj_layout *layout,
                          uintptr_t value);
/// Visits the references of a value that stands where `label` says.
void liveobj_visit_inside(struct liveobj_visit *visit, uint32_t label, uintptr_t type,
                          uintptr_t value);
/// Visits all words that may be references.
void liveobj_visit_scan(struct liveobj_visit *visit, uintptr_t start, uintptr_t end,
                        uint32_t label);

#pragma GCC visibility pop

#endif
