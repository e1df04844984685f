// stack_depot.c - owns the stored stack traces and the table that finds them by hash.
//
// There are two arenas: the frames, one trace after the other, and the index, one entry per id.
// What was stored is never moved or removed.
//
// Invariants
//   ids are 1, 2, 3 ... without gaps, and a trace's parent has a smaller id
//   each link to a parent contributes frames: a chain is never longer than its trace is deep
//   bytes of frames + index + hash table <= max_bytes
//
// A search takes no lock; only storing a new trace does. Everything except the start may run in a
// hook.

#if defined(__linux__)

#include "stacks/stacks.h"

#include <string.h>

/// A trace's entry in the index. Two traces with the same 64-bit hash would be treated as one.
/// Among a million traces the probability is 3 in 10^8, and the effect is one object with a wrong
/// stack.
struct entry {
    uint64_t hash;
    uint32_t place; // of its frames, in words from the start
    uint32_t parent;
    uint32_t parent_frames;
    uint32_t own_frames;
};

/// Each slot is 0 while free. Else it has an id in the lower half and the upper half of the trace's
/// hash in the upper half. It is one word, so that no reader can see half of it.
struct table {
    uint64_t mask; // slots minus one, a power of two minus one
    uint64_t slots[];
};

#define ID_BITS 32
#define MAX_BYTES ((uint64_t)UINT32_MAX * sizeof(uintptr_t))
#define FIRST_SLOTS 1024

/// The number of traces after the previous one that are compared before the table is searched.
#define LOOK_AHEAD 2

static struct {
    struct liveobj_lock lock;
    struct liveobj_arena frames;
    struct liveobj_arena entries; // id 0 is not used
    // The rest changes only under the lock, except `dropped`.
    uint64_t max_bytes;
    uint64_t frame_bytes;
    uint64_t table_bytes;
    struct table *table;
    uint32_t last;
    uint64_t dropped;
} depot;

void liveobj_stack_depot_visit_locks(liveobj_lock_visit_fn visit, void *context) {
    visit(context, &depot.lock);
}

// MARK: - Room

static struct entry *entry_of(uint32_t id) {
    return (struct entry *)(void *)depot.entries.start + id;
}

static bool has_room_locked(uint64_t bytes) {
    uint64_t index_bytes = (uint64_t)depot.last * sizeof(struct entry);
    return depot.frame_bytes + index_bytes + depot.table_bytes + bytes <= depot.max_bytes;
}

// MARK: - The hash table

static size_t table_bytes(uint64_t slots) {
    return sizeof(struct table) + slots * sizeof(uint64_t);
}

static struct table *table_make(uint64_t slots) {
    struct table *table = liveobj_os_map_kept(table_bytes(slots), true);
    if (table)
        table->mask = slots - 1;
    return table;
}

/// The id of a hash. If the table does not have it, 0, and `*free_slot` is its place.
static uint32_t table_find(struct table *table, uint64_t hash, uint64_t **free_slot) {
    for (uint64_t i = hash;; i++) {
        uint64_t *slot = &table->slots[i & table->mask]; // one is always free, so the search ends
        // Acquire: a reader of an id sees its trace.
        uint64_t word = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
        *free_slot = slot;
        if (!word)
            return 0;
        uint32_t id = (uint32_t)word;
        if (word >> ID_BITS == hash >> ID_BITS && entry_of(id)->hash == hash)
            return id;
    }
}

static void table_put_locked(struct table *table, uint64_t hash, uint32_t id) {
    uint64_t *slot;
    table_find(table, hash, &slot);
    // Release: publishes the trace.
    __atomic_store_n(slot, hash >> ID_BITS << ID_BITS | id, __ATOMIC_RELEASE);
}

/// Doubles the table when it is half full; if that is impossible, lets it fill up to seven eighths.
/// The old table stays mapped, because readers may be using it. All old tables together are smaller
/// than the new one.
/// \returns false if there is no slot for another trace.
static bool table_grow_locked(void) {
    uint64_t slots = depot.table->mask + 1;
    if (depot.last < slots / 2)
        return true;
    struct table *grown = NULL;
    if (has_room_locked(table_bytes(2 * slots)))
        grown = table_make(2 * slots);
    if (!grown)
        return depot.last < slots / 8 * 7;
    for (uint32_t id = 1; id <= depot.last; id++)
        table_put_locked(grown, entry_of(id)->hash, id);
    depot.table_bytes += table_bytes(2 * slots);
    // Release: a reader that sees the table sees its slots.
    __atomic_store_n(&depot.table, grown, __ATOMIC_RELEASE);
    return true;
}

