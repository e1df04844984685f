// global_search.h - whether variables of the program hold what a test left behind.

#ifndef LIVEOBJ_GLOBAL_SEARCH_H
#define LIVEOBJ_GLOBAL_SEARCH_H

#include "CLiveObjects.h"

#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// See `liveobj_search_roots`.
enum liveobj_root_search liveobj_global_search(const uintptr_t *objects, size_t count);

#pragma GCC visibility pop

#endif
