// unwind.h - libunwind, where it is installed: for the frames that unwind rules cannot pass.

#ifndef LIVEOBJ_UNWIND_H
#define LIVEOBJ_UNWIND_H

#include "os/compiler.h"
#include "stacks/stacks.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// Loads libunwind and lets it set itself up. Calls the dynamic linker: not in a hook.
/// \returns false if it is not installed.
bool liveobj_unwind_start(void);

/// Whether `liveobj_unwind_from` can find anything. Hook.
LIVEOBJ_HOOK bool liveobj_unwind_is_loaded(void);

/// The return addresses outside of the frame with these registers, a frame of the calling thread.
/// Slow: microseconds. Hook.
/// \param pcs Room for `capacity` addresses; innermost first.
/// \returns their number; 0 if libunwind does not come by the frame.
LIVEOBJ_HOOK size_t liveobj_unwind_from(struct liveobj_registers frame, uintptr_t *pcs,
                                        size_t capacity);

/// In the child of a fork: libunwind is used no more if another thread was inside of it.
void liveobj_unwind_after_fork_child(void);

#pragma GCC visibility pop

#endif
