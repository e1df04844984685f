// thread_block_aarch64.h - see thread_block.h, which includes it.
//
// The control block lies below the thread pointer, and the thread's variables above it. The block
// has the thread's id, and then the list of robust mutexes: while it is empty, its two links have
// the address of the second one. That is taken for the block: all that refers to objects lies
// above.

#pragma once

#include <stddef.h>

enum { LIVEOBJ_THREAD_BLOCK_ALIGNMENT = 8, LIVEOBJ_THREAD_BLOCK_WORDS = 3 };

LIVEOBJ_ANY_MEMORY_BEGIN

// Compares the third word, too, by which the kernel finds a mutex from its link: other memory may
// be a list's empty head, which refers to itself twice as well.
static inline bool liveobj_thread_block_is_at(uintptr_t address) {
    const uintptr_t *words = (const uintptr_t *)address;
    const intptr_t lock_of_mutex = 0 - (intptr_t)offsetof(pthread_mutex_t, __data.__list.__next);
    return words[0] == (uintptr_t)&words[1] && words[1] == words[0] &&
           words[2] == (uintptr_t)lock_of_mutex;
}

/// The thread's id in the words before the list.
static inline intptr_t liveobj_thread_id_before(uintptr_t block, uint32_t own_thread) {
    enum { MOST_WORDS = 8 };
    const uint32_t *words = (const uint32_t *)block;
    for (intptr_t i = 1; i <= MOST_WORDS; i++)
        if (*(words - i) == own_thread)
            return -i * (intptr_t)sizeof *words;
    return 0;
}

static inline struct liveobj_thread_layout liveobj_thread_layout_find(uint32_t own_thread) {
    enum { MOST_BYTES = 4096, HEAD_BYTES = 16 }; // of the block, and of its part above
    uintptr_t pointer = (uintptr_t)__builtin_thread_pointer();
    uintptr_t start = (uintptr_t)pthread_self(); // below it, nothing may be mapped
    for (uintptr_t block = pointer - HEAD_BYTES; block > start; block -= 8)
        if (liveobj_thread_block_is_at(block))
            return (struct liveobj_thread_layout){liveobj_thread_id_before(block, own_thread),
                                                  pointer + HEAD_BYTES - block};
    return (struct liveobj_thread_layout){0, MOST_BYTES}; // it has robust mutexes
}

static inline struct liveobj_extent
liveobj_thread_extent(const struct liveobj_thread_layout *layout, uintptr_t block,
                      size_t local_bytes) {
    return (struct liveobj_extent){block, block + layout->end + local_bytes};
}

LIVEOBJ_ANY_MEMORY_END
