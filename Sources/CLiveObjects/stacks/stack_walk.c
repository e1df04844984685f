// stack_walk.c - walks stacks; owns only the generation of the threads' last traces.
//
// Consecutive allocations of a thread share most of their stack, so a walk does not go to the root.
// It starts at the leaf and ends at the first frame that the last trace has too, with the same
// registers. The frames outside of that one depend on its registers and on the words of memory that
// the earlier walk read. If all of those words are unchanged, the rest of the old trace is the rest
// of this one. The words are read independently of each other, which is several times faster than
// walking. The rest's hash is known, since hashes run from the root.
//
// Invariants
//   frames[0] is the root; sp decreases strictly from the root to the leaf
//   every load is in [sp of the leaf, top of the thread's stack], or, on a foreign stack, in the
//   leaf's page or in a page that the kernel has just reported as mapped
//
// Everything runs in hooks, on the thread that owns the cache.

#if defined(__linux__)

#include "stacks/stack_walk.h"
#include "arch/registers.h"
#include "os/os.h"
#include "stacks/unwind_rules.h"

/// The largest distance of a guessed frame from the frame before it, as in libunwind.
#define MAX_GUESS_BYTES 0x4000

/// The largest frame on a stack whose end is unknown, and the largest size of a stack.
#define MAX_FOREIGN_FRAME_BYTES ((uintptr_t)1 << 20)
#define MAX_STACK_BYTES ((uintptr_t)64 << 20)

uint32_t liveobj_stack_walk_generation;

// MARK: - The stack's extent

// Weak: not every C library has it.
extern void *__libc_stack_end __attribute__((weak));

/// The main thread's control block, which is in another mapping than its stack. 0 if it is unknown.
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

static bool is_range_readable(uintptr_t from, uintptr_t to) {
    for (uintptr_t page = page_of(from); page < to; page += LIVEOBJ_PAGE_BYTES)
        if (!liveobj_os_is_readable(page))
            return false;
    return true;
}

/// Whether a stack pointer is in the thread's own stack. A coroutine's stack may lie below the
/// thread's own, with a guard page or a hole between them. So the kernel is asked about the pages
/// from `sp` up to those known to be the thread's own, or up to a hole. Both answers are cached: no
/// stack below a hole is the thread's own. A stack that has grown by more than a megabyte at once
/// is treated as foreign, which costs little.
__attribute__((noinline)) static bool is_own(struct liveobj_stack_cache *cache, uintptr_t sp,
                                             uintptr_t top) {
    enum { MOST_BYTES = 1 << 20 };
    if (cache->own_top != top) { // the cache was another thread's before
        cache->own_top = cache->own_from = top;
        cache->foreign_below = top == main_control_block ? top : 0;
    }
    if (sp < cache->foreign_below)
        return false;
    uintptr_t page = page_of(sp); // the page of `sp` is in use
    do
        page += LIVEOBJ_PAGE_BYTES;
    while (page < cache->own_from && page - sp < MOST_BYTES && liveobj_os_is_readable(page));
    bool is_own = page >= cache->own_from;
    *(is_own ? &cache->own_from : &cache->foreign_below) = is_own ? page_of(sp) : page;
    return is_own;
}

/// The extent of the stack that contains `sp`. glibc puts a thread's control block at the top of
/// its stack, also if the program provided the stack. The main thread's is elsewhere, below its
/// stack. Of a stack that the program allocated, only the page of `sp` is known to be mapped: data
/// at its top may look like frames, which lead into memory that is unmapped before the next walk.
static struct liveobj_stack_extent extent_of(struct liveobj_stack_cache *cache, uintptr_t sp) {
    uintptr_t control_block = control_block_of_this_thread();
    if (is_below(sp, control_block) &&
        ((cache->own_top == control_block && sp >= cache->own_from) ||
         is_own(cache, sp, control_block)))
        return (struct liveobj_stack_extent){control_block, false};
    if (&__libc_stack_end && is_below(sp, (uintptr_t)__libc_stack_end))
        return (struct liveobj_stack_extent){(uintptr_t)__libc_stack_end & ~(uintptr_t)7, false};
    // The word below sp is the hook's.
    return (struct liveobj_stack_extent){page_of(sp - 1) + LIVEOBJ_PAGE_BYTES, true};
}

