// stack_depot.c - owns the stored stack traces and the table that finds them by hash.
//
// Traces are in a space. It has two arenas: the frames, one trace after the other, and the index,
// one entry per trace. What was stored in a space is never moved or removed.
//
// There are two spaces, and all traces of dead objects are removed together: new traces go to the
// other space from some moment on, which is called a round; the traces of live objects are stored
// there again; then the old space is emptied (records/trace_collection.c). Copying needs no free
// lists of traces of all sizes, and searches need no lock, since a space never changes but by
// additions while a thread may use it. It needs room for two copies of what is live, for a moment.
//
// Invariants
//   an id is twice its index, counted from 1, plus the number of its space
//   a trace's parent is in the same space and has a smaller id
//   each link to a parent contributes frames: a chain is never longer than its trace is deep
//   bytes of frames + index + hash tables of a space <= max_bytes
//
// Forks get none of it, since copying the page tables of a million traces takes as long as ten
// thousand allocations. A child finds zeros, also where no handler of a fork runs: an empty table,
// to which nothing is added. Its handler makes a new table, and new traces get ids and indices
// behind those from before. The snapshot process gets everything.
//
// A search takes no lock; only storing a new trace does. A thread uses the space of one round for a
// whole trace. Everything except the start and the collection may run in a hook.

#if defined(__linux__)

#include "os/arena.h"
#include "stacks/stack_walk.h"
#include "stacks/stacks.h"

#include <string.h>

/// A trace's entry in the index. Two traces with the same 64-bit hash would be treated as one.
/// Among a million traces the probability is 3 in 10^8, and the effect is one object with a wrong
/// stack.
struct entry {
    uint64_t hash;
    uint32_t first_word; // of its frames
    uint32_t parent;
    uint32_t parent_frames;
    uint32_t own_frames;
};

/// Each slot is 0 while free. Else it has an id in the lower half and the upper half of the trace's
/// hash in the upper half. It is one word, so that no reader can see half of it.
struct table {
    struct table *smaller; // that it replaced
    uint64_t mask;         // slots minus one, a power of two minus one
    uint64_t slots[];
};

#define ID_BITS 32
#define MAX_BYTES ((uint64_t)UINT32_MAX * sizeof(uintptr_t))
/// As long as traces take less, they are not collected: most of them come back, and are found
/// sooner in the order in which they came first.
#define LEAST_COLLECTED_BYTES ((uint64_t)64 << 20)
#define FIRST_SLOTS 1024

/// The number of traces after the previous one that are compared before the table is searched.
#define LOOK_AHEAD 2

struct space {
    struct liveobj_arena frames;
    struct liveobj_arena entries; // index 0 is not used
    // The rest changes only under the lock.
    uint64_t frame_bytes;
    uint64_t table_bytes; // of all tables
    struct table *table;  // NULL while the space is empty
    uint32_t first;       // the first index of this process; those before were its parent's
    uint32_t last;        // the last index in use
    bool was_full;        // a trace was dropped
};

static struct {
    struct liveobj_lock lock;
    struct space spaces[2];
    uint64_t max_bytes; // of a space
    uint64_t threshold; // the bytes in the current space from which on a collection is worth while
    uint64_t dropped;   // atomic
} depot = {.spaces = {{.first = 1}, {.first = 1}}};

uint32_t liveobj_stack_depot_round;
bool liveobj_stack_depot_is_due;

void liveobj_stack_depot_visit_locks(liveobj_lock_visit_fn visit, void *context) {
    visit(context, &depot.lock);
}

// MARK: - Room

static struct space *space_of_round(uint32_t round) {
    return &depot.spaces[round % 2];
}

static struct space *space_of(uint32_t id) {
    return &depot.spaces[id % 2];
}

static uint32_t id_of(const struct space *space, uint32_t index) {
    return 2 * index + (uint32_t)(space - depot.spaces);
}

static struct entry *entry_in(const struct space *space, uint32_t id) {
    return (struct entry *)(void *)space->entries.start + id / 2;
}

static struct entry *trace_entry(uint32_t id) {
    return entry_in(space_of(id), id);
}

static uint64_t used_locked(const struct space *space) {
    uint64_t index_bytes = (uint64_t)space->last * sizeof(struct entry);
    return space->frame_bytes + index_bytes + space->table_bytes;
}

static bool has_room_locked(const struct space *space, uint64_t bytes) {
    return used_locked(space) + bytes <= depot.max_bytes;
}

// MARK: - The hash table

static size_t table_bytes(uint64_t slots) {
    return sizeof(struct table) + slots * sizeof(uint64_t);
}

