// stack_trace.c - owns each thread's last stack trace; walks stacks.
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
//   hash(0) = mix(seed, pc(0)), hash(i) = mix(hash(i - 1), pc(i)): independent of how it was walked
//   every load lies in [sp of the leaf, top of the thread's stack], or in a frame of a foreign
//   stack
//
// Everything runs in hooks, on the thread that owns the cache, unless stacks.h says otherwise.

#if defined(__linux__)

#define _GNU_SOURCE
#include "os.h"
#include "stack_depot.h"
#include "stacks.h"
#include "unwind.h"
#include "unwind_images.h"
#include "unwind_rules.h"

/// Deeper stacks are cut, and not remembered.
#define MAX_FRAMES 512

/// How far a guessed frame may lie from the frame before it: libunwind's own limit.
#define MAX_GUESS_BYTES 0x4000

/// How far a frame may reach on a stack whose end is not known, and the largest stack believed in.
#define MAX_FOREIGN_FRAME_BYTES ((uintptr_t)1 << 20)
#define MAX_STACK_BYTES ((uintptr_t)64 << 20)

struct frame {
    struct liveobj_registers registers;
    /// Where `registers.fp` was read, 0 if the inner frame left it as it was.
    uintptr_t fp_place;
    /// Of the return addresses from the root up to this frame.
    uint64_t hash;
    /// A stored trace that holds the return addresses up to this frame; 0 for none.
    uint32_t trace;
};

struct liveobj_stack_cache {
    uint32_t generation;
    uint32_t count;
    uint32_t trace;
    /// The root's rule says that it is the outermost frame; else the walk ended for what it read.
    bool is_closed;
    struct frame frames[MAX_FRAMES]; // root first
    /// The frames of a walk that the last trace does not have, leaf first.
    struct frame walked[MAX_FRAMES + 1];
    uintptr_t addresses[MAX_FRAMES];
};

/// The part of a stack that may be read.
struct extent {
    uintptr_t top;
    bool is_foreign; // `top` is not known, and moves with the walk
};

struct walk {
    struct liveobj_stack_cache *cache;
    struct extent extent;
    uint32_t walked; // frames in cache->walked; one more than MAX_FRAMES if there are more
    uint32_t common; // frames that are those of the last trace, from the root on
    bool is_closed;
    bool is_opaque; // libunwind has to go on
};

static uint32_t kept_depth = 64;
static uint32_t generation;

LIVEOBJ_HOOK size_t liveobj_stack_cache_bytes(void) {
    return sizeof(struct liveobj_stack_cache);
}

// MARK: - The stack's extent

// Weak: not every C library has it.
extern void *__libc_stack_end __attribute__((weak));

static bool is_below(uintptr_t sp, uintptr_t top) {
    return sp < top && top - sp <= MAX_STACK_BYTES;
}

/// glibc puts a thread's control block at the top of its stack, also of one that the program gave.
/// The main thread's lies elsewhere, below its stack.
static struct extent extent_of(uintptr_t sp) {
    uintptr_t control_block = (uintptr_t)__builtin_thread_pointer();
    if (is_below(sp, control_block))
        return (struct extent){control_block & ~(uintptr_t)7, false};
    if (&__libc_stack_end && is_below(sp, (uintptr_t)__libc_stack_end))
        return (struct extent){(uintptr_t)__libc_stack_end & ~(uintptr_t)7, false};
    return (struct extent){sp + MAX_FOREIGN_FRAME_BYTES, true};
}

/// Reads a word of the stack. It may have become part of another frame's variables meanwhile, which
/// is no error: the value then only fails to be the one that was there.
__attribute__((no_sanitize("address", "thread"))) static uintptr_t load(uintptr_t place) {
    return *(const uintptr_t *)place;
}

// MARK: - One step