/// Moves the end of a foreign stack outwards to `cfa`, if everything up to there is mapped.
__attribute__((noinline)) static bool extend_stack(struct liveobj_stack_extent *extent,
                                                   uintptr_t cfa) {
    bool reaches = extent->is_foreign && cfa - extent->top <= MAX_FOREIGN_FRAME_BYTES &&
                   is_range_readable(extent->top, cfa);
    if (reaches)
        extent->top = page_of(cfa - 1) + LIVEOBJ_PAGE_BYTES;
    return reaches;
}

// MARK: - One step

/// Whether the guess can pass a frame that has no exact rule.
__attribute__((noinline)) static bool pass_frame(struct liveobj_stack_walk *walk,
                                                 const struct liveobj_registers *frame,
                                                 enum liveobj_unwind_kind kind) {
    walk->is_rare = kind == LIVEOBJ_UNWIND_OPAQUE || kind == LIVEOBJ_UNWIND_SIGNAL;
    bool passes = kind == LIVEOBJ_UNWIND_GUESS && !walk->extent.is_foreign &&
                  frame->fp >= frame->sp && frame->fp - frame->sp <= MAX_GUESS_BYTES;
    walk->end = passes || walk->is_rare       ? LIVEOBJ_STACK_END_READ
                : kind == LIVEOBJ_UNWIND_TASK ? LIVEOBJ_STACK_END_TASK
                                              : LIVEOBJ_STACK_END_CLOSED;
    return passes;
}

/// Finds the caller's frame.
/// \param cfa, fp_words, return_words As in the unwind rule. `cfa` is not above the stack.
/// \param sp The caller's stack pointer.
/// \returns false if there is no caller, or none that may be read.
static inline __attribute__((always_inline)) bool step_to(struct liveobj_frame *caller,
                                                          const struct liveobj_registers *frame,
                                                          uintptr_t cfa, uintptr_t fp_words,
                                                          uintptr_t return_words, uintptr_t sp) {
    uintptr_t depth = 8 * (fp_words ? fp_words : return_words); // of the deepest word
    // Signed: `cfa` may be any address below the top of the stack.
    if (LIVEOBJ_UNLIKELY(cfa % 8 != 0 || (intptr_t)(cfa - frame->sp) < (intptr_t)depth))
        return false;
    caller->registers.pc = liveobj_code_address(liveobj_stack_load(cfa - 8 * return_words));
    caller->registers.sp = sp;
    caller->places = liveobj_places_make(cfa - depth, fp_words);
    caller->fp_word = liveobj_stack_load(cfa - depth);
    caller->registers.fp = fp_words ? caller->fp_word : frame->fp;
    return caller->registers.pc != 0;
}

/// Steps outwards by the rule of the frame's return address. Inline, because a call would take half
/// of a walk's time.
/// \returns false at the end of the walk; `walk` then has the reason.
static inline __attribute__((always_inline)) bool step_frame(struct liveobj_stack_walk *walk,
                                                             const struct liveobj_registers *frame,
                                                             struct liveobj_frame *caller) {
    uint64_t word = liveobj_unwind_word_find(frame->pc);
    enum liveobj_unwind_kind kind = liveobj_unwind_rule_unpack(word).kind;
    if (LIVEOBJ_UNLIKELY(kind != LIVEOBJ_UNWIND_STEP)) {
        if (!pass_frame(walk, frame, kind))
            return false;
        word = liveobj_unwind_rule_pack(liveobj_unwind_rule_guess());
    }
    struct liveobj_unwind_rule rule = liveobj_unwind_rule_unpack(word);
    uintptr_t cfa = liveobj_cfa(rule.from_fp, rule.cfa_words, rule.fp_words, frame->sp, frame->fp);
    if (LIVEOBJ_UNLIKELY(cfa > walk->extent.top) && !extend_stack(&walk->extent, cfa))
        return false;
    uintptr_t sp = kind == LIVEOBJ_UNWIND_STEP ? cfa : liveobj_sp_of_guess(cfa);
    return step_to(caller, frame, cfa, rule.fp_words, rule.return_words, sp);
}

