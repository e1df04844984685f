// stack_walk.h - a thread's last stack trace, and the walk that re-uses it. Hook.

#ifndef LIVEOBJ_STACK_WALK_H
#define LIVEOBJ_STACK_WALK_H

#include "os/compiler.h"
#include "stacks/stacks.h"

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// Where a walk ended.
enum liveobj_stack_end {
    /// At what it read there; another time it might go on.
    LIVEOBJ_STACK_END_READ = 0,
    /// At what the outermost frame's registers say, and would again.
    LIVEOBJ_STACK_END_CLOSED,
    /// Likewise: where the Swift runtime runs a task. The trace goes on with the task's contexts.
    LIVEOBJ_STACK_END_TASK,
};

/// Deeper stacks are cut, and not remembered.
#define LIVEOBJ_MAX_FRAMES 512

#define LIVEOBJ_CONTEXT_PAGES 8

struct liveobj_frame {
    struct liveobj_registers registers;
    /// Where `registers.fp` was read, and that value. If the inner frame left it as it was: the
    /// place and the value of `registers.pc`, the word below `registers.sp`, a second time.
    uintptr_t fp_place;
    uintptr_t fp_word;
    /// Of the return addresses from the root up to this frame.
    uint64_t hash;
};

/// Reads one word of a frame that was just written, as it was written. If the compiler joined two
/// such reads, the processor would wait until both words have reached the cache.
static inline uintptr_t liveobj_frame_load(const uintptr_t *word) {
    return __atomic_load_n(word, __ATOMIC_RELAXED);
}

struct liveobj_stack_cache {
    /// What is known to be in one piece with the top of the thread's stack, and that top.
    uintptr_t own_from;
    uintptr_t own_top;
    /// Below this address no stack is the thread's own.
    uintptr_t foreign_below;
    /// The stack, not the thread's own, that the last trace is of, if it is of one: by pages.
    uintptr_t foreign_from;
    uintptr_t foreign_until;
    uint32_t generation;
    uint32_t count;
    /// The stored trace that has these frames; 0 if it was dropped, or has more than these.
    uint32_t trace;
    enum liveobj_stack_end end;
    /// The last trace that ended in a task.
    uint32_t task_trace;
    /// Where contexts were found; see async_stack.c.
    uintptr_t context_pages[LIVEOBJ_CONTEXT_PAGES];
    struct liveobj_frame frames[LIVEOBJ_MAX_FRAMES]; // root first
    /// The frames of a walk that the last trace does not have, leaf first.
    struct liveobj_frame walked[LIVEOBJ_MAX_FRAMES + 1];
    uintptr_t addresses[LIVEOBJ_MAX_FRAMES];
};

/// The part of a stack that may be read.
struct liveobj_stack_extent {
    uintptr_t top;
    bool is_foreign; // where it ends is not known: `top` moves with the walk, over what is there
};

struct liveobj_stack_walk {
    struct liveobj_stack_cache *cache;
    struct liveobj_stack_extent extent;
    uint32_t walked; // frames in cache->walked; one more than the maximum if there are more
    uint32_t common; // frames that are those of the last trace, from the root on
    enum liveobj_stack_end end;
    bool is_opaque; // libunwind has to go on
};

/// Before the first walk; on the main thread, where that can be.
void liveobj_stack_walk_start(void);

/// Walks the calling thread's stack outwards from the frame with these registers until it or the
/// maximum of frames ends, or the last trace takes over. All frames but `walked` and `common` stay
/// as they are.
LIVEOBJ_HOOK void liveobj_stack_walk(struct liveobj_stack_walk *walk,
                                     struct liveobj_stack_cache *cache, uintptr_t pc, uintptr_t sp,
                                     uintptr_t fp);

/// Lists the walk's return addresses in the cache, innermost first.
/// \returns their number, at most `limit`.
LIVEOBJ_HOOK uint32_t liveobj_stack_walk_list(const struct liveobj_stack_walk *walk,
                                              uint32_t limit);

/// What a last trace must have noted when it was made, to be used again. Atomic.
extern uint32_t liveobj_stack_walk_generation;

/// All last traces are out of date: code has gone.
void liveobj_stack_walk_invalidate(void);

#pragma GCC visibility pop

#endif
