// stack_trace.c - gets the id of the trace of a walked stack.
//
// A trace's hash runs from the root to the leaf, so the part that a stack shares with the last one
// has its hash already:
//     hash(0) = mix(seed, pc(0)), hash(i) = mix(hash(i - 1), pc(i))
//     the trace's = mix(hash(n - 1), n)
// The hash depends only on the return addresses, never on how they were found. So the same stack
// always has the same id, whatever was walked before it.
//
// Everything runs in hooks, on the thread that owns the cache, unless stacks.h says otherwise.

#if defined(__linux__)

#include "CLiveObjects.h"
#include "os/os.h"
#include "stacks/stack_walk.h"
#include "stacks/unwind_rules.h"

static uint32_t recorded_depth = 64;

// MARK: - From frames to an id

#define HASH_SEED 0x6c6976656f626a73u

static uint64_t mix_hash(uint64_t hash, uintptr_t pc) {
    hash = (hash ^ pc) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 32;
}

static uint32_t insert_trace(const struct liveobj_stack_cache *cache, uint64_t hash,
                             uint32_t parent, uint32_t parent_frames, const uintptr_t *addresses,
                             uint32_t count) {
    return liveobj_stack_depot_insert(
        cache->round, hash, (struct liveobj_stored_trace){parent, parent_frames, count, addresses});
}

/// The id of a trace without a parent, innermost address first.
static uint32_t record_alone(const struct liveobj_stack_cache *cache, const uintptr_t *addresses,
                             uint32_t count) {
    uint64_t hash = HASH_SEED;
    for (uint32_t i = count; i-- > 0;)
        hash = mix_hash(hash, addresses[i]);
    hash = mix_hash(hash, count);
    uint32_t id = liveobj_stack_depot_find(cache->round, hash, 0);
    return id ? id : insert_trace(cache, hash, 0, 0, addresses, count);
}

/// Records a stack with a frame that no rule passes. Nothing of it is cached for the next walk.
static uint32_t record_rare(struct liveobj_stack_walk *walk) {
    struct liveobj_stack_cache *cache = walk->cache;
    uint32_t count = liveobj_stack_walk_list(walk, LIVEOBJ_MAX_FRAMES);
    count += liveobj_rare_frames_list(walk, cache->addresses + count, LIVEOBJ_MAX_FRAMES - count);
    cache->count = 0;
    return record_alone(cache, cache->addresses,
                        count < LIVEOBJ_MAX_FRAMES ? count : recorded_depth);
}

static void copy_frame(struct liveobj_frame *to, const struct liveobj_frame *from) {
    to->registers.pc = liveobj_frame_load(&from->registers.pc);
    to->registers.sp = liveobj_frame_load(&from->registers.sp);
    to->registers.fp = liveobj_frame_load(&from->registers.fp);
    to->places = liveobj_frame_load(&from->places);
    to->fp_word = liveobj_frame_load(&from->fp_word);
}

/// Makes the walk's frames the last trace, and hashes those that are new.
/// \returns The trace's hash.
static uint64_t remember_trace(const struct liveobj_stack_walk *walk) {
    struct liveobj_stack_cache *cache = walk->cache;
    struct liveobj_frame *frame = &cache->frames[walk->common];
    uint64_t hash = walk->common ? frame[-1].hash : HASH_SEED;
    for (uint32_t i = walk->walked; i-- > 0; frame++) {
        copy_frame(frame, &cache->walked[i]);
        frame->hash = hash = mix_hash(hash, frame->registers.pc);
    }
    cache->count = walk->common + walk->walked;
    cache->end = walk->end;
    cache->generation = __atomic_load_n(&liveobj_stack_walk_generation, __ATOMIC_RELAXED);
    return mix_hash(hash, cache->count);
}

/// Leaves out the outermost frames of a walk with more frames than are cached. A quarter more than
/// necessary, because the others move.
static void cut_outer_frames(struct liveobj_stack_walk *walk) {
    enum { LEFT = LIVEOBJ_CACHED_FRAMES / 4 * 3 };
    struct liveobj_frame *frames = walk->cache->frames;
    uint32_t excess = walk->common + walk->walked - LEFT;
    uint32_t moved = excess < walk->common ? walk->common - excess : 0;
    for (uint32_t i = 0; i < moved; i++)
        frames[i] = frames[excess + i];
    walk->walked -= excess - (walk->common - moved);
    walk->common = moved;
    walk->end = LIVEOBJ_STACK_END_CUT;
}

/// Records a stack deeper than LIVEOBJ_MAX_FRAMES: only its innermost frames, so that the id does
/// not depend on where the walk ended.
static uint32_t record_deep(struct liveobj_stack_walk *walk) {
    if (walk->common + walk->walked > LIVEOBJ_CACHED_FRAMES)
        cut_outer_frames(walk);
    remember_trace(walk);
    walk->cache->trace = 0;
    return record_alone(walk->cache, walk->cache->addresses,
                        liveobj_stack_walk_list(walk, recorded_depth));
}