/// Makes a larger table for a space. Its memory, like that of the arenas, is prepaid if the space
/// is.
static struct table *table_make_locked(struct space *space, uint64_t slots) {
    size_t bytes = table_bytes(slots);
    struct table *table =
        space->frames.is_prepaid ? liveobj_os_map(bytes) : liveobj_os_map_charged(bytes, true);
    if (!table)
        return NULL;
    liveobj_os_set_inherited(table, bytes, false);
    table->smaller = space->table;
    table->mask = slots - 1;
    space->table_bytes += bytes;
    return table;
}

/// The id of a hash. If the table does not have it, 0, and `*free_slot` is where to store it.
static uint32_t table_find(const struct space *space, struct table *table, uint64_t hash,
                           uint64_t **free_slot) {
    for (uint64_t i = hash;; i++) {
        uint64_t *slot = &table->slots[i & table->mask]; // one is always free, so the search ends
        // Acquire: a reader of an id sees its trace.
        uint64_t word = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
        *free_slot = slot;
        if (!word)
            return 0;
        uint32_t id = (uint32_t)word;
        if (word >> ID_BITS == hash >> ID_BITS && entry_in(space, id)->hash == hash)
            return id;
    }
}

static void table_put_locked(const struct space *space, struct table *table, uint32_t id) {
    uint64_t *slot, hash = entry_in(space, id)->hash;
    table_find(space, table, hash, &slot);
    // Release: publishes the trace.
    __atomic_store_n(slot, hash >> ID_BITS << ID_BITS | id, __ATOMIC_RELEASE);
}

/// Doubles the table when it is half full; if that is impossible, lets it fill up to seven eighths.
/// The old table stays mapped, because readers may be using it. All old tables together are smaller
/// than the new one.
/// \returns false if there is no slot for another trace.
static bool table_grow_locked(struct space *space) {
    uint64_t slots = space->table->mask + 1;
    uint32_t count = space->last + 1 - space->first;
    if (count < slots / 2)
        return true;
    struct table *grown = NULL;
    if (has_room_locked(space, table_bytes(2 * slots)))
        grown = table_make_locked(space, 2 * slots);
    if (!grown)
        return count < slots / 8 * 7;
    for (uint32_t index = space->first; index <= space->last; index++)
        table_put_locked(space, grown, id_of(space, index));
    // Release: a reader that sees the table sees its slots.
    __atomic_store_n(&space->table, grown, __ATOMIC_RELEASE);
    return true;
}

LIVEOBJ_HOOK uint32_t liveobj_stack_depot_find(uint32_t round, uint64_t hash, uint32_t previous) {
    const struct space *space = space_of_round(round);
    // Acquire: a reader of the last index sees its trace.
    uint32_t last = id_of(space, __atomic_load_n(&space->last, __ATOMIC_ACQUIRE));
    if (!previous) // the index before the first
        previous = id_of(space, 0);
    for (uint32_t id = previous + 2; id <= previous + 2 * LOOK_AHEAD && id <= last; id += 2)
        if (entry_in(space, id)->hash == hash)
            return id;
    struct table *table = __atomic_load_n(&space->table, __ATOMIC_ACQUIRE);
    uint64_t *free_slot;
    return table ? table_find(space, table, hash, &free_slot) : 0;
}

// MARK: - Traces

/// Skips parents none of whose own frames are used.
static uint32_t nearest_parent(uint32_t parent, uint32_t parent_frames) {
    while (parent && parent_frames <= trace_entry(parent)->parent_frames)
        parent = trace_entry(parent)->parent;
    return parent;
}

static uint32_t append_trace_locked(struct space *space, uint64_t hash,
                                    struct liveobj_stored_trace trace) {
    size_t bytes = trace.own_frames * sizeof(uintptr_t);
    uint32_t index = space->last + 1, id = id_of(space, index);
    struct entry *entry = entry_in(space, id);
    if (!has_room_locked(space, bytes + sizeof *entry) ||
        !liveobj_arena_grow(&space->frames, space->frame_bytes + bytes) ||
        !liveobj_arena_grow(&space->entries, ((size_t)index + 1) * sizeof *entry))
        return 0;
    memcpy(space->frames.start + space->frame_bytes, trace.frames, bytes);
    *entry = (struct entry){
        .hash = hash,
        .first_word = (uint32_t)(space->frame_bytes / sizeof(uintptr_t)),
        .parent = nearest_parent(trace.parent, trace.parent_frames),
        .parent_frames = trace.parent_frames,
        .own_frames = trace.own_frames,
    };
    space->frame_bytes += bytes;
    // Release: a reader of the last index may read its trace.
    __atomic_store_n(&space->last, index, __ATOMIC_RELEASE);
    return id;
}

