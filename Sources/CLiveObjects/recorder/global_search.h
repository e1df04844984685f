// global_search.h - whether variables of the program hold what a test left behind.

#ifndef LIVEOBJ_GLOBAL_SEARCH_H
#define LIVEOBJ_GLOBAL_SEARCH_H

#include "CLiveObjects.h"

#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// See `liveobj_objects_holding`.
enum liveobj_holding liveobj_global_search(const uintptr_t *objects, size_t count);

#pragma GCC visibility pop

#endif