// MARK: - For rare_frames.c

LIVEOBJ_HOOK bool liveobj_stack_walk_step(struct liveobj_stack_walk *walk,
                                          struct liveobj_registers *frame) {
    struct liveobj_frame caller;
    bool steps = step_frame(walk, frame, &caller);
    if (steps)
        *frame = caller.registers;
    return steps;
}

LIVEOBJ_HOOK bool liveobj_stack_walk_read(struct liveobj_stack_walk *walk, uintptr_t sp,
                                          uintptr_t address, uintptr_t *word) {
    bool is_there = address % 8 == 0 && address >= sp &&
                    (address < walk->extent.top || extend_stack(&walk->extent, address + 8));
    if (is_there)
        *word = liveobj_stack_load(address);
    return is_there;
}

LIVEOBJ_HOOK void liveobj_stack_walk_move(struct liveobj_stack_walk *walk, uintptr_t sp) {
    // The code that a signal interrupted may have used up its stack.
    walk->extent = liveobj_os_is_readable(sp) ? extent_of(walk->cache, sp)
                                              : (struct liveobj_stack_extent){page_of(sp), false};
}

// MARK: - The last trace

static bool are_same_registers(const struct liveobj_registers *a,
                               const struct liveobj_registers *b) {
    return a->pc == b->pc && a->sp == b->sp && a->fp == b->fp;
}

/// Zero if the words from which this frame's registers were read are unchanged.
static inline uintptr_t frame_difference(const struct liveobj_frame *frame) {
    uintptr_t pc = liveobj_stack_load(liveobj_places_return(frame->places, frame->registers.sp));
    uintptr_t bits = (liveobj_code_address(pc) ^ frame->registers.pc) |
                     (liveobj_stack_load(liveobj_places_fp(frame->places)) ^ frame->fp_word);
    // Hides the origin of the bits: the optimiser would make a branch of each word.
    __asm__("" : "+r"(bits));
    return bits;
}

/// Compares four frames at a time. No load depends on the result of another, so they overlap.
static inline bool four_frames_hold(const struct liveobj_frame four[4]) {
    return !(frame_difference(&four[0]) | frame_difference(&four[1]) | frame_difference(&four[2]) |
             frame_difference(&four[3]));
}

static uint32_t prove_singly(const struct liveobj_frame *frames, uint32_t inner) {
    while (inner > 0 && !frame_difference(&frames[inner - 1]))
        inner--;
    return inner;
}

/// Likewise on a foreign stack, whose outer frames may be unmapped.
__attribute__((noinline)) static uint32_t prove_foreign(struct liveobj_stack_walk *walk,
                                                        uint32_t inner) {
    for (const struct liveobj_frame *frames = walk->cache->frames; inner > 0; inner--) {
        uintptr_t sp = frames[inner - 1].registers.sp;
        if ((sp > walk->extent.top && !extend_stack(&walk->extent, sp)) ||
            frame_difference(&frames[inner - 1]))
            break;
    }
    return inner;
}

/// Finds how far outwards the last trace is still valid. Frame `inner` is part of the present
/// stack.
/// \returns The index of the outermost frame that is proven.
static uint32_t prove_frames(const struct liveobj_frame *frames, uint32_t inner) {
    uint32_t proven = inner;
    while (proven > 4 && four_frames_hold(&frames[proven - 4]))
        proven -= 4;
    // The last four may overlap earlier ones: one branch to predict instead of up to four.
    return proven <= 4 && inner >= 4 && four_frames_hold(frames) ? 0 : prove_singly(frames, proven);
}

/// The number of the last trace's frames that this walk may use; 0 if the trace cannot be of this
/// stack. That is so if code was unloaded since, or if it was an earlier thread's and reaches
/// beyond this stack.
static uint32_t usable_frames(const struct liveobj_stack_walk *walk) {
    const struct liveobj_stack_cache *cache = walk->cache;
    uintptr_t root = cache->frames[0].registers.sp;
    bool is_usable =
        cache->generation == __atomic_load_n(&liveobj_stack_walk_generation, __ATOMIC_RELAXED) &&
        cache->count > 0 && (root <= walk->extent.top || walk->extent.is_foreign);
    return is_usable ? cache->count : 0;
}

