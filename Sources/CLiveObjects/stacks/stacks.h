// stacks.h - gets the id of the stack trace of a frame, from the frame's registers.
//
//   unwind_rules.c  the unwind rule of a return address, from the image's unwind table (eh_frame.c)
//   stack_walk.c    walks a thread's stack, and reuses the part that has not changed
//   rare_frames.c   walks on behind frames that no rule passes, such as those of signals
//   async_stack.c   the callers of a task's functions, which are on no stack
//   stack_trace.c   gets the id of the trace of walked frames
//   stack_depot.c   stores each distinct trace under an id
//   sampling.c      chooses the allocations that get a trace, where not all do

#pragma once

#include "CLiveObjects.h"
#include "os/compiler.h"
#include "os/os.h"

#pragma GCC visibility push(hidden)

/// The registers that an unwind rule needs. `pc` is a return address; `sp` and `fp` are the values
/// that the caller at `pc` has when the call returns.
struct liveobj_registers {
    uintptr_t pc;
    uintptr_t sp;
    uintptr_t fp;
};

struct liveobj_stack_cache;

/// Reserves the depot. Called once, outside of hooks.
/// \returns The source of traces.
enum liveobj_stack_source liveobj_stacks_start(uint32_t depth, uint64_t max_stack_bytes);

/// The task that runs on the calling thread; 0 if none does.
LIVEOBJ_HOOK typedef uintptr_t (*liveobj_running_task_fn)(void);
/// Whether an address is in the memory of a task that runs, and can be read.
LIVEOBJ_HOOK typedef bool (*liveobj_task_owns_fn)(uintptr_t task, uintptr_t address);
/// Makes traces of tasks cheaper: without it the kernel is asked which memory can be read. Called
/// before the first trace.
void liveobj_stacks_set_tasks(liveobj_running_task_fn running, liveobj_task_owns_fn owns);

/// The id of the calling thread's stack trace, from the frame with these registers outwards; 0 if
/// it was dropped. Runs in hooks. The registers are not passed as a struct, because that would be
/// in memory: a wide read of what was just written in parts waits until all of it has reached the
/// cache.
LIVEOBJ_HOOK uint32_t liveobj_stack_trace_record(struct liveobj_stack_cache *cache, uintptr_t pc,
                                                 uintptr_t sp, uintptr_t fp);

/// Invalidates every last trace and every unwind rule, because code was unloaded.
void liveobj_stacks_code_gone(void);

// MARK: - stack_depot.c: stores each distinct stack trace once

/// A stored trace: its own frames, and the number of its parent's outermost frames that follow
/// them.
struct liveobj_stored_trace {
    uint32_t parent;
    uint32_t parent_frames;
    uint32_t own_frames;
    const uintptr_t *frames; // innermost first
};

/// Reserves room for traces that take `max_bytes` in all, at most 32 GiB; half of that for those of
/// live objects. Called once, outside of hooks.
bool liveobj_stack_depot_start(uint64_t max_bytes);
/// Called instead of it: all memory is charged from the start.
bool liveobj_stack_depot_start_prepaid(uint64_t max_bytes);

/// Gives the first round all of the room. Called where there will be no other.
void liveobj_stack_depot_use_one_space(void);

/// The number of the round, which selects the space that new traces go to. A thread uses one round
/// for a whole trace; ids of earlier rounds must not be used in it. Atomic.
extern uint32_t liveobj_stack_depot_round;

/// Set by a new trace if a collection has something to do. Atomic.
extern bool liveobj_stack_depot_is_due;

/// Finds a trace by its hash.
/// \returns Its id; 0 if it is not stored. Takes no lock. Runs in hooks.
/// \param previous The trace that the thread recorded before this one in this round, or 0. Programs
/// repeat themselves: the traces that were stored after it often follow it again, and are found
/// faster there.
LIVEOBJ_HOOK uint32_t liveobj_stack_depot_find(uint32_t round, uint64_t hash, uint32_t previous);

/// Stores a trace that was not found, unless another thread has stored it meanwhile. Runs in hooks.
/// \param trace `parent` is 0 or the id of a trace of this round with at least `parent_frames`
/// frames. \returns Its id; 0 if the depot is full, which is counted.
LIVEOBJ_HOOK uint32_t liveobj_stack_depot_insert(uint32_t round, uint64_t hash,
                                                 struct liveobj_stored_trace trace);

/// Counts a trace that was not stored.
LIVEOBJ_HOOK void liveobj_stack_depot_count_drop(void);

/// The highest id in use. A parent's id is smaller than its child's.
uint32_t liveobj_stack_depot_last(void);
LIVEOBJ_HOOK struct liveobj_stored_trace liveobj_stack_depot_get(uint32_t id);

/// Whether a trace is known; false also for 0. In the child of a fork, traces that were stored
/// before it are not.
LIVEOBJ_HOOK bool liveobj_stack_depot_has(uint32_t id);

/// The number of traces that could not be stored.
uint64_t liveobj_stack_depot_dropped(void);

/// While the lock is held, no trace is partly stored.
void liveobj_stack_depot_visit_locks(liveobj_lock_visit_fn visit, void *context);

/// Sets whether the children of forks get the stored traces. They do not, except for the snapshot
/// process.
void liveobj_stack_depot_set_inherited(bool is_inherited);
/// In a fork's child: makes room for its own traces.
void liveobj_stack_depot_after_fork_child(void);

// A collection, by one thread at a time (records/trace_collection.c): it begins a round, waits
// until no thread uses the one before, renews all ids that are stored anywhere, and ends the round
// before. Runs in hooks.

/// \returns false if there is no room for a copy of all traces.
LIVEOBJ_HOOK bool liveobj_stack_depot_begin_round(void);
/// Whether a trace was stored in the round before this one.
LIVEOBJ_HOOK bool liveobj_stack_depot_is_old(uint32_t id);
/// Stores an old trace again, if it was not yet.
/// \returns Its id in this round; 0 if there is no room, which is counted.
LIVEOBJ_HOOK uint32_t liveobj_stack_depot_renew(uint32_t id);
/// Frees the memory of the round before this one.
/// \returns Whether traces of live objects take more than half of the space.
LIVEOBJ_HOOK bool liveobj_stack_depot_end_round(void);

#pragma GCC visibility pop
