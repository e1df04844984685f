// output.h - the destination of the report, and messages on standard error if it is still the
// original file.

#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#pragma GCC visibility push(hidden)

struct liveobj_options;

/// Resolves `output`. Empties the file if this process is the first of its run.
void liveobj_output_start(const struct liveobj_options *options);

/// Whether reports go to standard error.
bool liveobj_output_is_standard_error(void);

/// The path of the output if it is a file, or does not exist yet; otherwise NULL.
const char *liveobj_output_file(void);

/// The beginning of the paths of this process's other files: next to the output if that is a file,
/// else in the folder for temporary files. No suffix yet.
#define LIVEOBJ_FILE_PREFIX_BYTES (2 * PATH_MAX + 32)
/// \returns The end of the string.
char *liveobj_output_file_prefix(char path[LIVEOBJ_FILE_PREFIX_BYTES]);

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

// MARK: - message.c

/// Records which file standard error is. Call once, before the other functions.
void liveobj_message_start(void);

/// The descriptor of standard error. -1 if nothing may be written to it: because the program closed
/// it or replaced its file, or because it was another file than the first process's at the start.
int liveobj_message_descriptor(void);

/// Writes one line, "LiveObjects: " and the strings up to NULL, in one write.
void liveobj_message(const char *first, ...) __attribute__((sentinel));

/// A `liveobj_write_fn` for standard error. The context is not used.
bool liveobj_message_write(void *context, const void *bytes, size_t count);

#pragma GCC visibility pop