LIVEOBJ_HOOK uint32_t liveobj_stack_depot_find(uint64_t hash, uint32_t previous) {
    // Acquire: a reader of the last id sees its trace.
    uint32_t last = __atomic_load_n(&depot.last, __ATOMIC_ACQUIRE);
    for (uint32_t id = previous + 1; id <= previous + LOOK_AHEAD && id <= last; id++)
        if (entry_of(id)->hash == hash)
            return id;
    struct table *table = __atomic_load_n(&depot.table, __ATOMIC_ACQUIRE);
    uint64_t *free_slot;
    return table ? table_find(table, hash, &free_slot) : 0;
}

// MARK: - Traces

/// Skips parents none of whose own frames are used.
static uint32_t nearest_parent(uint32_t parent, uint32_t parent_frames) {
    while (parent && parent_frames <= entry_of(parent)->parent_frames)
        parent = entry_of(parent)->parent;
    return parent;
}

static uint32_t append_locked(uint64_t hash, struct liveobj_stored_trace trace) {
    size_t bytes = trace.own_frames * sizeof(uintptr_t);
    uint32_t id = depot.last + 1;
    struct entry *entry = entry_of(id);
    if (!has_room_locked(bytes + sizeof *entry) ||
        !liveobj_arena_grow(&depot.frames, depot.frame_bytes + bytes) ||
        !liveobj_arena_grow(&depot.entries, ((size_t)id + 1) * sizeof *entry))
        return 0;
    memcpy(depot.frames.start + depot.frame_bytes, trace.frames, bytes);
    *entry = (struct entry){
        .hash = hash,
        .place = (uint32_t)(depot.frame_bytes / sizeof(uintptr_t)),
        .parent = nearest_parent(trace.parent, trace.parent_frames),
        .parent_frames = trace.parent_frames,
        .own_frames = trace.own_frames,
    };
    depot.frame_bytes += bytes;
    // Release: a reader of the last id may read its trace.
    __atomic_store_n(&depot.last, id, __ATOMIC_RELEASE);
    return id;
}

static uint32_t insert_locked(uint64_t hash, struct liveobj_stored_trace trace) {
    uint64_t *free_slot;
    uint32_t id = table_find(depot.table, hash, &free_slot);
    if (id)
        return id; // another thread has stored it meanwhile
    id = table_grow_locked() ? append_locked(hash, trace) : 0;
    if (id)
        table_put_locked(depot.table, hash, id);
    return id;
}

LIVEOBJ_HOOK uint32_t liveobj_stack_depot_insert(uint64_t hash, struct liveobj_stored_trace trace) {
    uint32_t id = 0;
    if (liveobj_lock_acquire(&depot.lock)) {
        id = depot.table ? insert_locked(hash, trace) : 0;
        liveobj_lock_release(&depot.lock);
    }
    if (!id) // relaxed: it is read only for reports
        __atomic_fetch_add(&depot.dropped, 1, __ATOMIC_RELAXED);
    return id;
}

// MARK: - Outside of hooks

bool liveobj_stack_depot_start(uint64_t max_bytes) {
    uint64_t bytes = max_bytes < MAX_BYTES ? max_bytes : MAX_BYTES;
    if (depot.table)
        return true;
    if (!liveobj_arena_start(&depot.frames, bytes) || !liveobj_arena_start(&depot.entries, bytes))
        return false;
    depot.max_bytes = bytes;
    depot.table_bytes = table_bytes(FIRST_SLOTS);
    struct table *table = table_make(FIRST_SLOTS);
    // Release: a reader of the table sees the arenas.
    __atomic_store_n(&depot.table, table, __ATOMIC_RELEASE);
    return table != NULL;
}

uint32_t liveobj_stack_depot_last(void) {
    return __atomic_load_n(&depot.last, __ATOMIC_ACQUIRE);
}

struct liveobj_stored_trace liveobj_stack_depot_get(uint32_t id) {
    const struct entry *entry = entry_of(id);
    return (struct liveobj_stored_trace){
        .parent = entry->parent,
        .parent_frames = entry->parent_frames,
        .own_frames = entry->own_frames,
        .frames = (const uintptr_t *)(const void *)depot.frames.start + entry->place,
    };
}

uint64_t liveobj_stack_depot_dropped(void) {
    return __atomic_load_n(&depot.dropped, __ATOMIC_RELAXED);
}

#endif
