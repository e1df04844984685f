// options_check.h - the tool's checks of LIVEOBJECTS_OPTIONS, which the preload library reads.

#pragma once

#include <stdbool.h>
#include <stddef.h>

#pragma GCC visibility push(hidden)

/// Whether all of a string can be used. If not, writes the first error as a clause.
/// \param problem Receives the clause, with a terminating NUL. Unchanged if there is no error.
bool liveobj_options_check(const char *string, char *problem, size_t size);

/// Whether a string sets an option.
/// \param value Receives the last value, cut to `size`, with a terminating NUL. NULL if not wanted.
bool liveobj_options_set(const char *string, const char *name, char *value, size_t size);

#pragma GCC visibility pop
