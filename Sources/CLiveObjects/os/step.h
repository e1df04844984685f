// step.h - work of a snapshot process that may fault, or wait for ever.

#pragma once

#include "os/compiler.h"

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// Takes the process's signals. In the snapshot process, when it begins; all signals are blocked.
/// \param crash Called at a fault outside of steps; does not return.
void liveobj_steps_start(void (*crash)(void));

/// In the snapshot process: runs `step`, and ends it at a fault or at a wait of more than about 100
/// ms.
/// \returns false if it was ended.
bool liveobj_snapshot_step(void (*step)(void *context), void *context);
/// Whether this is a snapshot process that runs a step.
bool liveobj_snapshot_is_in_step(void);
/// Called now and then in a long step, to show that it does not wait. Does nothing in the program.
void liveobj_snapshot_advance(void);
/// In the snapshot process: the number of steps that were ended because they waited.
uint32_t liveobj_snapshot_timeouts(void);

#pragma GCC visibility pop
