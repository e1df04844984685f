// captured_type.h - the references in a captured value, from its mangled type.
//
// Some types of captures are internal to the compiler and have no metadata: boxes of variables, and
// lowered function types. May be called where layout.h may.

#pragma once

#include "layout/generic_environment.h"
#include "layout/layout.h"

#pragma GCC visibility push(hidden)

/// Adds a capture that begins at `offset`, or after it if its alignment requires that.
/// \param environment The values of the generic parameters; NULL for a closure that has none.
/// \returns where the capture ends; 0 if its type is not known.
size_t liveobj_captured_type_add(struct liveobj_layout_builder *builder,
                                 const struct liveobj_mangled *type,
                                 const struct liveobj_generic_environment *environment,
                                 size_t offset);

/// Whether a capture of a type that is not resolved takes one word, in a closure whose captures
/// determine its parameters: there the compiler knows all sizes, so that a parameter is a class.
bool liveobj_captured_is_word(const struct liveobj_mangled *type);

#pragma GCC visibility pop
