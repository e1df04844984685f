// safety.h - no step of a report hangs, is interrupted, or ends the process.

#pragma once

#include <signal.h>
#include <stdbool.h>

#pragma GCC visibility push(hidden)

// MARK: - guard.c

/// How a guarded step ended. An abandoned step keeps its locks and memory.
enum liveobj_step_end {
    LIVEOBJ_STEP_DONE,
    LIVEOBJ_STEP_REFUSED, // there is no timer, so the step was not begun
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

// MARK: - own_stack.c

/// Calls a function on the stack with this top, or on the current one if it is NULL.
/// \param target Set before the call: the target of `liveobj_stack_leave`.
/// \returns false if `liveobj_stack_leave` ended the call.
bool liveobj_stack_call(void *top, void (*function)(void *context), void *context, void **target);

/// Makes the running `liveobj_stack_call` return. Also from a signal handler.
_Noreturn void liveobj_stack_leave(void *target);

// MARK: - sandbox.c

/// Records whether there was a filter of system calls at the start. In the constructor.
/// \param announce Called before the program restricts its system calls. Returns whether that
///                 concerns the tracked process: not in a child that shares its memory (vfork).
/// \param stop     Called afterwards, if it does: no system call may follow, so it makes none.
void liveobj_sandbox_start(bool (*announce)(void), void (*stop)(void));

/// Whether the program has restricted its own system calls, so that a report could kill it.
bool liveobj_sandbox_is_entered(void);

// MARK: - signals.c

/// The signals of a thread before they were blocked.
struct liveobj_signals {
    sigset_t blocked;
    sigset_t pending;
};

/// Blocks all signals of this thread.
struct liveobj_signals liveobj_signals_block(void);

/// Restores the signals, and removes those that our own writes caused (SIGPIPE, SIGXFSZ).
void liveobj_signals_restore(const struct liveobj_signals *saved);

#pragma GCC visibility pop
