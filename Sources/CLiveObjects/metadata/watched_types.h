// watched_types.h - the types whose retains are wanted, by their names.
//
// Patterns are separated by commas and match a type's whole module-qualified name, `*` standing for
// any text: `Demo.Cache`, `Demo.*`, `*.Outer.Inner`. The name is the one in the source: outer types
// stand before it, generic arguments and private contexts do not show (`Demo.Box` for
// `Demo.Box<Swift.Int>`). A generic box goes by what it holds, a task is `Swift.Task`; closure
// contexts, other boxes and errors have no name, and only "all" means them.

#ifndef LIVEOBJ_WATCHED_TYPES_H
#define LIVEOBJ_WATCHED_TYPES_H

#include "os/compiler.h"

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// Outside of hooks, before the first one.
/// \param patterns copied; NULL for all types.
/// \returns false if there is no memory for it.
bool liveobj_watched_types_start(const char *patterns);

/// \param metadata as a record has it.
LIVEOBJ_HOOK bool liveobj_watches_type(uintptr_t metadata);

/// Forgets what was decided of types with metadata at these addresses: it is gone.
void liveobj_watched_types_forget(uintptr_t start, uintptr_t end);

/// Whether one of the patterns matches the name that consists of these parts, outermost last.
/// Separate for tests.
struct liveobj_name_parts {
    const char *parts[16];
    uint32_t count;
};
LIVEOBJ_HOOK bool liveobj_name_matches(const struct liveobj_name_parts *name, const char *patterns);

#pragma GCC visibility pop

#endif
