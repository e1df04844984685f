// leaf_call.h - the caller of a function that saves no return address, without its registers.
//
// On aarch64 a call leaves the return address in a register, which cannot be read of another
// thread. It need not be read if an image calls the function in one place only. So glibc 2.41 does
// for functions that wait: `__syscall_cancel_arch`, nptl/cancellation.c.
//
// In the program, outside of hooks. Owns the result of the last search.

#pragma once

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// The return address of a function that has saved none at `pc`, and whose stack pointer is its
/// caller's. A call through a pointer is not found, so the result is an assumption: the caller's
/// own frame must confirm it (liveobj_leaf_is_call_of).
/// \param pc After the instruction that is being executed.
/// \returns 0 if the function saves its return address, or its image does not have exactly one
/// direct call of it.
uintptr_t liveobj_leaf_return_address(uintptr_t pc);

/// Whether the instruction before a return address is a direct call of the function around `pc`.
bool liveobj_leaf_is_call_of(uintptr_t return_address, uintptr_t pc);

#pragma GCC visibility pop
