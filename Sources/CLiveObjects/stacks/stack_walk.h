// stack_walk.h - a thread's last stack trace, and the walk that reuses it. Runs in hooks.

#pragma once

#include "os/compiler.h"
#include "stacks/stacks.h"

#pragma GCC visibility push(hidden)

/// The reason why a walk ended.
enum liveobj_stack_end {
    /// What it read there. A later walk may continue.
    LIVEOBJ_STACK_END_READ = 0,
    /// The registers of the outermost frame. A later walk with the same registers ends there too.
    LIVEOBJ_STACK_END_CLOSED,
    /// Likewise: the Swift runtime runs a task there. The trace continues with the task's contexts.
    LIVEOBJ_STACK_END_TASK,
    /// Nothing: the frames further out are not known.
    LIVEOBJ_STACK_END_CUT,
};

/// Traces of deeper stacks are cut.
#define LIVEOBJ_MAX_FRAMES 512
/// Frames that are walked and cached as the last trace. So a recursion deeper than
/// LIVEOBJ_MAX_FRAMES is not walked again at each allocation.
#define LIVEOBJ_CACHED_FRAMES (2 * LIVEOBJ_MAX_FRAMES)

#define LIVEOBJ_CONTEXT_PAGES 8

struct liveobj_frame {
    struct liveobj_registers registers;
    /// Where `registers.fp` and `registers.pc` were read (liveobj_places_*), and the value of the
    /// former. If the inner frame did not save the frame pointer, the return address's, again.
    uintptr_t places;
    uintptr_t fp_word;
    /// The hash of the return addresses from the root up to this frame.
    uint64_t hash;
};

/// Reads one word of a frame that was just written, with the width of that write. If the compiler
/// joined two such reads, the processor would wait until both words have reached the cache.
static inline uintptr_t liveobj_frame_load(const uintptr_t *word) {
    return __atomic_load_n(word, __ATOMIC_RELAXED);
}

/// A thread's last stack trace. Zeroed memory is a valid empty cache. Allocated with
/// liveobj_os_map_charged at the thread's first trace; later the next owner of the thread's block
/// uses it.
struct liveobj_stack_cache {
    /// The part of the thread's stack that is known to be contiguous with its top.
    uintptr_t own_from;
    uintptr_t own_top;
    /// No stack below this address is the thread's own.
    uintptr_t foreign_below;
    uint32_t generation;
    uint32_t count;
    /// The stored trace that has these frames; 0 if it was dropped, or has more frames than these.
    uint32_t trace;
    enum liveobj_stack_end end;
    /// The last trace that ended in a task.
    uint32_t task_trace;
    /// The depot's round in which the two were stored.
    uint32_t round;
    /// Pages in which contexts were found; see async_stack.c.
    uintptr_t context_pages[LIVEOBJ_CONTEXT_PAGES];
    struct liveobj_frame frames[LIVEOBJ_CACHED_FRAMES]; // root first
    /// The frames of a walk that are not in the last trace, leaf first.
    struct liveobj_frame walked[LIVEOBJ_CACHED_FRAMES + 1];
    uintptr_t addresses[LIVEOBJ_MAX_FRAMES];
};

/// The part of a stack that may be read.
struct liveobj_stack_extent {
    uintptr_t top;
    bool is_foreign; // its end is unknown: `top` moves with the walk, over pages that are mapped
};

struct liveobj_stack_walk {
    struct liveobj_stack_cache *cache;
    struct liveobj_stack_extent extent;
    uint32_t walked; // frames in cache->walked; one more than the maximum if there are more
    uint32_t common; // frames that are the same as the last trace's, from the root on
    enum liveobj_stack_end end;
    bool is_rare; // the last frame has no rule: rare_frames.c has to continue
};

/// Called before the first walk; on the main thread, if possible.
void liveobj_stack_walk_start(void);

/// Walks the calling thread's stack outwards from the frame with these registers. Ends at the end
/// of the stack, at the maximum of frames, or where the last trace is still valid. Changes only
/// `walked` and `common` in the cache's frames.
LIVEOBJ_HOOK void liveobj_stack_walk(struct liveobj_stack_walk *walk,
                                     struct liveobj_stack_cache *cache, uintptr_t pc, uintptr_t sp,
                                     uintptr_t fp);

/// Lists the walk's return addresses in the cache, innermost first.
/// \returns Their number, at most `limit`.
LIVEOBJ_HOOK uint32_t liveobj_stack_walk_list(const struct liveobj_stack_walk *walk,
                                              uint32_t limit);

/// Lists the rest of a trace (rare_frames.c): the frames outside of the walk's last frame, which is
/// rare. Slow: it reads the unwind table anew.
/// \param addresses Room for `capacity` return addresses, innermost first.
/// \returns Their number; 0 if the frame cannot be passed.
LIVEOBJ_HOOK uint32_t liveobj_rare_frames_list(struct liveobj_stack_walk *walk,
                                               uintptr_t *addresses, uint32_t capacity);

/// Replaces a frame's registers by its caller's, by the rule of its return address.
/// \returns false if there is no caller, or the rule does not have it.
LIVEOBJ_HOOK bool liveobj_stack_walk_step(struct liveobj_stack_walk *walk,
                                          struct liveobj_registers *frame);
/// Reads a word of a stack or of a context. It may have become part of another frame's variables
/// meanwhile; then the value differs from the earlier one, which is no error.
__attribute__((no_sanitize("address", "thread"))) static inline uintptr_t
liveobj_stack_load(uintptr_t address) {
    return *(const uintptr_t *)address;
}
/// Reads a word of the stack.
/// \returns false unless it is aligned and lies between `sp` and the top of the stack.
LIVEOBJ_HOOK bool liveobj_stack_walk_read(struct liveobj_stack_walk *walk, uintptr_t sp,
                                          uintptr_t address, uintptr_t *word);
/// Continues on the stack that contains `sp`, which may be another one.
LIVEOBJ_HOOK void liveobj_stack_walk_move(struct liveobj_stack_walk *walk, uintptr_t sp);

/// Lists the asynchronous functions that wait for the outermost function on the calling thread
/// (async_stack.c): callers that are on no stack. The thread's last trace must end where the
/// runtime runs a task. Must be called in the hook that walked that trace. \param callers Room for
/// `capacity` addresses, innermost first. Each is one instruction after the start of the code
/// that resumes, as a return address lies after its call. \returns Their number; 0 if they are
/// unknown.
LIVEOBJ_HOOK uint32_t liveobj_async_callers(struct liveobj_stack_cache *cache, uintptr_t *callers,
                                            uint32_t capacity);

/// A last trace is valid only if it was made in this generation. Atomic.
extern uint32_t liveobj_stack_walk_generation;

/// Invalidates all last traces: code was unloaded.
void liveobj_stack_walk_invalidate(void);

#pragma GCC visibility pop
