// stack_depot.h - stack traces, each kept once and for good under a small id.

#ifndef LIVEOBJ_STACK_DEPOT_H
#define LIVEOBJ_STACK_DEPOT_H

#include "os/compiler.h"
#include "os/os.h"
#include "stacks/stacks.h"

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// Makes room for traces, which will take `max_bytes` in all, at most 32 GiB. Once, outside of
/// hooks.
bool liveobj_stack_depot_start(uint64_t max_bytes);

/// The id of the trace with this hash, 0 if there is none. Takes no lock. Hook.
/// \param previous The trace that the thread recorded before this one, or 0. Programs repeat
/// themselves: what followed it when it was new often follows it again, and is found faster.
LIVEOBJ_HOOK uint32_t liveobj_stack_depot_find(uint64_t hash, uint32_t previous);

/// Stores a trace that was not found, unless another thread did meanwhile. Hook.
/// \param trace `parent` is 0 or the id of a trace with at least `parent_frames` frames.
/// \returns its id; 0, counted as a drop, if the depot is full.
LIVEOBJ_HOOK uint32_t liveobj_stack_depot_insert(uint64_t hash, struct liveobj_stored_trace trace);

/// Traces that found no room.
uint64_t liveobj_stack_depot_dropped(void);

/// While the lock is held no trace is half stored.
void liveobj_stack_depot_visit_locks(liveobj_lock_visit_fn visit, void *context);

#pragma GCC visibility pop

#endif
