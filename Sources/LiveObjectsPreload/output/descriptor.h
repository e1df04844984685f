// descriptor.h - patient writes, nameless files.

#pragma once

#include <stdbool.h>
#include <stddef.h>

#pragma GCC visibility push(hidden)

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

#pragma GCC visibility pop
