// preload.h - the private map of the preload library.
//
// The library lives in programs that never asked for it. It needs libc alone, prints nothing on
// standard output, and whatever fails in it, the program's own work and exit status stay.
//
//   preload.c          the constructor: starts the recorder, if the program is one to watch
//   origin.c           is it the first of its run?
//   activation.c       is it one to watch?
//   exit.c             every way to end, and the one report before it
//   sandbox.c          programs that must not make the calls that a report needs
//   report.c           capture -> tool -> output
//   tool.c             where the `liveobjects` tool is, and how it is called (CSpawn runs it)
//   environment.c      with what environment
//   library.c          what lies in the library's folder
//   companion.c        loads the companion of the test library that runs
//   kept_capture.c     where no tool can make the report
//   output.c           where the report goes
//   message.c          lines for people, on a standard error that is still the one we were given
//   test_cases.c       which test case of Swift Testing runs
//   test_output.c      what its output says of it
//   descriptor.c       patient writes, nameless files
//   signals.c guard.c  nothing interrupts a report; nothing hangs in one
//   own_stack.c        the stack that it is made on
//
// CLiveObjectsOptions has LIVEOBJECTS_OPTIONS (one table, options.def), and text without stdio.
// Symbols are hidden by this header; `_exit`, `_Exit`, `syscall` and `prctl` are the only functions
// exported.

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

/// True for the programs of a Swift toolchain.
bool liveobj_activation_is_toolchain_program(void);

/// Whether another program is one to watch, as far as is known without the recorder: not a
/// package manifest, not a test binary that only lists its tests.
bool liveobj_activation_is_wanted(int argument_count, char *const *arguments);

/// The absolute path of the running executable; empty if /proc is not there.
const char *liveobj_activation_program(void);

/// True for a toolchain program's file name where its folder also holds other programs.
/// Separate for tests.
bool liveobj_activation_is_toolchain_name(const char *name);

// MARK: origin.c

/// Finds out whether this process is the first of its run, and hands that down to those that it
/// starts. In every program, before anything else here.
void liveobj_origin_start(void);

/// From now on no process that this one starts empties the output, or says what this one has said.
void liveobj_origin_begin(void);

/// The value of LIVEOBJECTS_OPTIONS.
const char *liveobj_origin_options(void);

/// True in the first process of a run, also after it executed another program.
bool liveobj_origin_is_first(void);

/// True if a process before this one, of the same run, is or was watched.
bool liveobj_origin_has_begun(void);

/// True if this is the file that is standard error in the first process.
bool liveobj_origin_has_standard_error(const struct stat *file);

// MARK: message.c

/// Remembers which file standard error is. Call once, before the others.
void liveobj_message_start(void);

/// Standard error's descriptor, or -1 if the program closed it or put another file there, or if it
/// was another than that of the first process at the start: then nothing may be written to it.
int liveobj_message_descriptor(void);

/// Writes one line, "LiveObjects: " and the strings up to NULL, in one piece.
void liveobj_message(const char *first, ...) __attribute__((sentinel));

/// A `liveobj_write_fn` for standard error; the context is not used.
bool liveobj_message_write(void *context, const void *bytes, size_t count);

// MARK: descriptor.c

/// Writes everything; waits for a slow reader, but not for ever.
/// \returns 0, or the errno that stopped it (ETIMEDOUT for a reader that does not read).
int liveobj_descriptor_write(int descriptor, const void *bytes, size_t count);

/// Where a capture or a text is written to, and the errno of a write that failed.
struct liveobj_destination {
    int descriptor;
    int error;
};

/// A `liveobj_write_fn` for a `struct liveobj_destination`.
bool liveobj_destination_write(void *context, const void *bytes, size_t count);

/// Moves a descriptor out of the way of those that the program opens or has closed.
int liveobj_descriptor_lift(int descriptor);

/// A file without a name, for reading and writing; -1 if none can be had.
int liveobj_descriptor_make_nameless(const char *purpose);

/// Copies a whole file, from its beginning.
/// \returns 0, or the errno that stopped it.
int liveobj_descriptor_copy(int from, int to);

// MARK: output.c

/// Resolves `output`, and empties the file if this process is the first of its run.
void liveobj_output_start(const struct liveobj_options *options);

/// True if reports go to standard error.
bool liveobj_output_is_standard_error(void);

/// The path of the output if that is a file, there or not; else NULL.
const char *liveobj_output_file(void);

/// Opens the output and keeps other processes' reports out of it; -1 if there is none, which has
/// been said.
int liveobj_output_open(void);

/// A `liveobj_write_fn`: appends what is known of the tests of this process to the file that its
/// capture will go to. It has no other writer (`liveobj_output_is_own_capture`).
bool liveobj_output_journal(void *context, const void *bytes, size_t count);

/// True if this process writes a capture, to a file of its own.
bool liveobj_output_is_own_capture(void);

/// Closes the output. A non-zero `error` is the errno of a write that failed, and is said.
void liveobj_output_close(int descriptor, int error);

// MARK: tool.c

/// Finds the tool: `tool=`, or in the library's folder, or in ../bin.
void liveobj_tool_start(const struct liveobj_options *options);

/// The tool's path; NULL if there is none that can be run.
const char *liveobj_tool_path(void);

/// Why the tool has made no report.
const char *liveobj_tool_failure(void);

