// stack_depot.c - owns the stored stack traces and the table that finds them by hash.
//
// One reservation of address space: traces are appended from its front, and the index (for each id,
// where its trace lies) grows from its back. Nothing that was stored ever moves or goes.
//
//     | trace 1 | trace 2 | ...  ->        free        <-  ... | index 2 | index 1 |
//
// Invariants
//   ids are 1, 2, 3 ... without gaps, and a trace's parent has a smaller id
//   each link to a parent contributes frames: a chain is never longer than its trace is deep
//   bytes of traces + index + hash tables <= max_bytes
//
// Look-up takes no lock; only storing a new trace does. Everything but the start may run in a hook.

#if defined(__linux__)

#include "stack_depot.h"

#include "os.h"

#include <string.h>

/// A stored trace; its frames follow.
struct trace {
    uint32_t parent;
    uint16_t parent_frames;
    uint16_t own_frames;
    uintptr_t frames[];
};

/// Two different traces with one 64-bit hash would be taken for the same: among a million traces the
/// chance is 3 in 10^8, and the harm one object with a wrong stack.
struct entry {
    uint64_t hash;
    uint32_t id; // 0 while the entry is free
};

struct table {
    uint64_t mask; // entries minus one, a power of two minus one
    struct entry entries[];
};

#define WORD_BYTES sizeof(uint64_t)
#define MAX_BYTES ((uint64_t)UINT32_MAX * WORD_BYTES)
#define COMMIT_BYTES ((size_t)256 << 10)
#define FIRST_ENTRIES 1024

static struct {
    struct liveobj_lock lock;
    unsigned char *start;
    unsigned char *end;
    // What follows changes under the lock only.
    uint64_t max_bytes;
    uint64_t trace_bytes;
    uint64_t table_bytes;
    unsigned char *front_committed; // up to here
    unsigned char *back_committed;  // from here
    struct table *table;
    uint32_t last;
    uint64_t dropped; // apart from this
} depot;

void liveobj_stack_depot_lock(void) {
    liveobj_lock_acquire(&depot.lock);
}

void liveobj_stack_depot_unlock(void) {
    liveobj_lock_release(&depot.lock);
}

// MARK: - Room

static uint32_t *index_of(uint32_t id) {
    return (uint32_t *)(void *)depot.end - id;
}

static bool has_room_locked(uint64_t bytes) {
    uint64_t index_bytes = (uint64_t)depot.last * sizeof(uint32_t);
    return depot.trace_bytes + index_bytes + depot.table_bytes + bytes <= depot.max_bytes;
}

static size_t smaller(size_t a, size_t b) {
    return a < b ? a : b;
}

/// Makes memory of the free part so that the front reaches `front` and the back `back`.
static bool commit_locked(unsigned char *front, unsigned char *back) {
    while (depot.front_committed < front) {
        size_t bytes = smaller(COMMIT_BYTES, (size_t)(depot.end - depot.front_committed));
        if (!liveobj_os_commit(depot.front_committed, bytes))
            return false;
        depot.front_committed += bytes;
    }
    while (depot.back_committed > back) {
        size_t bytes = smaller(COMMIT_BYTES, (size_t)(depot.back_committed - depot.start));
        if (!liveobj_os_commit(depot.back_committed - bytes, bytes))
            return false;
        depot.back_committed -= bytes;
    }
    return true;
}

// MARK: - The hash table

static size_t table_bytes(uint64_t entries) {
    return sizeof(struct table) + entries * sizeof(struct entry);
}

static struct table *table_make(uint64_t entries) {
    struct table *table = liveobj_os_map(table_bytes(entries));
    if (table)
        table->mask = entries - 1;
    return table;
}

/// The entry of a hash, or the free one where it belongs. A table always has free entries.
static struct entry *table_probe(struct table *table, uint64_t hash) {
    for (uint64_t i = hash;; i++) {
        struct entry *entry = &table->entries[i & table->mask];
        // Acquire: an entry's hash is written before its id, and the trace before both.
        if (!__atomic_load_n(&entry->id, __ATOMIC_ACQUIRE) || entry->hash == hash)
            return entry;
    }
}

static void table_put_locked(struct table *table, uint64_t hash, uint32_t id) {
    struct entry *entry = table_probe(table, hash);
    entry->hash = hash;
    // Release: pairs with the acquire of a reader.
    __atomic_store_n(&entry->id, id, __ATOMIC_RELEASE);
}

