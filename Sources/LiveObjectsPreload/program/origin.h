// origin.h - whether the process is the first of its run.

#ifndef LIVEOBJ_PRELOAD_ORIGIN_H
#define LIVEOBJ_PRELOAD_ORIGIN_H

#include <stdbool.h>
#include <sys/stat.h>

#pragma GCC visibility push(hidden)

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

#pragma GCC visibility pop

#endif
