// environment.h - the environment of the tool.

#ifndef LIVEOBJ_PRELOAD_ENVIRONMENT_H
#define LIVEOBJ_PRELOAD_ENVIRONMENT_H

#pragma GCC visibility push(hidden)

/// Copies the environment. In the constructor, before the program has threads.
void liveobj_environment_start(void);

/// The environment with which the program was started, for a helper. Without the variables that
/// would have the helper tracked as well or would change its output. NULL if memory could not be
/// had. From any thread.
char *const *liveobj_environment(void);

/// The folder for temporary files: TMPDIR as it was at the start, if that is an absolute path. From
/// any thread.
const char *liveobj_environment_temporary_folder(void);

#pragma GCC visibility pop

#endif