/// Whether a frame that has no exact rule can be passed; `rule` is what then stands for one.
static bool pass(struct walk *walk, const struct liveobj_registers *frame,
                 struct liveobj_unwind_rule *rule) {
    walk->is_closed = rule->kind == LIVEOBJ_UNWIND_OUTERMOST;
    walk->is_opaque = rule->kind == LIVEOBJ_UNWIND_OPAQUE && liveobj_unwind_is_loaded();
    if (rule->kind == LIVEOBJ_UNWIND_OPAQUE && !walk->is_opaque)
        *rule = liveobj_unwind_rule_guess();
    return rule->kind == LIVEOBJ_UNWIND_GUESS && !walk->extent.is_foreign &&
           frame->fp >= frame->sp && frame->fp - frame->sp <= MAX_GUESS_BYTES;
}

/// Finds the caller's frame.
/// \param cfa, fp_words Where: its return address is the word below `cfa`.
/// \returns false if there is none, or none that may be read.
static bool step_to(struct frame *caller, const struct liveobj_registers *frame, uintptr_t cfa,
                    uintptr_t fp_words, uintptr_t top) {
    uintptr_t depth = 8 * (fp_words > 1 ? fp_words : 1);
    if (cfa % 8 != 0 || cfa > top || cfa < frame->sp || cfa - frame->sp < depth)
        return false;
    caller->fp_place = fp_words ? cfa - 8 * fp_words : 0;
    caller->registers.pc = load(cfa - 8);
    caller->registers.sp = cfa;
    caller->registers.fp = fp_words ? load(caller->fp_place) : frame->fp;
    return caller->registers.pc != 0;
}

/// Steps outwards by the rule of the frame's return address.
/// \returns false at the end of the walk; `walk` then knows which end.
static bool step(struct walk *walk, const struct liveobj_registers *frame, struct frame *caller) {
    struct liveobj_unwind_rule rule = liveobj_unwind_rule_find(frame->pc);
    if (LIVEOBJ_UNLIKELY(rule.kind != LIVEOBJ_UNWIND_STEP) && !pass(walk, frame, &rule))
        return false;
    uintptr_t cfa = (rule.from_fp ? frame->fp : frame->sp) + 8 * (uintptr_t)rule.cfa_words;
    if (!step_to(caller, frame, cfa, rule.fp_words, walk->extent.top))
        return false;
    if (walk->extent.is_foreign)
        walk->extent.top = cfa + MAX_FOREIGN_FRAME_BYTES;
    return true;
}

// MARK: - The last trace

static bool is_same(const struct liveobj_registers *a, const struct liveobj_registers *b) {
    return a->pc == b->pc && a->sp == b->sp && a->fp == b->fp;
}

/// Whether the walk, which read this frame's registers from memory, would read the same again.
static bool still_holds(const struct frame *frame) {
    return load(frame->registers.sp - 8) == frame->registers.pc &&
           (!frame->fp_place || load(frame->fp_place) == frame->registers.fp);
}

/// Frame `inner` is part of the present stack. Finds how far outwards the last trace still holds.
/// \returns the index of the outermost frame that is proven.
static uint32_t prove(const struct frame *frames, uint32_t inner) {
    while (inner > 0 && still_holds(&frames[inner - 1]))
        inner--;
    return inner;
}

/// A last trace that cannot be this stack's is forgotten: its code is gone, or it belonged to an
/// earlier thread and reaches beyond this one's stack.
static uint32_t usable_frames(const struct walk *walk) {
    const struct liveobj_stack_cache *cache = walk->cache;
    bool is_usable = cache->generation == __atomic_load_n(&generation, __ATOMIC_RELAXED) &&
                     !walk->extent.is_foreign && cache->count > 0 &&
                     cache->frames[0].registers.sp <= walk->extent.top;
    return is_usable ? cache->count : 0;
}

// MARK: - The walk

