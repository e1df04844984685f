// stacks.h - from the registers of a frame to the id of its stack trace.
//
//   unwind_rules.c  the unwind rule of a return address, from the image's unwind table (eh_frame.c)
//   unwind.c        the one file that knows libunwind: what the rules cannot pass, it walks
//   stack_walk.c    walks a thread's stack, re-using the part that has not changed since last time
//   async_stack.c   the callers of a task's functions, which are on no stack
//   stack_trace.c   from the walked frames to the id of their trace
//   stack_depot.c   a trace's frames -> an id, for good

#ifndef LIVEOBJ_STACKS_H
#define LIVEOBJ_STACKS_H

#include "CLiveObjects.h"
#include "os/compiler.h"
#include "os/os.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// The registers that an unwind rule needs. `pc` is a return address; `sp` and `fp` are what the
/// caller at `pc` sees when the call returns.
struct liveobj_registers {
    uintptr_t pc;
    uintptr_t sp;
    uintptr_t fp;
};

/// What a thread remembers of its last stack trace. Zeroed memory is a valid empty cache.
/// Made with liveobj_os_map on the thread's first trace, kept for the next thread afterwards.
struct liveobj_stack_cache;
LIVEOBJ_HOOK size_t liveobj_stack_cache_bytes(void);

/// Loads libunwind, reserves the depot. Once, outside of hooks.
/// \returns where traces will come from.
enum liveobj_stack_source liveobj_stacks_start(uint32_t depth, uint64_t max_stack_bytes);

/// The id of the calling thread's stack trace, outwards from the frame with these registers; 0 if
/// it was dropped. Hook. Not a struct, which would be passed in memory: to read in one piece what
/// was just written in several, the processor has to wait until all of it has reached the cache.
LIVEOBJ_HOOK uint32_t liveobj_stack_trace_record(struct liveobj_stack_cache *cache, uintptr_t pc,
                                                 uintptr_t sp, uintptr_t fp);

/// Traces that were dropped since the start: depot full, or a stack that could not be read.
uint64_t liveobj_stacks_dropped(void);

/// Forgets every last stack, and the unwind rules of what an image had at these addresses. Takes
/// the dynamic linker's lock: not in a hook.
void liveobj_stacks_code_gone(uintptr_t start, uintptr_t end);

/// One stored trace: its own frames, and how many outermost frames of its parent follow them.
struct liveobj_stored_trace {
    uint32_t parent;
    uint32_t parent_frames;
    uint32_t own_frames;
    const uintptr_t *frames; // innermost first
};

/// The highest id given out so far. Ids count from 1; a parent's id is smaller than its child's.
uint32_t liveobj_stack_depot_last(void);
struct liveobj_stored_trace liveobj_stack_depot_get(uint32_t id);

void liveobj_stacks_visit_locks(liveobj_lock_visit_fn visit, void *context);
/// libunwind's state.
void liveobj_stacks_after_fork_child(void);

#pragma GCC visibility pop

#endif
