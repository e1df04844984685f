// guard.h - no step of a report hangs or ends the process.

#ifndef LIVEOBJ_PRELOAD_GUARD_H
#define LIVEOBJ_PRELOAD_GUARD_H

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/// How a guarded step ended. An abandoned step keeps its locks and memory.
enum liveobj_step_end {
    LIVEOBJ_STEP_DONE,
    LIVEOBJ_STEP_STUCK,
    LIVEOBJ_STEP_CRASHED,
};

/// The longest wait for a lock of the C library.
#define LIVEOBJ_LOCK_MILLISECONDS 200

/// Starts the guard: the calling thread makes a report from here on. From then on another thread
/// that faults is stopped, so that it does not end the process: without the report the process
/// would have ended before. Call with all signals blocked, on no stack of the program.
void liveobj_guard_start(void);

/// Whether a thread was stopped. Its locks are never released.
bool liveobj_guard_holds_threads(void);

/// Restores the program's own handlers. Stopped threads fault again and reach those handlers.
void liveobj_guard_end(void);

/// Notes that another thread waits from here on until the process has ended, with all its locks.
void liveobj_guard_note_wait(void);

/// Runs one step of the report. Abandons it after it was idle for the given time, not counting time
/// in which the process is stopped or the machine is busy. While the guard is on, on its thread.
enum liveobj_step_end liveobj_guard_run(int milliseconds, void (*step)(void *context),
                                        void *context);

#pragma GCC visibility pop

#endif
