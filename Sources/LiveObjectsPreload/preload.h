// preload.h - the private interface of the preload library's files.
//
// The library is loaded into programs that did not ask for it. It needs libc alone and prints
// nothing on standard output. If anything in it fails, the program's own work and exit status are
// unchanged.
//
//   preload.c          the constructor: starts the recorder, if the program is to be tracked
//   origin.c           whether the process is the first of its run
//   activation.c       whether the program is to be tracked
//   exit.c             all ways in which a process ends, and the one report before that
//   sandbox.c          programs that forbid the system calls that a report needs
//   report.c           capture -> tool -> output
//   tool.c             finds and calls the `liveobjects` tool (CSpawn runs it)
//   environment.c      the environment of the tool
//   library.c          paths in the library's folder
//   companion.c        loads the companion of the test library that runs
//   kept_capture.c     keeps the capture if no tool can make a report
//   output.c           the destination of the report
//   message.c          messages on standard error, if it is still the original file
//   test_cases.c       which test case of Swift Testing runs
//   test_output.c      what its output says of it
//   descriptor.c       patient writes, nameless files
//   signals.c guard.c  nothing interrupts a report; nothing hangs in one
//   own_stack.c        the stack that it is made on
//
// CLiveObjectsOptions has LIVEOBJECTS_OPTIONS (one table, options.def), and text without stdio.
// This header hides symbols. The only exported functions are `_exit`, `_Exit`, `syscall`, `prctl`
// and `dlclose`.

#ifndef LIVEOBJ_PRELOAD_H
#define LIVEOBJ_PRELOAD_H

#include "CLiveObjects.h"
#include "options.h"
#include "text.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#pragma GCC visibility push(hidden)

// MARK: activation.c

/// Whether the program belongs to a Swift toolchain.
bool liveobj_activation_is_toolchain_program(void);

/// Whether a program that is not of a toolchain is to be tracked, as far as that is known without
/// the recorder. False for a package manifest, and for a test binary that only lists its tests.
bool liveobj_activation_is_wanted(int argument_count, char *const *arguments);

/// The absolute path of the running executable. Without /proc, the path with which it was started.
const char *liveobj_activation_program(void);

/// Whether a program has a toolchain program's file name, in folders that also contain other
/// programs. Separate for tests.
bool liveobj_activation_is_toolchain_name(const char *name);

// MARK: origin.c

/// Finds out whether this process is the first of its run, and passes that on to the processes that
/// it starts. In every program, before any other function here.
void liveobj_origin_start(void);

/// Call once this process is tracked: from then on, processes that it starts neither empty the
/// output nor repeat its messages.
void liveobj_origin_begin(void);

/// The value of LIVEOBJECTS_OPTIONS.
const char *liveobj_origin_options(void);

/// Whether this is the first process of a run. Remains true if it executes another program.
bool liveobj_origin_is_first(void);

/// Whether an earlier process of the same run is or was tracked.
bool liveobj_origin_has_begun(void);

/// Whether the file is standard error of the first process.
bool liveobj_origin_has_standard_error(const struct stat *file);

// MARK: message.c

/// Records which file standard error is. Call once, before the other functions.
void liveobj_message_start(void);

/// The descriptor of standard error. -1 if nothing may be written to it: because the program closed
/// it or replaced its file, or because it was another file than the first process's at the start.
int liveobj_message_descriptor(void);

/// Writes one line, "LiveObjects: " and the strings up to NULL, in one write.
void liveobj_message(const char *first, ...) __attribute__((sentinel));

/// A `liveobj_write_fn` for standard error. The context is not used.
bool liveobj_message_write(void *context, const void *bytes, size_t count);

// MARK: descriptor.c

/// Writes all bytes. Waits for a slow reader, for a limited time.
/// \returns 0, or the errno that stopped it (ETIMEDOUT for a reader that does not read).
int liveobj_descriptor_write(int descriptor, const void *bytes, size_t count);

/// The destination of a capture or text, and the errno of a failed write.
struct liveobj_destination {
    int descriptor;
    int error;
};

/// A `liveobj_write_fn` for a `struct liveobj_destination`.
bool liveobj_destination_write(void *context, const void *bytes, size_t count);

/// Moves a descriptor above those that the program opens, or closes and reuses.
int liveobj_descriptor_lift(int descriptor);

/// An anonymous file for reading and writing; -1 if none can be made.
int liveobj_descriptor_make_nameless(const char *purpose);

/// Copies a whole file, from its beginning.
/// \returns 0, or the errno that stopped it.
int liveobj_descriptor_copy(int from, int to);

// MARK: output.c

/// Resolves `output`. Empties the file if this process is the first of its run.
void liveobj_output_start(const struct liveobj_options *options);

/// Whether reports go to standard error.
bool liveobj_output_is_standard_error(void);

/// The path of the output if it is a file, or does not exist yet; otherwise NULL.
const char *liveobj_output_file(void);

/// Opens the output and waits until no other process writes a report to it. -1 if it cannot be
/// opened; a message has said so then.
int liveobj_output_open(void);

