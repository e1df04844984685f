// trace_collection.h - drops the stack traces of dead objects, so that a program that runs for
// weeks with ever new ones stays within its budget.

#pragma once

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// Reserves a part of the budget for stack traces. Called before the first hook is installed.
/// \returns false if it is too small.
bool liveobj_traces_start_collected(uint64_t max_bytes);

/// Collects traces if many were stored since the last time. Called about once a second, by one
/// thread at a time, outside of hooks. The guard must be set. Does nothing without a budget.
/// \returns Whether it has dropped traces.
bool liveobj_traces_collect_if_needed(void);

/// Keep collections from starting, for someone who reads ids of traces and then the traces. Waits
/// for one that runs. \returns false if it still runs at the deadline.
bool liveobj_traces_hold(uint64_t deadline);
void liveobj_traces_release(void);

/// No thread collects in the child.
void liveobj_traces_after_fork_child(void);

#pragma GCC visibility pop
