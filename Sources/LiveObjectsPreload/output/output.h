// output.h - the destination of the report, and messages on standard error if it is still the
// original file.

#pragma once

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

// MARK: - listener.c

/// Makes the Unix socket on which this process is asked for snapshots. Call once, on the thread
/// that accepts. \param failure Receives the reason if -1 is returned.
int liveobj_listener_open(const char **failure);

/// Waits for a connection of the process's owner or of root; refuses those of other users.
/// \returns The connection. -1 if there can be no more.
int liveobj_listener_accept(int listener);

/// Sends all bytes. \returns false if the other side does not take them within five seconds.
bool liveobj_listener_send(int connection, const void *bytes, size_t count);

/// Removes the socket's file, so that no more connections come. From any thread, also if there is
/// no socket.
void liveobj_listener_remove(void);

/// Ends a wait in `liveobj_listener_accept`. Before `liveobj_listener_remove`.
void liveobj_listener_wake(void);

#pragma GCC visibility pop