/// A `liveobj_write_fn` for the journal of tests: appends to the file to which this process will
/// write its capture. No other process writes to that file (`liveobj_output_is_own_capture`).
bool liveobj_output_journal(void *context, const void *bytes, size_t count);

/// Whether this process writes a capture, to a file that only it uses.
bool liveobj_output_is_own_capture(void);

/// Closes the output. A non-zero `error` is the errno of a failed write, and is reported.
void liveobj_output_close(int descriptor, int error);

// MARK: tool.c

/// Finds the tool: `tool=`, in the library's folder, or in ../bin.
void liveobj_tool_start(const struct liveobj_options *options);

/// The tool's path; NULL if there is no executable tool.
const char *liveobj_tool_path(void);

/// Why the tool made no report.
const char *liveobj_tool_failure(void);

/// The result of the tool.
enum liveobj_verdict {
    LIVEOBJ_VERDICT_NONE,    ///< no report was made
    LIVEOBJ_VERDICT_PASSING, ///< a report was made
    LIVEOBJ_VERDICT_FAILING, ///< a report was made, with findings that `failon` counts
};

/// Turns the capture in one descriptor into a report in the other.
enum liveobj_verdict liveobj_tool_report(const struct liveobj_options *options, int capture,
                                         int report);

// MARK: environment.c

/// Copies the environment. In the constructor, before the program has threads.
void liveobj_environment_start(void);

/// The environment with which the program was started, for a helper. Without the variables that
/// would have the helper tracked as well or would change its output. NULL if memory could not be
/// had. From any thread.
char *const *liveobj_environment(void);

/// The folder for temporary files: TMPDIR as it was at the start, if that is an absolute path. From
/// any thread.
const char *liveobj_environment_temporary_folder(void);

// MARK: library.c

/// The path of a file relative to the library's folder. The file need not exist. Returns false if
/// the folder is not known.
bool liveobj_library_sibling(const char *name, char path[PATH_MAX]);

// MARK: companion.c

/// Loads the companion of the test library whose tests the program will run, if it is a test
/// binary. Call while tracking, in the constructor.
void liveobj_companion_start(const struct liveobj_options *options, int argument_count,
                             char *const *arguments);

// MARK: kept_capture.c

/// Copies a capture to a separate file, and prints one line with its path.
/// \param why Why there is no report.
void liveobj_capture_keep(int capture, const char *why);
/// Removes the file if it is incomplete.
void liveobj_capture_discard(void);

// MARK: report.c

struct liveobj_report_result {
    bool is_failing;   ///< there are findings that `failon` counts
    bool is_abandoned; ///< a step was abandoned: the locks that it held are never released
};

/// Prints that nothing is tracked, and why, unless that was printed before.
void liveobj_report_say_unwatched(void);

/// Writes the report. Call with all signals blocked.
struct liveobj_report_result liveobj_report_write(const struct liveobj_options *options);

// MARK: test_cases.c

struct liveobj_testing_companion;

/// Starts calling the companion where Swift Testing's test cases begin and end. Objects allocated
/// in a test case have its scope. While the process has one thread.
/// \returns NULL, or one sentence about why it failed.
const char *liveobj_test_cases_start(const struct liveobj_testing_companion *companion);
/// Call on a task after Swift Testing has bound a task-local value, and before it unbinds one.
void liveobj_test_cases_value_bound(void);
void liveobj_test_cases_value_unbinding(void);

// MARK: test_output.c

/// Whether text written by Swift Testing reports an issue that fails the test.
bool liveobj_test_output_is_failure(const char *text, size_t count);

// MARK: exit.c

/// Makes the process write the report when it ends: once, and not in forked children.
void liveobj_exit_start(const struct liveobj_options *options);

/// Whether this process has memory of its own. False in a child that shares the memory of the
/// tracked process (vfork).
bool liveobj_exit_owns_memory(void);

/// Prints that there will be no report because this process enters a sandbox, if there would be a
/// report otherwise.
void liveobj_exit_announce_sandbox(void);

// MARK: sandbox.c

/// Records whether there was a filter of system calls at the start. In the constructor.
void liveobj_sandbox_start(void);

/// Whether the program has restricted its own system calls, so that a report could kill it.
bool liveobj_sandbox_is_entered(void);

// MARK: signals.c

/// The signals of a thread before they were blocked.
struct liveobj_signals {
    sigset_t blocked;
    sigset_t pending;
};

/// Blocks all signals of this thread.
struct liveobj_signals liveobj_signals_block(void);

/// Restores the signals, and removes those that our own writes caused (SIGPIPE, SIGXFSZ).
void liveobj_signals_restore(const struct liveobj_signals *saved);

// MARK: own_stack.c

/// Calls a function on the stack with this top, or on the current one if it is NULL.
/// \param place Set before the call: the target of `liveobj_stack_leave`.
/// \returns false if `liveobj_stack_leave` ended the call.
bool liveobj_stack_call(void *top, void (*function)(void *context), void *context, void **place);

/// Makes the running `liveobj_stack_call` return. Also from a signal handler.
_Noreturn void liveobj_stack_leave(void *place);

// MARK: guard.c

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
