// assembly.h - functions that cannot be written in C, as text for `__asm__`. Each has its comment
// where it is used.
//
//   LIVEOBJ_STACK_CALL_ASSEMBLY     liveobj_stack_call, liveobj_stack_leave (own_stack.c)
//   LIVEOBJ_SYSCALL_ASSEMBLY        syscall; needs .Lprctl and .Lseccomp (sandbox.c)
//   LIVEOBJ_SIGNAL_RETURN_ASSEMBLY  liveobj_guard_return, with LIVEOBJ_SIGNAL_RETURN_FLAG (guard.c)

#pragma once

#include <stddef.h>

#if defined(__x86_64__)
#include "arch/assembly_x86_64.h"
#elif defined(__aarch64__)
#include "arch/assembly_aarch64.h"
#endif