/// The walk reached the last trace's frame `index`. Uses all of the last trace that still holds.
/// \returns true if that is all there is; else the walk has the proven frames and must go on.
static bool join(struct walk *walk, uint32_t index) {
    struct liveobj_stack_cache *cache = walk->cache;
    struct frame *next = &cache->walked[walk->walked];
    uint32_t proven = prove(cache->frames, index);
    if (proven == 0 && (cache->is_closed || !step(walk, &cache->frames[0].registers, next))) {
        walk->is_closed = cache->is_closed;
        walk->common = index + 1;
        // The inner frames may be others now.
        cache->frames[index].fp_place = cache->walked[--walk->walked].fp_place;
        return true;
    }
    for (uint32_t i = index; i-- > proven && walk->walked <= MAX_FRAMES;)
        cache->walked[walk->walked++] = cache->frames[i];
    return false;
}

/// Walks outwards until the stack or MAX_FRAMES end, or the last trace takes over. Each frame is
/// written where it stays: to copy what was just written is slow.
static void walk_from(struct walk *walk, const struct liveobj_registers *leaf) {
    const struct frame *frames = walk->cache->frames;
    struct frame *frame = walk->cache->walked;
    uint32_t old = usable_frames(walk); // frames of the last trace that are not inside of this one
    frame->registers = *leaf;
    frame->fp_place = 0;
    for (walk->walked = 1; walk->walked <= MAX_FRAMES; walk->walked++) {
        while (old > 0 && frames[old - 1].registers.sp < frame->registers.sp)
            old--;
        if (old > 0 && is_same(&frames[old - 1].registers, &frame->registers) &&
            join(walk, old - 1))
            return;
        if (walk->walked > MAX_FRAMES)
            return;
        frame = &walk->cache->walked[walk->walked];
        if (!step(walk, &frame[-1].registers, frame))
            return;
    }
}

// MARK: - From frames to an id

#define HASH_SEED 0x6c6976656f626a73u

static uint64_t mix(uint64_t hash, uintptr_t pc) {
    hash = (hash ^ pc) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 32;
}

static uint32_t id_of(uint64_t hash, uint32_t parent, uint32_t parent_frames,
                      const uintptr_t *addresses, uint32_t count) {
    return liveobj_stack_depot_insert(
        hash, (struct liveobj_stored_trace){parent, parent_frames, count, addresses});
}

/// The id of a trace that stands alone, innermost address first.
static uint32_t record_alone(const uintptr_t *addresses, uint32_t count) {
    uint64_t hash = HASH_SEED;
    for (uint32_t i = count; i-- > 0;)
        hash = mix(hash, addresses[i]);
    hash = mix(hash, count);
    uint32_t id = liveobj_stack_depot_find(hash, 0);
    return id ? id : id_of(hash, 0, 0, addresses, count);
}

/// Lists the walk's return addresses, innermost first.
static uint32_t list_addresses(const struct walk *walk, uint32_t limit) {
    struct liveobj_stack_cache *cache = walk->cache;
    uint32_t count = 0;
    for (uint32_t i = 0; i < walk->walked && count < limit; i++)
        cache->addresses[count++] = cache->walked[i].registers.pc;
    for (uint32_t i = walk->common; i-- > 0 && count < limit;)
        cache->addresses[count++] = cache->frames[i].registers.pc;
    return count;
}

/// A stack deeper than MAX_FRAMES: its innermost frames only, so that the id does not depend on
/// where the walk gave up.
static uint32_t record_cut(const struct walk *walk) {
    walk->cache->count = 0;
    return record_alone(walk->cache->addresses, list_addresses(walk, kept_depth));
}

/// A stack that libunwind has to finish.
static uint32_t record_with_libunwind(struct walk *walk) {
    struct liveobj_stack_cache *cache = walk->cache;
    uint32_t count = list_addresses(walk, MAX_FRAMES);
    struct liveobj_registers last = cache->walked[walk->walked - 1].registers;
    cache->count = 0;
    size_t found = liveobj_unwind_from(last, cache->addresses + count, MAX_FRAMES - count);
    count += (uint32_t)found;
    return record_alone(cache->addresses, count < MAX_FRAMES ? count : kept_depth);
}

