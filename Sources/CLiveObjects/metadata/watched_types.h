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

/// Makes no decision about a type any more, because its metadata may have been unloaded: it is not
/// watched.
void liveobj_watched_types_freeze(void);

/// Whether one of the patterns matches the name. Separate for tests.
LIVEOBJ_HOOK bool liveobj_name_matches(const char *name, const char *patterns);

#pragma GCC visibility pop
