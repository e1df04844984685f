// malloc_chunks.h - the pieces of a heap that glibc's malloc manages, and which of them are free.
//
// What was freed keeps its words, and an array that grew has left copies of its elements behind:
// words that look like holders and are none. Any other allocator's memory is not recognised, and
// searched word by word.
//
// In the guarded child only; reads memory plainly, so in a step.

#ifndef LIVEOBJ_MALLOC_CHUNKS_H
#define LIVEOBJ_MALLOC_CHUNKS_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// Chunks that follow one another without a gap.
struct liveobj_chunks {
    uintptr_t first;
    uintptr_t end;
};

/// Whether memory is such a heap from its first chunk on: the sizes of all chunks lead to its end.
bool liveobj_chunks_find(uintptr_t start, uintptr_t end, struct liveobj_chunks *chunks);
/// The bytes of a chunk, its header included; 0 behind the last one that holds anything.
uintptr_t liveobj_chunk_bytes(const struct liveobj_chunks *chunks, uintptr_t chunk);
/// Where what was asked for begins.
uintptr_t liveobj_chunk_content(uintptr_t chunk);
bool liveobj_chunk_is_free(const struct liveobj_chunks *chunks, uintptr_t chunk);

#pragma GCC visibility pop

#endif