/// Asks for a step of a collection: each new trace pays for one.
static void note_if_due_locked(const struct space *space) {
    const struct space *other = &depot.spaces[space == &depot.spaces[0]];
    // A table that cannot grow may fill the space before its bytes reach the threshold.
    if (LIVEOBJ_LOAD_RELAXED(other->table) || space->was_full ||
        used_locked(space) > depot.threshold)
        LIVEOBJ_STORE_RELAXED(liveobj_stack_depot_is_due, true);
}

static uint32_t insert_locked(struct space *space, uint64_t hash,
                              struct liveobj_stored_trace trace) {
    uint64_t *free_slot;
    uint32_t id = table_find(space, space->table, hash, &free_slot);
    if (id)
        return id; // another thread has stored it meanwhile
    id = table_grow_locked(space) ? append_trace_locked(space, hash, trace) : 0;
    if (id)
        table_put_locked(space, space->table, id);
    else
        space->was_full = true;
    note_if_due_locked(space);
    return id;
}

LIVEOBJ_HOOK uint32_t liveobj_stack_depot_insert(uint32_t round, uint64_t hash,
                                                 struct liveobj_stored_trace trace) {
    struct space *space = space_of_round(round);
    uint32_t id = 0;
    if (liveobj_lock_acquire(&depot.lock)) {
        bool is_usable = space->table && space->table->mask; // 0 in a child without handlers
        id = is_usable ? insert_locked(space, hash, trace) : 0;
        liveobj_lock_release(&depot.lock);
    }
    if (!id)
        liveobj_stack_depot_count_drop();
    return id;
}

LIVEOBJ_HOOK void liveobj_stack_depot_count_drop(void) {
    // Relaxed: it is read only for reports.
    __atomic_fetch_add(&depot.dropped, 1, __ATOMIC_RELAXED);
}

// MARK: - Outside of hooks

/// \returns false if there is no memory.
static bool open_locked(struct space *space) {
    struct table *table = table_make_locked(space, FIRST_SLOTS);
    // Release: a reader of the table sees the arenas.
    __atomic_store_n(&space->table, table, __ATOMIC_RELEASE);
    return table != NULL;
}

static bool space_start(struct space *space, uint64_t max_bytes, bool is_prepaid) {
    space->frames.is_for_self = space->entries.is_for_self = true;
    space->frames.is_prepaid = space->entries.is_prepaid = is_prepaid;
    return liveobj_arena_start(&space->frames, max_bytes) &&
           liveobj_arena_start(&space->entries, max_bytes);
}

/// The bytes from which on a collection is worth while: twice what was live after the last one, or
/// half of what that left.
static uint64_t threshold_above(uint64_t used) {
    uint64_t wanted = 2 * used < LEAST_COLLECTED_BYTES ? LEAST_COLLECTED_BYTES : 2 * used;
    uint64_t middle = (used + depot.max_bytes) / 2;
    return wanted < middle ? wanted : middle;
}

/// What is live in one space must fit into the other, so each gets half.
static bool start_depot(uint64_t max_bytes, uint64_t arena_bytes, bool is_prepaid) {
    depot.max_bytes = max_bytes / 2;
    depot.threshold = threshold_above(0);
    return space_start(&depot.spaces[0], arena_bytes, is_prepaid) &&
           space_start(&depot.spaces[1], arena_bytes, is_prepaid) && open_locked(&depot.spaces[0]);
}

bool liveobj_stack_depot_start(uint64_t max_bytes) {
    uint64_t most = max_bytes < MAX_BYTES ? max_bytes : MAX_BYTES;
    return depot.spaces[0].table || start_depot(most, most, false);
}

bool liveobj_stack_depot_start_prepaid(uint64_t max_bytes) {
    uint64_t most = max_bytes < MAX_BYTES ? max_bytes : MAX_BYTES;
    return liveobj_os_prepay(most) && start_depot(most, most / 2, true);
}

void liveobj_stack_depot_use_one_space(void) {
    if (!liveobj_lock_acquire(&depot.lock))
        return;
    depot.max_bytes *= 2;
    liveobj_lock_release(&depot.lock);
}

uint32_t liveobj_stack_depot_last(void) {
    uint32_t first =
        id_of(&depot.spaces[0], __atomic_load_n(&depot.spaces[0].last, __ATOMIC_ACQUIRE));
    uint32_t second =
        id_of(&depot.spaces[1], __atomic_load_n(&depot.spaces[1].last, __ATOMIC_ACQUIRE));
    return first > second ? first : second;
}

LIVEOBJ_HOOK struct liveobj_stored_trace liveobj_stack_depot_get(uint32_t id) {
    const struct entry *entry = trace_entry(id);
    return (struct liveobj_stored_trace){
        .parent = entry->parent,
        .parent_frames = entry->parent_frames,
        .own_frames = entry->own_frames,
        .frames = (const uintptr_t *)(const void *)space_of(id)->frames.start + entry->first_word,
    };
}

