// hook_frame.h - what all hooks use: the caller's frame, its stack trace, and the replacement of a
// hook pointer.

#pragma once

#include "arch/registers.h"
#include "os/arena.h"
#include "os/compiler.h"
#include "records/thread.h"
#include "stacks/stacks.h"

#pragma GCC visibility push(hidden)

/// Marks a hook that uses LIVEOBJ_HOOK_FRAME. Not inline: that also keeps the compiler from moving
/// a seldom part of the hook to a function of its own, which has another frame.
#define LIVEOBJ_HOOK_WITH_FRAME LIVEOBJ_HOOK __attribute__((noinline))

/// The id of the stack trace from a hook's caller outwards; 0 for none.
static inline uint32_t liveobj_hook_stack_trace(struct liveobj_thread *thread,
                                                struct liveobj_hook_frame frame) {
    if (LIVEOBJ_UNLIKELY(!thread->stacks))
        thread->stacks = liveobj_os_map_charged(sizeof *thread->stacks, true);
    if (LIVEOBJ_LIKELY(thread->stacks != NULL))
        return liveobj_stack_trace_record(thread->stacks, liveobj_frame_record_pc(frame.record),
                                          liveobj_hook_frame_sp(frame),
                                          liveobj_frame_record_fp(frame.record));
    liveobj_stack_depot_count_drop();
    return 0;
}

/// Saves the value of a hook pointer of the runtime in `original`.
#define LIVEOBJ_SAVE_POINTER(runtime, name)                                                        \
    original.name = *(__typeof__(original.name) *)(runtime)->name;

/// Replaces a hook pointer of the runtime. Release, and `liveobj_order_threads` before it, because
/// the runtime loads the pointer without order: the original, and all that the hook needs, is seen
/// by a thread that calls the hook.
#define LIVEOBJ_REPLACE_POINTER(runtime, name, hook)                                               \
    __atomic_store_n((void **)(runtime)->name, (void *)(uintptr_t)hook, __ATOMIC_RELEASE);

#pragma GCC visibility pop
