// captured_type.h - where a captured value holds references, from its mangled type.
//
// Captures have types of the compiler's own that no metadata stands for: boxes of variables, and
// functions as they are lowered. Like layout.h.

#ifndef LIVEOBJ_CAPTURED_TYPE_H
#define LIVEOBJ_CAPTURED_TYPE_H

#include "layout/generic_environment.h"
#include "layout/layout.h"
#include "metadata/mangling.h"

#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// Adds a capture that begins at `offset` or, for its alignment, behind it.
/// \param environment the values of generic parameters; NULL for a closure that has none.
/// \returns where it ends; 0 if its type is not known.
size_t liveobj_captured_type_add(struct liveobj_layout_builder *builder,
                                 const struct liveobj_mangled *type,
                                 const struct liveobj_generic_environment *environment,
                                 size_t offset);

/// The descriptor of the class that a captured strong reference is declared to be of; 0 for other
/// types, and for optional references.
uintptr_t liveobj_captured_class(const struct liveobj_mangled *type);

#pragma GCC visibility pop

#endif
