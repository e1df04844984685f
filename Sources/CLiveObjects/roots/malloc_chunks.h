// malloc_chunks.h - the chunks of a heap of glibc's malloc, and which of them are free.
//
// Freed memory keeps its words, and an array that grew leaves its old elements behind. Such stale
// words would count as references. Memory of other allocators is not recognised and is searched
// word by word.
//
// In the snapshot process only. Reads memory directly, so call it in a step.

#pragma once

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// Chunks that follow each other without a gap.
struct liveobj_chunks {
    uintptr_t first;
    uintptr_t end;
};

/// Whether the address is in any heap's memory, which can be read.
typedef bool (*liveobj_is_heap_fn)(const void *context, uintptr_t address);

/// Called for a chunk, which is not the last one.
typedef void (*liveobj_visit_heap_chunk_fn)(void *context, const struct liveobj_chunks *chunks,
                                            uintptr_t chunk);

/// Whether the memory begins with such a heap: the chunks' sizes must add up to its end. That is
/// the end of the memory or, for a thread's heap, the one that its header states.
/// \param visit Called on the way to the end, also where it is not found; NULL for nothing. Each
/// walk waits for the memory of all chunks.
bool liveobj_chunks_find(uintptr_t start, uintptr_t end, struct liveobj_chunks *chunks,
                         liveobj_visit_heap_chunk_fn visit, void *context);
/// Where the next thread's heap behind `start` may begin; `end` if there is none. The system
/// unites a heap with memory before it.
uintptr_t liveobj_chunks_next_heap(uintptr_t start, uintptr_t end);
/// Whether the heap is a thread's: else it is the main one.
bool liveobj_chunks_are_of_thread(uintptr_t start);
/// Whether the heap that begins there is the first one of an arena.
bool liveobj_chunks_begin_arena(uintptr_t start);
/// The bytes of a chunk with a mapping of its own, which begins with a page and ends by `end`; 0 if
/// none is there.
uintptr_t liveobj_chunk_mapped_bytes(uintptr_t chunk, uintptr_t end);
/// The bytes of a chunk, header included; 0 after the last chunk in use.
uintptr_t liveobj_chunk_bytes(const struct liveobj_chunks *chunks, uintptr_t chunk);
/// The address that malloc returned for the chunk.
uintptr_t liveobj_chunk_content(uintptr_t chunk);
/// Whether the chunk is certainly free. Those in the caches of threads are not known to be: a block
/// from there that was not written to yet looks the same.
bool liveobj_chunk_is_in_bin(const struct liveobj_chunks *chunks, uintptr_t chunk);
/// \param is_heap Called for an address outside of these chunks.
bool liveobj_chunk_is_free(const struct liveobj_chunks *chunks, uintptr_t chunk,
                           liveobj_is_heap_fn is_heap, const void *context);

#pragma GCC visibility pop