// MARK: - The walk

/// Whether a walk that has arrived at the last trace's outermost frame is complete.
/// \param frames The walk's frames.
static inline bool is_complete(struct liveobj_stack_walk *walk, uint32_t frames,
                               struct liveobj_frame *scratch) {
    switch (walk->cache->end) {
    case LIVEOBJ_STACK_END_READ:
        return !step_frame(walk, &walk->cache->frames[0].registers, scratch);
    case LIVEOBJ_STACK_END_CUT:
        return frames > LIVEOBJ_MAX_FRAMES;
    default:
        return true;
    }
}

/// Uses the part of the last trace that is still valid. The walk's `frame` is the last trace's
/// frame `index`.
/// \returns NULL if the trace is complete, else the outermost proven frame, from which to continue.
static inline struct liveobj_frame *join_last_trace(struct liveobj_stack_walk *walk,
                                                    struct liveobj_frame *frame, uint32_t index) {
    struct liveobj_stack_cache *cache = walk->cache;
    uint32_t proven = LIVEOBJ_UNLIKELY(walk->extent.is_foreign)
                          ? prove_foreign(walk, index)
                          : prove_frames(cache->frames, index);
    uint32_t walked = (uint32_t)(frame - cache->walked);
    if (proven == 0 && is_complete(walk, walked + index + 1, frame + 1)) {
        walk->end = cache->end;
        walk->is_rare = false; // the root was no rare frame at the first walk, nor is it now
        walk->common = index + 1;
        walk->walked = walked;
        // The frames further inside may be other ones now.
        cache->frames[index].places = liveobj_frame_load(&frame->places);
        cache->frames[index].fp_word = liveobj_frame_load(&frame->fp_word);
        return NULL;
    }
    while (index-- > proven && frame < &cache->walked[LIVEOBJ_CACHED_FRAMES])
        *++frame = cache->frames[index];
    return frame;
}

/// Walks outwards until the stack or LIVEOBJ_CACHED_FRAMES ends, or the last trace is valid. Each
/// frame is written at its final place, because copying what was just written is slow.
static void walk_from(struct liveobj_stack_walk *walk, struct liveobj_frame *frame) {
    const struct liveobj_frame *root = walk->cache->frames;
    const struct liveobj_frame *old =
        root + usable_frames(walk); // the end of the old frames that are not inside of `frame`
    const struct liveobj_frame *limit = &walk->cache->walked[LIVEOBJ_CACHED_FRAMES];
    for (; frame < limit; frame++) {
        while (old > root && old[-1].registers.sp < frame->registers.sp)
            old--;
        if (old > root && are_same_registers(&old[-1].registers, &frame->registers) &&
            !(frame = join_last_trace(walk, frame, (uint32_t)(old - 1 - root))))
            return;
        if (frame == limit || !step_frame(walk, &frame->registers, frame + 1))
            break;
    }
    walk->walked = (uint32_t)(frame - walk->cache->walked) + 1;
}

// MARK: - The result

LIVEOBJ_HOOK void liveobj_stack_walk(struct liveobj_stack_walk *walk,
                                     struct liveobj_stack_cache *cache, uintptr_t pc, uintptr_t sp,
                                     uintptr_t fp) {
    *walk = (struct liveobj_stack_walk){.cache = cache, .extent = extent_of(cache, sp)};
    cache->walked[0] = (struct liveobj_frame){
        .registers = {.pc = pc, .sp = sp, .fp = fp},
        .places = liveobj_places_make(sp - 8, false), // never compared: of the innermost frame
        .fp_word = pc};
    walk_from(walk, cache->walked);
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
    // Relaxed: no thread has frames in the unloaded image, so none needs the new value at once.
    __atomic_fetch_add(&liveobj_stack_walk_generation, 1, __ATOMIC_RELAXED);
}

#endif
