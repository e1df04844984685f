// hook_frame.h - what the hooks share: where their caller is, and how they come into being.

#ifndef LIVEOBJ_HOOK_FRAME_H
#define LIVEOBJ_HOOK_FRAME_H

#include "os/compiler.h"
#include "os/os.h"
#include "records/thread.h"
#include "stacks/stacks.h"

#include <stdint.h>

#pragma GCC visibility push(hidden)

/// The frame of the hook it is used in: the caller's frame pointer, and the return address. Hooks
/// are entered by a tail jump, so the caller is that of the runtime function.
#define LIVEOBJ_HOOK_FRAME() ((const uintptr_t *)__builtin_frame_address(0))

/// The id of the stack trace outwards from a hook's caller; 0 for none.
static inline uint32_t liveobj_hook_stack_trace(struct liveobj_thread *thread,
                                                const uintptr_t *frame) {
    if (LIVEOBJ_UNLIKELY(!thread->stacks))
        thread->stacks = liveobj_os_map_kept(liveobj_stack_cache_bytes(), true);
    return thread->stacks ? liveobj_stack_trace_record(thread->stacks, frame[1],
                                                       (uintptr_t)(frame + 2), frame[0])
                          : 0;
}

/// Puts a hook in the place of the runtime's own function, which `original` keeps.
/// Release: the original, and all a hook needs, before the hook itself.
#define LIVEOBJ_TAKE_POINTER(runtime, name, hook)                                                  \
    original.name = *(__typeof__(original.name) *)(runtime)->name;                                 \
    __atomic_store_n((void **)(runtime)->name, (void *)(uintptr_t)hook, __ATOMIC_RELEASE);

#pragma GCC visibility pop

#endif
