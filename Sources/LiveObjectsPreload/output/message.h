// message.h - messages on standard error, if it is still the original file.

#ifndef LIVEOBJ_PRELOAD_MESSAGE_H
#define LIVEOBJ_PRELOAD_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>

#pragma GCC visibility push(hidden)

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

#endif
