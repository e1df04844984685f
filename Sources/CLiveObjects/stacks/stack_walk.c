// stack_walk.c - walks stacks; owns nothing but the generation of what threads remember.
//
// Consecutive allocations of a thread share most of their stack. So a trace is not walked to its
// root: the walk starts at the leaf and ends at the first frame that the last trace has too, with
// the same registers. What lies outside of that frame follows from its registers and from the words
// in memory that the walk once read, and if all of those still hold what they held, the rest of the
// old trace is the rest of this one. Those words are read independently of one another, which is
// several times faster than walking; and the rest's hash is known, since hashes run from the root.
//
// Invariants
//   frames[0] is the root; sp falls strictly from the root to the leaf
//   every load lies in [sp of the leaf, top of the thread's stack], or, on a foreign stack, in a
//   frame of it or a page of which the kernel has just said that it is there
//
// Everything runs in hooks, on the thread that owns the cache.

#if defined(__linux__)

#include "stacks/stack_walk.h"
#include "os/compiler.h"
#include "os/os.h"
#include "stacks/stacks.h"
#include "stacks/unwind.h"
#include "stacks/unwind_rules.h"

/// How far a guessed frame may lie from the frame before it: libunwind's own limit.
#define MAX_GUESS_BYTES 0x4000

/// How far a frame may reach on a stack whose end is not known, and the largest stack believed in.
#define MAX_FOREIGN_FRAME_BYTES ((uintptr_t)1 << 20)
#define MAX_STACK_BYTES ((uintptr_t)64 << 20)

uint32_t liveobj_stack_walk_generation;

// MARK: - The stack's extent

// Weak: not every C library has it.
extern void *__libc_stack_end __attribute__((weak));

/// The main thread's lies among other mappings, not on its stack. 0 if it is not known.
static uintptr_t main_control_block;

static uintptr_t control_block_of_this_thread(void) {
    return (uintptr_t)__builtin_thread_pointer() & ~(uintptr_t)7;
}

void liveobj_stack_walk_start(void) {
    if (liveobj_os_is_main_thread())
        main_control_block = control_block_of_this_thread();
}

static bool is_below(uintptr_t sp, uintptr_t top) {
    return sp < top && top - sp <= MAX_STACK_BYTES;
}

static uintptr_t page_of(uintptr_t address) {
    return address & ~(uintptr_t)(LIVEOBJ_PAGE_BYTES - 1);
}

static bool is_readable(uintptr_t from, uintptr_t to) {
    for (uintptr_t page = page_of(from); page < to; page += LIVEOBJ_PAGE_BYTES)
        if (!liveobj_os_is_readable(page))
            return false;
    return true;
}

/// A coroutine's stack may lie below the thread's own, with a guard page or a hole between. So the
/// kernel is asked about the pages from `sp` up to those known to be the thread's own, or to a
/// hole. Both answers are kept: no stack that reaches below a hole is the thread's own. A stack
/// that has grown by more than a megabyte at once is taken for another's, which costs little.
__attribute__((noinline)) static bool is_own(struct liveobj_stack_cache *cache, uintptr_t sp,
                                             uintptr_t top) {
    enum { MOST_BYTES = 1 << 20 };
    if (cache->own_top != top) { // another thread's before
        cache->own_top = cache->own_from = top;
        cache->foreign_below = top == main_control_block ? top : 0;
    }
    if (sp < cache->foreign_below)
        return false;
    uintptr_t page = page_of(sp); // itself in use
    do
        page += LIVEOBJ_PAGE_BYTES;
    while (page < cache->own_from && page - sp < MOST_BYTES && liveobj_os_is_readable(page));
    bool is_own = page >= cache->own_from;
    *(is_own ? &cache->own_from : &cache->foreign_below) = is_own ? page_of(sp) : page;
    return is_own;
}

