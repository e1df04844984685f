// leaf_call.h - the caller of a function that saves no return address, without its registers.
//
// On aarch64 a call leaves the return address in a register, which cannot be read of another
// thread. It need not be read if the function has few callers: in glibc 2.41 one waits in
// `__syscall_cancel_arch`, in 2.43 one that cannot be cancelled in `__internal_syscall_cancel`
// (nptl/cancellation.c), which has three.
//
// In the program, outside of hooks. Owns the results of its searches.

#pragma once

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

enum { LIVEOBJ_LEAF_CALLS_LIMIT = 8 };

/// The direct calls of a function in its image.
struct liveobj_leaf_calls {
    bool is_complete; // false if there are more
    uint32_t count;
    uintptr_t return_addresses[LIVEOBJ_LEAF_CALLS_LIMIT];
};

/// The direct calls of a function that has saved no return address at `pc`, and whose stack pointer
/// is its caller's. A call through a pointer is not found, so the caller's own frame must confirm a
/// call (liveobj_leaf_is_call_of).
/// \param pc After the instruction that is being executed.
/// \returns NULL if the function saves its return address, or its calls are not known.
const struct liveobj_leaf_calls *liveobj_leaf_calls_of(uintptr_t pc);

/// Whether the instruction before a return address is a direct call of the function around `pc`.
bool liveobj_leaf_is_call_of(uintptr_t return_address, uintptr_t pc);

#pragma GCC visibility pop
