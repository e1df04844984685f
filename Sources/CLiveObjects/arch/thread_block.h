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

#include <pthread.h>
#include <stddef.h>

struct liveobj_thread_layout {
    intptr_t id;   // of the thread's id, in bytes from the block; 0 if unknown
    uintptr_t end; // of the block, in bytes from the block
};

LIVEOBJ_ANY_MEMORY_BEGIN

/// Where a thread's id is, in bytes from its `pthread_t`, measured in the calling thread, whose id
/// is given; 0 if unknown. On x86_64 that is the block, on aarch64 it lies below it.
///
/// An equal number may be anything: half of an address, or in a container, where ids are small, a
/// flag. Behind the id is the list of robust mutexes, whose third word is the same for all threads:
/// by it the kernel finds a mutex from its link (glibc's nptl/descr.h).
static inline intptr_t liveobj_thread_id_offset(uint32_t own_thread) {
    enum { MOST_BYTES = 1024, OFFSET = 3 }; // less than it points to
    const intptr_t lock_of_mutex = 0 - (intptr_t)offsetof(pthread_mutex_t, __data.__list.__next);
    const uintptr_t *words = (const uintptr_t *)pthread_self();
    for (size_t i = 1; i < MOST_BYTES / sizeof *words; i++)
        if ((uint32_t)words[i] == own_thread && words[i + OFFSET] == (uintptr_t)lock_of_mutex)
            return (intptr_t)(i * sizeof *words);
    return 0;
}

LIVEOBJ_ANY_MEMORY_END

#if defined(__x86_64__)
#include "arch/thread_block_x86_64.h"
#elif defined(__aarch64__)
#include "arch/thread_block_aarch64.h"
#endif
