// second_runtime.h - other Swift runtimes in the process than the watched one.

#pragma once

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/// Looks for images that use another Swift runtime than the watched one. Called after libraries
/// were loaded or unloaded, by one thread at a time (unloads.c). Takes the dynamic linker's lock.
/// \returns false if an image is being loaded: look again.
bool liveobj_second_runtime_look(void);

/// The path of the first image that was found to use another runtime, also if it was unloaded
/// since; NULL for none.
const char *liveobj_second_runtime_user(void);

#pragma GCC visibility pop
