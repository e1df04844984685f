// stack_depot.h - stores each distinct stack trace once, under a small id. Nothing is removed.

#ifndef LIVEOBJ_STACK_DEPOT_H
#define LIVEOBJ_STACK_DEPOT_H

#include "os/compiler.h"
#include "os/os.h"
#include "stacks/stacks.h"

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// Reserves room for traces that take `max_bytes` in all, at most 32 GiB. Called once, outside of
/// hooks.
bool liveobj_stack_depot_start(uint64_t max_bytes);

/// Finds a trace by its hash.
/// \returns Its id; 0 if it is not stored. Takes no lock. Runs in hooks.
/// \param previous The trace that the thread recorded before this one, or 0. Programs repeat
/// themselves: the traces that were stored after it often follow it again, and are found faster
/// there.
LIVEOBJ_HOOK uint32_t liveobj_stack_depot_find(uint64_t hash, uint32_t previous);

/// Stores a trace that was not found, unless another thread has stored it meanwhile. Runs in hooks.
/// \param trace `parent` is 0 or the id of a trace with at least `parent_frames` frames.
/// \returns Its id; 0 if the depot is full, which is counted.
LIVEOBJ_HOOK uint32_t liveobj_stack_depot_insert(uint64_t hash, struct liveobj_stored_trace trace);

#pragma GCC visibility pop

#endif
