// sandbox.h - programs that forbid the system calls that a report needs.

#ifndef LIVEOBJ_PRELOAD_SANDBOX_H
#define LIVEOBJ_PRELOAD_SANDBOX_H

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/// Records whether there was a filter of system calls at the start. In the constructor.
/// \param announce Called before the program restricts its system calls. Returns whether that
///                 concerns the tracked process: not in a child that shares its memory (vfork).
void liveobj_sandbox_start(bool (*announce)(void));

/// Whether the program has restricted its own system calls, so that a report could kill it.
bool liveobj_sandbox_is_entered(void);

#pragma GCC visibility pop

#endif
