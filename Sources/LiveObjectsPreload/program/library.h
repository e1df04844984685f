// library.h - paths in the library's folder.

#ifndef LIVEOBJ_PRELOAD_LIBRARY_H
#define LIVEOBJ_PRELOAD_LIBRARY_H

#include <limits.h>
#include <stdbool.h>

#pragma GCC visibility push(hidden)

/// The path of a file relative to the library's folder. The file need not exist. Returns false if
/// the folder is not known.
bool liveobj_library_sibling(const char *name, char path[PATH_MAX]);

#pragma GCC visibility pop

#endif