/// Doubles the table at half load; where that is not possible it fills up to seven eighths.
/// The old table stays: readers may be in it. All old ones together are smaller than the new one.
static bool table_grow_locked(void) {
    uint64_t entries = depot.table->mask + 1;
    if (depot.last < entries / 2)
        return true;
    struct table *grown = NULL;
    if (has_room_locked(table_bytes(2 * entries)))
        grown = table_make(2 * entries);
    if (!grown)
        return depot.last < entries / 8 * 7;
    for (uint64_t i = 0; i < entries; i++)
        if (depot.table->entries[i].id)
            table_put_locked(grown, depot.table->entries[i].hash, depot.table->entries[i].id);
    depot.table_bytes += table_bytes(2 * entries);
    // Release: a reader that sees the table sees its entries.
    __atomic_store_n(&depot.table, grown, __ATOMIC_RELEASE);
    return true;
}

uint32_t liveobj_stack_depot_find(uint64_t hash) {
    struct table *table = __atomic_load_n(&depot.table, __ATOMIC_ACQUIRE);
    if (!table)
        return 0;
    return __atomic_load_n(&table_probe(table, hash)->id, __ATOMIC_ACQUIRE);
}

// MARK: - Traces

static struct trace *trace_of(uint32_t id) {
    return (struct trace *)(void *)(depot.start + *index_of(id) * WORD_BYTES);
}

/// Passes over parents of whose own frames nothing is taken.
static struct liveobj_stored_trace shortened(struct liveobj_stored_trace trace) {
    while (trace.parent && trace.parent_frames <= trace_of(trace.parent)->parent_frames)
        trace.parent = trace_of(trace.parent)->parent;
    return trace;
}

static uint32_t append_locked(struct liveobj_stored_trace trace) {
    size_t frame_bytes = trace.own_frames * sizeof(uintptr_t);
    size_t bytes = sizeof(struct trace) + frame_bytes;
    uint32_t id = depot.last + 1;
    unsigned char *place = depot.start + depot.trace_bytes;
    unsigned char *index = (unsigned char *)index_of(id);
    if (!has_room_locked(bytes + sizeof(uint32_t)) || !commit_locked(place + bytes, index))
        return 0;
    struct trace *stored = (struct trace *)(void *)place;
    stored->parent = trace.parent;
    stored->parent_frames = (uint16_t)trace.parent_frames;
    stored->own_frames = (uint16_t)trace.own_frames;
    memcpy(stored->frames, trace.frames, frame_bytes);
    *(uint32_t *)(void *)index = (uint32_t)(depot.trace_bytes / WORD_BYTES);
    depot.trace_bytes += bytes;
    // Release: whoever reads the last id may read its trace.
    __atomic_store_n(&depot.last, id, __ATOMIC_RELEASE);
    return id;
}

static uint32_t insert_locked(uint64_t hash, struct liveobj_stored_trace trace) {
    uint32_t id = table_probe(depot.table, hash)->id;
    if (id)
        return id; // another thread was faster
    id = table_grow_locked() ? append_locked(shortened(trace)) : 0;
    if (id)
        table_put_locked(depot.table, hash, id);
    return id;
}

uint32_t liveobj_stack_depot_insert(uint64_t hash, struct liveobj_stored_trace trace) {
    liveobj_stack_depot_lock();
    uint32_t id = depot.table ? insert_locked(hash, trace) : 0;
    liveobj_stack_depot_unlock();
    if (!id) // relaxed: a number for the report
        __atomic_fetch_add(&depot.dropped, 1, __ATOMIC_RELAXED);
    return id;
}

bool liveobj_stack_depot_start(uint64_t max_bytes) {
    uint64_t bytes = max_bytes < MAX_BYTES ? max_bytes : MAX_BYTES;
    size_t reserved = (size_t)(bytes + LIVEOBJ_PAGE_BYTES - 1) & ~(LIVEOBJ_PAGE_BYTES - 1);
    if (depot.table)
        return true;
    depot.start = liveobj_os_reserve(reserved);
    if (!depot.start)
        return false;
    depot.end = depot.start + reserved;
    depot.front_committed = depot.start;
    depot.back_committed = depot.end;
    depot.max_bytes = bytes;
    depot.table_bytes = table_bytes(FIRST_ENTRIES);
    struct table *table = table_make(FIRST_ENTRIES);
    // Release: whoever sees the table sees the reservation.
    __atomic_store_n(&depot.table, table, __ATOMIC_RELEASE);
    return table != NULL;
}

// MARK: - For readers

uint32_t liveobj_stack_depot_last(void) {
    return __atomic_load_n(&depot.last, __ATOMIC_ACQUIRE);
}

struct liveobj_stored_trace liveobj_stack_depot_get(uint32_t id) {
    const struct trace *trace = trace_of(id);
    return (struct liveobj_stored_trace){
        .parent = trace->parent,
        .parent_frames = trace->parent_frames,
        .own_frames = trace->own_frames,
        .frames = trace->frames,
    };
}

uint64_t liveobj_stack_depot_dropped(void) {
    return __atomic_load_n(&depot.dropped, __ATOMIC_RELAXED);
}

#endif
