// thread_block_x86_64.c - see thread_block.h.
//
// The thread pointer points to the block, which has its own address in its first and third words.
// The thread's variables lie below it.

#if defined(__linux__) && defined(__x86_64__)

#include "arch/thread_block.h"

LIVEOBJ_ANY_MEMORY_BEGIN

struct liveobj_thread_layout liveobj_thread_layout_find(uint32_t own_thread) {
    enum { MOST_BYTES = 1024 }; // less than a block has
    const uint32_t *words = __builtin_thread_pointer();
    for (size_t i = 1; i < MOST_BYTES / sizeof *words; i++)
        if (words[i] == own_thread)
            return (struct liveobj_thread_layout){(intptr_t)(i * sizeof *words), 0};
    return (struct liveobj_thread_layout){0, 0};
}

// Compares the stack guard, too, a random number that all threads have: other memory may be a
// list's empty head, which refers to itself twice as well.
bool liveobj_thread_block_is_at(uintptr_t address) {
    enum { STACK_GUARD = 5 };
    const uintptr_t *words = (const uintptr_t *)address, *own = __builtin_thread_pointer();
    return words[0] == address && words[2] == address && words[STACK_GUARD] == own[STACK_GUARD];
}

struct liveobj_extent liveobj_thread_extent(const struct liveobj_thread_layout *layout,
                                            uintptr_t block, size_t local_bytes) {
    (void)layout;
    return (struct liveobj_extent){block - local_bytes, block};
}

LIVEOBJ_ANY_MEMORY_END

#endif
