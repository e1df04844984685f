// thread_block.h - recognises what the C library keeps of a thread, at the top of its stack: its
// control block, next to the thread's variables. Owns nothing.
//
// For the snapshot process, in which all other threads' memory is a copy. Inline, because all of a
// program's memory is searched for blocks.
//
// Each architecture defines
//   LIVEOBJ_THREAD_BLOCK_ALIGNMENT       of a block
//   LIVEOBJ_THREAD_BLOCK_WORDS           that liveobj_thread_block_is_at reads
//   liveobj_thread_block_is_at(address)  whether a block is there
//   liveobj_thread_layout_find(id)       what is the same for all threads, measured in the calling
//                                        one, whose id is given
//   liveobj_thread_extent(...)           the lowest and the highest address of a thread's block and
//                                        variables

#pragma once

#include "os/compiler.h"
#include "os/os.h"

struct liveobj_thread_layout {
    intptr_t id;   // of the thread's id, in bytes from the block; 0 if unknown
    uintptr_t end; // of the block, in bytes from the block
};

#if defined(__x86_64__)
#include "arch/thread_block_x86_64.h"
#elif defined(__aarch64__)
#include "arch/thread_block_aarch64.h"
#endif