/// Makes the walk's frames the last trace.
static void remember(const struct walk *walk) {
    struct liveobj_stack_cache *cache = walk->cache;
    uint64_t hash = walk->common ? cache->frames[walk->common - 1].hash : HASH_SEED;
    uint32_t count = walk->common;
    for (uint32_t i = walk->walked; i-- > 0; count++) {
        cache->frames[count] = cache->walked[i];
        cache->frames[count].hash = hash = mix(hash, cache->walked[i].registers.pc);
    }
    cache->count = count;
    cache->is_closed = walk->is_closed;
    cache->generation = __atomic_load_n(&generation, __ATOMIC_RELAXED);
}

/// Stores the remembered trace: what was walked anew, continued in the trace that has the rest.
static uint32_t store(const struct walk *walk, uint64_t hash) {
    const struct frame *frames = walk->cache->frames;
    uint32_t parent = walk->common ? frames[walk->common - 1].trace : 0;
    uint32_t own = parent ? walk->walked : walk->cache->count;
    list_addresses(walk, own);
    return id_of(hash, parent, walk->cache->count - own, walk->cache->addresses, own);
}

static uint32_t record_remembered(const struct walk *walk) {
    struct liveobj_stack_cache *cache = walk->cache;
    uint64_t hash = mix(cache->frames[cache->count - 1].hash, cache->count);
    uint32_t id = liveobj_stack_depot_find(hash, cache->trace);
    if (!id)
        id = store(walk, hash);
    for (uint32_t i = walk->common; i < cache->count; i++)
        cache->frames[i].trace = id;
    return cache->trace = id;
}

LIVEOBJ_HOOK uint32_t liveobj_stack_trace_record(struct liveobj_stack_cache *cache,
                                                 struct liveobj_registers leaf) {
    struct walk walk = {.cache = cache, .extent = extent_of(leaf.sp)};
    walk_from(&walk, &leaf);
    if (walk.walked == 0 && walk.common == cache->count && cache->trace)
        return cache->trace;
    if (LIVEOBJ_UNLIKELY(walk.is_opaque))
        return record_with_libunwind(&walk);
    if (LIVEOBJ_UNLIKELY(walk.walked + walk.common > MAX_FRAMES))
        return record_cut(&walk);
    remember(&walk);
    return record_remembered(&walk);
}

// MARK: - Outside of hooks

enum liveobj_stack_source liveobj_stacks_start(uint32_t depth, uint64_t max_stack_bytes) {
    kept_depth = depth < 1 ? 1 : depth > MAX_FRAMES ? MAX_FRAMES : depth;
    if (!liveobj_stack_depot_start(max_stack_bytes))
        return LIVEOBJ_STACKS_OFF;
    liveobj_unwind_images_refresh();
    return liveobj_unwind_start() ? LIVEOBJ_STACKS_UNWIND : LIVEOBJ_STACKS_FRAME_POINTERS;
}

uint64_t liveobj_stacks_dropped(void) {
    return liveobj_stack_depot_dropped();
}

void liveobj_stacks_images_changed(void) {
    liveobj_unwind_images_refresh();
    liveobj_unwind_rules_clear();
    // Relaxed: no thread has frames in the image that went, so none needs to know in time.
    __atomic_fetch_add(&generation, 1, __ATOMIC_RELAXED);
}

void liveobj_stacks_before_fork(void) {
    liveobj_stack_depot_lock();
}

void liveobj_stacks_after_fork_parent(void) {
    liveobj_stack_depot_unlock();
}

void liveobj_stacks_after_fork_child(void) {
    liveobj_stack_depot_unlock();
    liveobj_unwind_after_fork_child();
}

#endif
