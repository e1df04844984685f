// async_stack.h - the callers of an asynchronous function, which are on no stack. Hook.

#ifndef LIVEOBJ_ASYNC_STACK_H
#define LIVEOBJ_ASYNC_STACK_H

#include "os/compiler.h"
#include "stacks/stack_walk.h"

#include <stdint.h>

#pragma GCC visibility push(hidden)

/// The asynchronous functions that wait for the outermost of the calling thread's functions, whose
/// last trace ends where the runtime runs a task. To be called within the hook that walked it.
/// \param callers Room for `capacity` addresses, innermost first; each lies one byte behind the
/// start of the code that will go on, as a return address lies behind its call.
/// \returns their number; 0 if they are unknown.
LIVEOBJ_HOOK uint32_t liveobj_async_callers(struct liveobj_stack_cache *cache, uintptr_t *callers,
                                            uint32_t capacity);

#pragma GCC visibility pop

#endif
