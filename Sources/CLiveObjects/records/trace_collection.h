// trace_collection.h - drops the stack traces of dead objects, so that a program that runs for
// weeks with ever new ones does not fill its memory with them.

#pragma once

#include "os/compiler.h"
#include "stacks/stacks.h"

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/// Does a piece of a collection. The thread must not use ids of stack traces, and its guard must be
/// set.
LIVEOBJ_HOOK void liveobj_traces_advance(void);

/// In a hook, after `liveobj_traces_end`.
static inline void liveobj_traces_advance_if_due(void) {
    if (LIVEOBJ_UNLIKELY(LIVEOBJ_LOAD_RELAXED(liveobj_stack_depot_is_due)))
        liveobj_traces_advance();
}

/// Stops collections while a caller reads ids of traces and then the traces. Waits for the end of a
/// piece that is being done.
void liveobj_traces_hold(void);
void liveobj_traces_release(void);

/// Does no more collections from here on.
void liveobj_traces_end_collections(void);

/// While the lock is held, no piece of a collection is being done.
void liveobj_traces_visit_locks(liveobj_lock_visit_fn visit, void *context);

#pragma GCC visibility pop
