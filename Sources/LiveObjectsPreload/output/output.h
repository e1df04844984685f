// output.h - the destination of the report.

#ifndef LIVEOBJ_PRELOAD_OUTPUT_H
#define LIVEOBJ_PRELOAD_OUTPUT_H

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

#pragma GCC visibility pop

#endif