/// What became of the tool.
enum liveobj_verdict {
    LIVEOBJ_VERDICT_NONE,    ///< no report was made
    LIVEOBJ_VERDICT_PASSING, ///< a report was made
    LIVEOBJ_VERDICT_FAILING, ///< a report was made, with findings that `failon` counts
};

/// Turns the capture in one descriptor into a report in the other.
enum liveobj_verdict liveobj_tool_report(const struct liveobj_options *options, int capture,
                                         int report);

// MARK: environment.c

/// Keeps the environment as it is. In the constructor, before the program has threads.
void liveobj_environment_start(void);

/// What the program was started with, for a helper: nothing in it has the helper watched as well,
/// or act otherwise than agreed. NULL if there was no memory. From any thread.
char *const *liveobj_environment(void);

/// Where temporary files go: TMPDIR as it was at the start, if that is an absolute path. From any
/// thread.
const char *liveobj_environment_temporary_folder(void);

// MARK: library.c

/// The path of a file as seen from the library's folder, there or not; false if it is unknown.
bool liveobj_library_sibling(const char *name, char path[PATH_MAX]);

// MARK: companion.c

/// Loads the companion of the test library whose tests the program will run, if it is a test
/// binary. Call while tracking, in the constructor.
void liveobj_companion_start(const struct liveobj_options *options, int argument_count,
                             char *const *arguments);

// MARK: kept_capture.c

/// Copies a capture to a file of its own, and says in one line where that is.
/// \param why there is no report.
void liveobj_capture_keep(int capture, const char *why);
/// Removes the file if it was left half-written.
void liveobj_capture_discard(void);

// MARK: report.c

struct liveobj_report_result {
    bool is_failing;   ///< there are findings that `failon` counts
    bool is_abandoned; ///< a step was left in the middle, and what it had locked stays locked
};

/// Says that nothing is watched, and why, unless it has been said.
void liveobj_report_say_unwatched(void);

/// Writes the report. Call with all signals blocked.
struct liveobj_report_result liveobj_report_write(const struct liveobj_options *options);

// MARK: test_cases.c

struct liveobj_testing_companion;

/// From now on the companion is called where Swift Testing's test cases begin and end, and objects
/// made in one have its scope. While the process has one thread.
/// \returns NULL, or one sentence about why it cannot be done.
const char *liveobj_test_cases_start(const struct liveobj_testing_companion *companion);
/// On a task for which Swift Testing has bound a task-local value, and before it unbinds one.
void liveobj_test_cases_value_bound(void);
void liveobj_test_cases_value_unbinding(void);

// MARK: test_output.c

/// True if what Swift Testing writes is about an issue that fails the test.
bool liveobj_test_output_is_failure(const char *text, size_t count);

// MARK: exit.c

/// Has the report written when this process ends, once, and in no child that it forks.
void liveobj_exit_start(const struct liveobj_options *options);

/// False in a child that shares the memory of the process that is watched (vfork).
bool liveobj_exit_owns_memory(void);

/// Says that there will be no report, if there would be one: this process enters a sandbox.
void liveobj_exit_announce_sandbox(void);

// MARK: sandbox.c

/// Remembers whether there was a filter of system calls before. In the constructor.
void liveobj_sandbox_start(void);

/// True once the program has restricted its own system calls: a report could kill it.
bool liveobj_sandbox_is_entered(void);

// MARK: signals.c

/// A thread's signals as they were.
struct liveobj_signals {
    sigset_t blocked;
    sigset_t pending;
};

/// Blocks all signals of this thread.
struct liveobj_signals liveobj_signals_block(void);

/// Undoes it, and takes back what our own writes caused (SIGPIPE, SIGXFSZ).
void liveobj_signals_restore(const struct liveobj_signals *saved);

// MARK: own_stack.c

/// Calls a function on the stack with this top, or on the present one if it is NULL.
/// \param place Set before the call: where `liveobj_stack_leave` goes.
/// \returns false if the function was left.
bool liveobj_stack_call(void *top, void (*function)(void *context), void *context, void **place);

/// Has the `liveobj_stack_call` return that is under way. From a signal handler, too.
_Noreturn void liveobj_stack_leave(void *place);

// MARK: guard.c

/// How a guarded step ended. One that was left keeps what it held.
enum liveobj_step_end {
    LIVEOBJ_STEP_DONE,
    LIVEOBJ_STEP_STUCK,
    LIVEOBJ_STEP_CRASHED,
};

/// The longest wait for a lock of the C library.
#define LIVEOBJ_LOCK_MILLISECONDS 200

/// The calling thread makes a report from here on. Another one that faults is held from then on: it
/// must not end the process, which would have ended without the report. Call with all signals
/// blocked, on no stack of the program's.
void liveobj_guard_start(void);

/// True if a thread is held. What it has locked stays locked.
bool liveobj_guard_holds_threads(void);

/// The program has its own handlers again, and threads that were held meet them.
void liveobj_guard_end(void);

/// Another thread waits from here on until the process has ended, with all that it has locked.
void liveobj_guard_note_wait(void);

/// Runs one step of the report, until it has done nothing for so long: a time in which the process
/// is stopped or the machine is busy does not count. While the guard is on, on its thread.
enum liveobj_step_end liveobj_guard_run(int milliseconds, void (*step)(void *context),
                                        void *context);

#pragma GCC visibility pop

#endif