/// A stack that the program made: where it ends is not known. If the last trace is of the same
/// stack, what that has found is still there: the thread has been nowhere else since, and what its
/// frames lie in cannot go while it runs on them. All frames but the outermost: what is at the top
/// of such a stack may look like a frame and be none, so that it was read beyond the stack.
__attribute__((noinline)) static struct liveobj_stack_extent
foreign_extent(struct liveobj_stack_cache *cache, uintptr_t sp) {
    // The word below sp was the return address.
    uintptr_t from = page_of(sp - 1), top = from;
    uintptr_t bytes = cache->foreign_until - cache->foreign_from;
    bool is_last = cache->count > 0 && from - cache->foreign_from < bytes &&
                   cache->frames[0].registers.sp - 1 - cache->foreign_from < bytes;
    if (is_last)
        top = page_of(cache->frames[cache->count > 1].registers.sp - 1);
    else
        cache->count = 0;
    if (!is_last || top < from)
        top = from;
    if (!is_last)
        cache->foreign_from = from;
    return (struct liveobj_stack_extent){top + LIVEOBJ_PAGE_BYTES, true};
}

/// glibc puts a thread's control block at the top of its stack, also of one that the program gave.
/// The main thread's lies elsewhere, below its stack.
static struct liveobj_stack_extent extent_of(struct liveobj_stack_cache *cache, uintptr_t sp) {
    uintptr_t control_block = control_block_of_this_thread();
    if (is_below(sp, control_block) &&
        ((cache->own_top == control_block && sp >= cache->own_from) ||
         is_own(cache, sp, control_block)))
        return (struct liveobj_stack_extent){control_block, false};
    if (&__libc_stack_end && is_below(sp, (uintptr_t)__libc_stack_end))
        return (struct liveobj_stack_extent){(uintptr_t)__libc_stack_end & ~(uintptr_t)7, false};
    return foreign_extent(cache, sp);
}

/// Moves the end of a foreign stack out to `cfa`, if all up to there is memory.
__attribute__((noinline)) static bool extend(struct liveobj_stack_extent *extent, uintptr_t cfa) {
    bool reaches = extent->is_foreign && cfa - extent->top <= MAX_FOREIGN_FRAME_BYTES &&
                   is_readable(extent->top, cfa);
    if (reaches)
        extent->top = page_of(cfa - 1) + LIVEOBJ_PAGE_BYTES;
    return reaches;
}

/// Reads a word of the stack. It may have become part of another frame's variables meanwhile, which
/// is no error: the value then only fails to be the one that was there.
__attribute__((no_sanitize("address", "thread"))) static uintptr_t load(uintptr_t place) {
    return *(const uintptr_t *)place;
}

// MARK: - One step

/// Whether a frame that has no exact rule can be passed: by the guess.
__attribute__((noinline)) static bool pass(struct liveobj_stack_walk *walk,
                                           const struct liveobj_registers *frame,
                                           enum liveobj_unwind_kind kind) {
    bool is_opaque = kind == LIVEOBJ_UNWIND_OPAQUE;
    walk->is_opaque = is_opaque && liveobj_unwind_is_loaded();
    bool passes = (kind == LIVEOBJ_UNWIND_GUESS || (is_opaque && !walk->is_opaque)) &&
                  !walk->extent.is_foreign && frame->fp >= frame->sp &&
                  frame->fp - frame->sp <= MAX_GUESS_BYTES;
    walk->end = passes || walk->is_opaque     ? LIVEOBJ_STACK_END_READ
                : kind == LIVEOBJ_UNWIND_TASK ? LIVEOBJ_STACK_END_TASK
                                              : LIVEOBJ_STACK_END_CLOSED;
    return passes;
}

/// Finds the caller's frame.
/// \param cfa, fp_words Where: its return address is the word below `cfa`, which is not above the
/// stack.
/// \returns false if there is none, or none that may be read.
static inline __attribute__((always_inline)) bool step_to(struct liveobj_frame *caller,
                                                          const struct liveobj_registers *frame,
                                                          uintptr_t cfa, uintptr_t fp_words) {
    uintptr_t depth = 8 * (fp_words ? fp_words : 1);
    // Signed: `cfa` may be anything below the top of the stack.
    if (LIVEOBJ_UNLIKELY(cfa % 8 != 0 || (intptr_t)(cfa - frame->sp) < (intptr_t)depth))
        return false;
    caller->registers.pc = load(cfa - 8);
    caller->registers.sp = cfa;
    caller->fp_place = cfa - depth;
    caller->fp_word = load(cfa - depth);
    caller->registers.fp = fp_words ? caller->fp_word : frame->fp;
    return caller->registers.pc != 0;
}

