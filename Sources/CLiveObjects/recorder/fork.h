// fork.h - forks of the process: no lock is held and no data is half changed in the child, which
// goes on recording.

#pragma once

#include "os/os.h"

#pragma GCC visibility push(hidden)

/// Has the recorder take part in each fork from now on. Call once.
void liveobj_fork_add_handlers(void);

/// Call around a fork that has no handlers.
void liveobj_recorder_before_fork(void);
void liveobj_recorder_after_fork(void);

/// Whether a capture can be made without waiting forever for one of the recorder's locks. False if
/// the calling thread holds a lock itself (a signal interrupted it), or if another thread still
/// holds one after the given time. Async-signal-safe.
bool liveobj_recorder_locks_are_free(uint64_t nanoseconds);

// MARK: - recorder.c

/// Visits all locks of the recorder in the order in which they are taken.
void liveobj_recorder_visit_locks(liveobj_lock_visit_fn visit, void *context);
/// Stops recording, in a child: another thread was making a change under a lock, which is never
/// completed here.
void liveobj_recorder_lost_lock(void);

#pragma GCC visibility pop
