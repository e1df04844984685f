// own_stack.c - calls a function on another stack, and leaves it by a jump. Owns nothing.
//
// Replaces ucontext and setjmp, which sanitizers intercept: they warn, and report the other stack
// as an error. A debugger and an unwinder find the caller by the frame pointer. Async-signal-safe.

#include "arch/assembly.h"
#include "safety/safety.h"

__asm__(LIVEOBJ_STACK_CALL_ASSEMBLY);