/// Stores the walk's trace: the newly walked frames, with the last trace as parent for the rest.
static uint32_t store_trace(const struct liveobj_stack_walk *walk, uint64_t hash) {
    struct liveobj_stack_cache *cache = walk->cache;
    uint32_t parent = walk->common ? cache->trace : 0;
    uint32_t own = parent ? walk->walked : cache->count;
    liveobj_stack_walk_list(walk, own);
    return insert_trace(cache, hash, parent, cache->count - own, cache->addresses, own);
}

static uint32_t record_remembered(const struct liveobj_stack_walk *walk) {
    struct liveobj_stack_cache *cache = walk->cache;
    uint64_t hash = remember_trace(walk);
    uint32_t id = liveobj_stack_depot_find(cache->round, hash, cache->trace);
    return cache->trace = id ? id : store_trace(walk, hash);
}

// MARK: - Tasks

/// Lists the frames of the last trace, innermost first, before its `callers`. The outermost frame,
/// in which the runtime runs the task, is left out if there are callers.
/// \returns Their number.
static uint32_t list_task(struct liveobj_stack_cache *cache, uint32_t callers) {
    uint32_t count = 0;
    for (uint32_t i = cache->count; i-- > (callers ? 1 : 0);)
        cache->addresses[count++] = cache->frames[i].registers.pc;
    return count;
}

/// Stores a task's trace: the frames on the stack, with a trace of their callers as parent.
static uint32_t store_task(struct liveobj_stack_cache *cache, uint64_t hash, uint32_t callers) {
    uint32_t own = list_task(cache, callers);
    uint32_t parent = callers ? record_alone(cache, cache->addresses + own, callers) : 0;
    return parent || !callers ? insert_trace(cache, hash, parent, callers, cache->addresses, own)
                              : insert_trace(cache, hash, 0, 0, cache->addresses, own + callers);
}

/// Records a stack that ends where the runtime runs a task. Only its frames are cached for the next
/// walk. The callers are not part of the stack and are looked up each time.
static uint32_t record_task(const struct liveobj_stack_walk *walk) {
    struct liveobj_stack_cache *cache = walk->cache;
    uint64_t hash = remember_trace(walk);
    uint32_t own = cache->count - 1;
    uint32_t room = recorded_depth > own ? recorded_depth - own : 0;
    uint32_t callers = liveobj_async_callers(cache, cache->addresses + own, room);
    for (uint32_t i = 0; i < callers; i++)
        hash = mix_hash(hash, cache->addresses[own + i]);
    hash = mix_hash(hash, callers);
    uint32_t id = liveobj_stack_depot_find(cache->round, hash, cache->task_trace);
    cache->trace = 0;
    return cache->task_trace = id ? id : store_task(cache, hash, callers);
}

// MARK: - The result

/// Uses one round for the whole trace. The last traces of another round have no ids in this one.
static void enter_round(struct liveobj_stack_cache *cache) {
    // Acquire: pairs with the release that began the round.
    uint32_t round = __atomic_load_n(&liveobj_stack_depot_round, __ATOMIC_ACQUIRE);
    if (LIVEOBJ_LIKELY(cache->round == round))
        return;
    cache->round = round;
    cache->trace = cache->task_trace = 0;
}

LIVEOBJ_HOOK uint32_t liveobj_stack_trace_record(struct liveobj_stack_cache *cache, uintptr_t pc,
                                                 uintptr_t sp, uintptr_t fp) {
    struct liveobj_stack_walk walk;
    enter_round(cache);
    liveobj_stack_walk(&walk, cache, pc, sp, fp);
    if (walk.walked == 0 && walk.common == cache->count && cache->trace)
        return cache->trace;
    if (LIVEOBJ_UNLIKELY(walk.is_rare))
        return record_rare(&walk);
    if (LIVEOBJ_UNLIKELY(walk.walked + walk.common > LIVEOBJ_MAX_FRAMES))
        return record_deep(&walk);
    if (LIVEOBJ_UNLIKELY(walk.end == LIVEOBJ_STACK_END_TASK))
        return record_task(&walk);
    return record_remembered(&walk);
}

// MARK: - Outside of hooks

enum liveobj_stack_source liveobj_stacks_start(uint32_t depth, uint64_t max_stack_bytes) {
    recorded_depth = depth < 1 ? 1 : depth > LIVEOBJ_MAX_FRAMES ? LIVEOBJ_MAX_FRAMES : depth;
    if (!liveobj_stack_depot_start(max_stack_bytes))
        return LIVEOBJ_STACKS_OFF;
    liveobj_stack_walk_start();
    return LIVEOBJ_STACKS_UNWIND;
}

void liveobj_stacks_code_gone(void) {
    liveobj_unwind_rules_forget();
    liveobj_stack_walk_invalidate();
}

#endif
