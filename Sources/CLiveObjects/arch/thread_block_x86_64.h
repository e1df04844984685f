// thread_block_x86_64.h - see thread_block.h, which includes it.
//
// The thread pointer points to the block, which has its own address in its first and third words.
// The thread's variables lie below it.

#pragma once

enum { LIVEOBJ_THREAD_BLOCK_ALIGNMENT = 64, LIVEOBJ_THREAD_BLOCK_WORDS = 6 };

LIVEOBJ_ANY_MEMORY_BEGIN

static inline struct liveobj_thread_layout liveobj_thread_layout_find(uint32_t own_thread) {
    return (struct liveobj_thread_layout){liveobj_thread_id_offset(own_thread), 0};
}

// Compares the stack guard, too, a random number that all threads have: other memory may be a
// list's empty head, which refers to itself twice as well.
static inline bool liveobj_thread_block_is_at(uintptr_t address) {
    enum { STACK_GUARD = 5 };
    const uintptr_t *words = (const uintptr_t *)address, *own = __builtin_thread_pointer();
    return words[0] == address && words[2] == address && words[STACK_GUARD] == own[STACK_GUARD];
}

static inline struct liveobj_extent
liveobj_thread_extent(const struct liveobj_thread_layout *layout, uintptr_t block,
                      size_t local_bytes) {
    (void)layout;
    return (struct liveobj_extent){block - local_bytes, block};
}

LIVEOBJ_ANY_MEMORY_END