/// Steps outwards by the rule of the frame's return address.
/// Inline: half the time of a walk would go into the call.
/// \returns false at the end of the walk; `walk` then knows which end.
static inline __attribute__((always_inline)) bool step(struct liveobj_stack_walk *walk,
                                                       const struct liveobj_registers *frame,
                                                       struct liveobj_frame *caller) {
    uint64_t word = liveobj_unwind_word_find(frame->pc);
    enum liveobj_unwind_kind kind = liveobj_unwind_rule_unpack(word).kind;
    if (LIVEOBJ_UNLIKELY(kind != LIVEOBJ_UNWIND_STEP)) {
        if (!pass(walk, frame, kind))
            return false;
        word = liveobj_unwind_rule_pack(liveobj_unwind_rule_guess());
    }
    struct liveobj_unwind_rule rule = liveobj_unwind_rule_unpack(word);
    uintptr_t cfa = (rule.from_fp ? frame->fp : frame->sp) + 8 * (uintptr_t)rule.cfa_words;
    if (LIVEOBJ_UNLIKELY(cfa > walk->extent.top) && !extend(&walk->extent, cfa))
        return false;
    return step_to(caller, frame, cfa, rule.fp_words);
}

// MARK: - The last trace

static bool is_same(const struct liveobj_registers *a, const struct liveobj_registers *b) {
    return a->pc == b->pc && a->sp == b->sp && a->fp == b->fp;
}

/// Zero if the walk, which read this frame's registers from memory, would read the same again.
static inline uintptr_t difference(const struct liveobj_frame *frame) {
    uintptr_t bits = (load(frame->registers.sp - 8) ^ frame->registers.pc) |
                     (load(frame->fp_place) ^ frame->fp_word);
    // Hides where the bits come from: the optimiser would make a branch of each word.
    __asm__("" : "+r"(bits));
    return bits;
}

/// Four frames at a time: nothing hangs on the outcome of one, so their loads go on together.
static inline bool holds(const struct liveobj_frame four[4]) {
    return !(difference(&four[0]) | difference(&four[1]) | difference(&four[2]) |
             difference(&four[3]));
}

/// Frame by frame: on a foreign stack only what a proven frame leads to is known to be memory.
static uint32_t prove_singly(const struct liveobj_frame *frames, uint32_t inner) {
    while (inner > 0 && !difference(&frames[inner - 1]))
        inner--;
    return inner;
}

/// Frame `inner` is part of the present stack. Finds how far outwards the last trace still holds.
/// \returns the index of the outermost frame that is proven.
static uint32_t prove(const struct liveobj_frame *frames, uint32_t inner) {
    uint32_t proven = inner;
    while (proven > 4 && holds(&frames[proven - 4]))
        proven -= 4;
    // The last four may overlap those before: one outcome to foresee less than one by one.
    return proven <= 4 && inner >= 4 && holds(frames) ? 0 : prove_singly(frames, proven);
}

/// A last trace that cannot be this stack's is forgotten: its code is gone, or it belonged to an
/// earlier thread and reaches beyond this one's stack.
static uint32_t usable_frames(struct liveobj_stack_walk *walk) {
    const struct liveobj_stack_cache *cache = walk->cache;
    uintptr_t root = cache->frames[0].registers.sp;
    bool is_usable =
        cache->generation == __atomic_load_n(&liveobj_stack_walk_generation, __ATOMIC_RELAXED) &&
        cache->count > 0 && (root <= walk->extent.top || extend(&walk->extent, root));
    return is_usable ? cache->count : 0;
}

// MARK: - The walk