LIVEOBJ_HOOK bool liveobj_stack_depot_has(uint32_t id) {
    return id / 2 >= space_of(id)->first;
}

uint64_t liveobj_stack_depot_dropped(void) {
    return __atomic_load_n(&depot.dropped, __ATOMIC_RELAXED);
}

// MARK: - Forks

void liveobj_stack_depot_set_inherited(bool is_inherited) {
    for (size_t i = 0; i < 2; i++) {
        const struct liveobj_arena *frames = &depot.spaces[i].frames;
        const struct liveobj_arena *entries = &depot.spaces[i].entries;
        liveobj_os_set_inherited(frames->start, frames->bytes, is_inherited);
        liveobj_os_set_inherited(entries->start, entries->bytes, is_inherited);
    }
}

void liveobj_stack_depot_after_fork_child(void) {
    for (size_t i = 0; i < 2; i++) {
        struct space *space = &depot.spaces[i];
        space->first = space->last + 1;
        if (space->table)
            open_locked(space);
    }
    liveobj_stack_depot_round += 2; // the same space, but no thread's last trace has an id
}

// MARK: - Collection

/// Whether the other space has room for a copy of all traces. The memory is taken now: later it
/// would be missing for what is live.
static bool make_copy_room_locked(struct space *other, const struct space *space) {
    return liveobj_arena_grow(&other->frames, space->frame_bytes) &&
           liveobj_arena_grow(&other->entries, ((size_t)space->last + 1) * sizeof(struct entry)) &&
           open_locked(other);
}

LIVEOBJ_HOOK bool liveobj_stack_depot_begin_round(void) {
    // Relaxed: the thread that collects is the one that changes it.
    uint32_t round = LIVEOBJ_LOAD_RELAXED(liveobj_stack_depot_round);
    if (!liveobj_lock_acquire(&depot.lock))
        return false;
    bool is_open = make_copy_room_locked(space_of_round(round + 1), space_of_round(round));
    if (!is_open)
        depot.threshold = UINT64_MAX;
    liveobj_lock_release(&depot.lock);
    if (is_open) // release: a thread that sees the round sees its space
        __atomic_store_n(&liveobj_stack_depot_round, round + 1, __ATOMIC_RELEASE);
    return is_open;
}

LIVEOBJ_HOOK bool liveobj_stack_depot_is_old(uint32_t id) {
    return id && space_of(id) != space_of_round(liveobj_stack_depot_round);
}

/// \returns The id in this round; 0 if the trace was not renewed yet.
static uint32_t find_renewed(uint32_t id) {
    return liveobj_stack_depot_find(liveobj_stack_depot_round, trace_entry(id)->hash, 0);
}

/// Without recursion: the hook may run on a small stack.
LIVEOBJ_HOOK uint32_t liveobj_stack_depot_renew(uint32_t id) {
    uint32_t chain[LIVEOBJ_MAX_FRAMES], count = 0, renewed = 0;
    while (count < LIVEOBJ_MAX_FRAMES && liveobj_stack_depot_has(id) &&
           !(renewed = find_renewed(id))) {
        chain[count++] = id;
        id = trace_entry(id)->parent;
    }
    for (bool is_stored = true; count > 0 && is_stored; is_stored = renewed > 0) {
        struct liveobj_stored_trace trace = liveobj_stack_depot_get(chain[--count]);
        trace.parent = renewed;
        renewed = liveobj_stack_depot_insert(liveobj_stack_depot_round,
                                             trace_entry(chain[count])->hash, trace);
    }
    return renewed;
}

static void empty_space(struct space *space) {
    struct table *table = space->table;
    LIVEOBJ_STORE_RELAXED(space->table, NULL);
    LIVEOBJ_STORE_RELAXED(space->last, 0);
    space->first = 1;
    space->frame_bytes = space->table_bytes = 0;
    space->was_full = false;
    for (struct table *smaller; table; table = smaller) {
        smaller = table->smaller;
        liveobj_os_unmap(table, table_bytes(table->mask + 1));
    }
    liveobj_arena_empty(&space->frames);
    liveobj_arena_empty(&space->entries);
}

LIVEOBJ_HOOK bool liveobj_stack_depot_end_round(void) {
    const struct space *current = space_of_round(liveobj_stack_depot_round);
    empty_space(space_of_round(liveobj_stack_depot_round + 1));
    if (!liveobj_lock_acquire(&depot.lock))
        return true;
    uint64_t used = used_locked(current);
    depot.threshold = threshold_above(used);
    liveobj_lock_release(&depot.lock);
    return used > depot.max_bytes / 2;
}

#endif
