// continuations.h - what libdispatch keeps of work that is done.
//
// A thread caches the descriptions of work that it has run, up to 1,024, with all their words: the
// function and the object that it was run for. The object may be long gone, and its memory another
// one's. No description in a cache refers to anything.
//
// In the guarded child only; reads memory plainly, so in a step.

#ifndef LIVEOBJ_CONTINUATIONS_H
#define LIVEOBJ_CONTINUATIONS_H

#include "malloc_chunks.h"

#pragma GCC visibility push(hidden)

/// Whether a chunk is one in such a cache, and not the last.
bool liveobj_chunk_is_cached_continuation(const struct liveobj_chunks *chunks, uintptr_t chunk);

#pragma GCC visibility pop

#endif
