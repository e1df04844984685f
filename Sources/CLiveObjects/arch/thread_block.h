// thread_block.h - recognises what the C library keeps of a thread, at the top of its stack: its
// control block, next to the thread's variables. Owns nothing.
//
// For the snapshot process, in which all other threads' memory is a copy.

#pragma once

#include "os/os.h"

#pragma GCC visibility push(hidden)

/// What is the same for all threads, measured in the calling one.
struct liveobj_thread_layout {
    intptr_t id;   // of the thread's id, in bytes from the block; 0 if unknown
    uintptr_t end; // of the block, in bytes from the block
};
struct liveobj_thread_layout liveobj_thread_layout_find(uint32_t own_thread);

#if defined(__x86_64__)
enum { LIVEOBJ_THREAD_BLOCK_ALIGNMENT = 64, LIVEOBJ_THREAD_BLOCK_WORDS = 6 };
#else
enum { LIVEOBJ_THREAD_BLOCK_ALIGNMENT = 8, LIVEOBJ_THREAD_BLOCK_WORDS = 3 };
#endif

/// Whether a block is at an address. Reads LIVEOBJ_THREAD_BLOCK_WORDS words there.
bool liveobj_thread_block_is_at(uintptr_t address);

/// The lowest and the highest address of a thread's block and variables.
struct liveobj_extent liveobj_thread_extent(const struct liveobj_thread_layout *layout,
                                            uintptr_t block, size_t local_bytes);

#pragma GCC visibility pop
