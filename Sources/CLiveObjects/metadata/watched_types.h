// watched_types.h - selects the types whose retains are recorded, by name.
//
// Patterns are separated by commas and match a type's whole module-qualified name; `*` matches any
// text: `Demo.Cache`, `Demo.*`, `*.Outer.Inner`. The name is the one in the source: it begins with
// the outer types, and has no generic arguments and no private contexts (`Demo.Box` for
// `Demo.Box<Swift.Int>`). A generic box has the name of its content, and a task is `Swift.Task`.
// Closure contexts, other boxes and errors have no name; they are watched only if all types are.

#pragma once

#include "os/compiler.h"

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// Sets the patterns. Called outside of hooks, before the first one runs.
/// \param patterns Copied; NULL for all types.
/// \returns false if there is no memory.
bool liveobj_watched_types_start(const char *patterns);

/// Whether a type is watched. \param metadata As in an object's record.
LIVEOBJ_HOOK bool liveobj_watches_type(uintptr_t metadata);

/// Removes the decisions about types with metadata at these addresses, which were unloaded.
void liveobj_watched_types_forget(uintptr_t start, uintptr_t end);

/// A type's name in parts, outermost last.
struct liveobj_name_parts {
    const char *parts[16];
    uint32_t count;
};
/// The name of the type with this descriptor.
LIVEOBJ_HOOK struct liveobj_name_parts liveobj_descriptor_name_parts(uintptr_t descriptor);
/// Whether one of the patterns matches the name. Separate for tests.
LIVEOBJ_HOOK bool liveobj_name_matches(const struct liveobj_name_parts *name, const char *patterns);

#pragma GCC visibility pop
