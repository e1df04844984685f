// unwind.h - calls libunwind, if it is installed, for frames that unwind rules cannot pass.

#ifndef LIVEOBJ_UNWIND_H
#define LIVEOBJ_UNWIND_H

#include "os/compiler.h"
#include "stacks/stacks.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// Loads libunwind and lets it set itself up. Calls the dynamic linker, so it must not be called in
/// a hook.
/// \returns false if libunwind is not installed.
bool liveobj_unwind_start(void);

/// Whether libunwind is loaded. Runs in hooks.
LIVEOBJ_HOOK bool liveobj_unwind_is_loaded(void);

/// Lists the return addresses outwards from the frame with these registers, a frame of the calling
/// thread. Slow: microseconds. Runs in hooks.
/// \param pcs Room for `capacity` addresses; innermost first.
/// \returns Their number; 0 if libunwind does not reach the frame.
LIVEOBJ_HOOK size_t liveobj_unwind_from(struct liveobj_registers frame, uintptr_t *pcs,
                                        size_t capacity);

#pragma GCC visibility pop

#endif