/// The walk's `frame` is the last trace's frame `index`. Uses all of the last trace that still
/// holds.
/// \returns NULL if that is all there is; else the outermost frame that is proven, to go on from.
static inline struct liveobj_frame *join(struct liveobj_stack_walk *walk,
                                         struct liveobj_frame *frame, uint32_t index) {
    struct liveobj_stack_cache *cache = walk->cache;
    uint32_t proven = LIVEOBJ_UNLIKELY(walk->extent.is_foreign) ? prove_singly(cache->frames, index)
                                                                : prove(cache->frames, index);
    if (proven == 0 && (cache->end || !step(walk, &cache->frames[0].registers, frame + 1))) {
        walk->end = cache->end;
        walk->is_opaque = false; // the root was none when it was walked to, and is none now
        walk->common = index + 1;
        walk->walked = (uint32_t)(frame - cache->walked);
        // The inner frames may be others now.
        cache->frames[index].fp_place = liveobj_frame_load(&frame->fp_place);
        cache->frames[index].fp_word = liveobj_frame_load(&frame->fp_word);
        return NULL;
    }
    while (index-- > proven && frame < &cache->walked[LIVEOBJ_MAX_FRAMES])
        *++frame = cache->frames[index];
    return frame;
}

/// Walks outwards until the stack or LIVEOBJ_MAX_FRAMES end, or the last trace takes over. Each
/// frame is written where it stays: to copy what was just written is slow.
static void walk_from(struct liveobj_stack_walk *walk, struct liveobj_frame *frame) {
    const struct liveobj_frame *root = walk->cache->frames;
    const struct liveobj_frame *old =
        root + usable_frames(walk); // behind those not inside of `frame`
    const struct liveobj_frame *limit = &walk->cache->walked[LIVEOBJ_MAX_FRAMES];
    for (; frame < limit; frame++) {
        while (old > root && old[-1].registers.sp < frame->registers.sp)
            old--;
        if (old > root && is_same(&old[-1].registers, &frame->registers) &&
            !(frame = join(walk, frame, (uint32_t)(old - 1 - root))))
            return;
        if (frame == limit || !step(walk, &frame->registers, frame + 1))
            break;
    }
    walk->walked = (uint32_t)(frame - walk->cache->walked) + 1;
}

/// How far the foreign stack reaches, by the walk that has just ended.
__attribute__((noinline)) static void note_foreign(const struct liveobj_stack_walk *walk) {
    struct liveobj_stack_cache *cache = walk->cache;
    uint32_t outermost = walk->walked <= LIVEOBJ_MAX_FRAMES ? walk->walked : LIVEOBJ_MAX_FRAMES;
    const struct liveobj_frame *root =
        walk->common > 0 ? &cache->frames[0] : &cache->walked[outermost - 1];
    cache->foreign_until = page_of(root->registers.sp - 1) + LIVEOBJ_PAGE_BYTES;
}

// MARK: - The result

LIVEOBJ_HOOK void liveobj_stack_walk(struct liveobj_stack_walk *walk,
                                     struct liveobj_stack_cache *cache, uintptr_t pc, uintptr_t sp,
                                     uintptr_t fp) {
    *walk = (struct liveobj_stack_walk){.cache = cache, .extent = extent_of(cache, sp)};
    cache->walked[0] = (struct liveobj_frame){
        .registers = {.pc = pc, .sp = sp, .fp = fp}, .fp_place = sp - 8, .fp_word = pc};
    walk_from(walk, cache->walked);
    if (LIVEOBJ_UNLIKELY(walk->extent.is_foreign))
        note_foreign(walk);
}

LIVEOBJ_HOOK uint32_t liveobj_stack_walk_list(const struct liveobj_stack_walk *walk,
                                              uint32_t limit) {
    struct liveobj_stack_cache *cache = walk->cache;
    uint32_t count = 0;
    for (uint32_t i = 0; i < walk->walked && count < limit; i++)
        cache->addresses[count++] = cache->walked[i].registers.pc;
    for (uint32_t i = walk->common; i-- > 0 && count < limit;)
        cache->addresses[count++] = cache->frames[i].registers.pc;
    return count;
}

void liveobj_stack_walk_invalidate(void) {
    // Relaxed: no thread has frames in the image that went, so none needs to know in time.
    __atomic_fetch_add(&liveobj_stack_walk_generation, 1, __ATOMIC_RELAXED);
}

#endif
