// options_check.h - what the tool asks about LIVEOBJECTS_OPTIONS, which the preload library obeys.

#ifndef LIVEOBJ_OPTIONS_CHECK_H
#define LIVEOBJ_OPTIONS_CHECK_H

#include <stdbool.h>
#include <stddef.h>

#pragma GCC visibility push(hidden)

/// Whether all of a string can be used. If not, the first thing that is wrong, as a clause.
/// \param problem Where to put it, with a terminating NUL; untouched if nothing is wrong.
bool liveobj_options_check(const char *string, char *problem, size_t size);

/// Whether a string sets an option.
bool liveobj_options_set(const char *string, const char *name);

#pragma GCC visibility pop

#endif
