// async_stack.h - the callers of an asynchronous function, which are on no stack. Runs in hooks.

#ifndef LIVEOBJ_ASYNC_STACK_H
#define LIVEOBJ_ASYNC_STACK_H

#include "os/compiler.h"
#include "stacks/stack_walk.h"

#include <stdint.h>

#pragma GCC visibility push(hidden)

/// Lists the asynchronous functions that wait for the outermost function on the calling thread. The
/// thread's last trace must end where the runtime runs a task. Must be called in the hook that
/// walked that trace.
/// \param callers Room for `capacity` addresses, innermost first. Each is one byte after the start
/// of the code that resumes, as a return address lies after its call.
/// \returns Their number; 0 if they are unknown.
LIVEOBJ_HOOK uint32_t liveobj_async_callers(struct liveobj_stack_cache *cache, uintptr_t *callers,
                                            uint32_t capacity);

#pragma GCC visibility pop

#endif
