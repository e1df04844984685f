// hook_frame.h - what all hooks use: the caller's frame, its stack trace, and the replacement of a
// hook pointer.

#pragma once

#include "os/compiler.h"
#include "os/os.h"
#include "records/thread.h"
#include "stacks/stacks.h"

#pragma GCC visibility push(hidden)

/// The frame of the hook that uses this: the caller's frame pointer, then the return address. The
/// runtime jumps to hooks by tail calls, so the return address is in the caller of the runtime
/// function.
#define LIVEOBJ_HOOK_FRAME() ((const uintptr_t *)__builtin_frame_address(0))

/// The id of the stack trace from a hook's caller outwards; 0 for none.
static inline uint32_t liveobj_hook_stack_trace(struct liveobj_thread *thread,
                                                const uintptr_t *frame) {
    if (LIVEOBJ_UNLIKELY(!thread->stacks))
        thread->stacks = liveobj_os_map_kept(sizeof *thread->stacks, true);
    return thread->stacks ? liveobj_stack_trace_record(thread->stacks, frame[1],
                                                       (uintptr_t)(frame + 2), frame[0])
                          : 0;
}

/// Replaces a hook pointer of the runtime and keeps its value in `original`. Release: the original,
/// and all that the hook needs, is stored before the hook.
#define LIVEOBJ_TAKE_POINTER(runtime, name, hook)                                                  \
    original.name = *(__typeof__(original.name) *)(runtime)->name;                                 \
    __atomic_store_n((void **)(runtime)->name, (void *)(uintptr_t)hook, __ATOMIC_RELEASE);

#pragma GCC visibility pop
