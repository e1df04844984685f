// exit.h - all ways in which a process ends, and the one report before that.

#ifndef LIVEOBJ_PRELOAD_EXIT_H
#define LIVEOBJ_PRELOAD_EXIT_H

#pragma GCC visibility push(hidden)

struct liveobj_options;

/// Makes the process write the report when it ends: once, and not in forked children.
void liveobj_exit_start(const struct liveobj_options *options);

#pragma GCC visibility pop

#endif
