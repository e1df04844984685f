// own_stack.h - the stack on which the report is made.

#ifndef LIVEOBJ_PRELOAD_OWN_STACK_H
#define LIVEOBJ_PRELOAD_OWN_STACK_H

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/// Calls a function on the stack with this top, or on the current one if it is NULL.
/// \param place Set before the call: the target of `liveobj_stack_leave`.
/// \returns false if `liveobj_stack_leave` ended the call.
bool liveobj_stack_call(void *top, void (*function)(void *context), void *context, void **place);

/// Makes the running `liveobj_stack_call` return. Also from a signal handler.
_Noreturn void liveobj_stack_leave(void *place);

#pragma GCC visibility pop

#endif
