// records.c - owns the records of live objects and the page map that finds them: the part that runs
// seldom, or outside of hooks. See records.h.

#if defined(__linux__)

#include "records/records.h"
#include "metadata/types.h"
#include "os/arena.h"

#include <malloc.h>
#include <stdlib.h>

enum {
    BATCH = 510, // free records that move between threads together
};

/// Indices of free records. Two kilobytes with the header.
struct liveobj_batch {
    struct liveobj_batch *next;
    uint32_t indices[BATCH];
};

struct liveobj_heap liveobj_heap;
static uint32_t capacity;

static uint32_t end = 1; // records at and above were never used; atomic
static struct liveobj_lock arena_lock;
static struct liveobj_arena arena;        // of records
static struct liveobj_arena newest_arena; // of `liveobj_heap.newest`
static uint32_t room;                     // records below are backed by memory; atomic

static struct liveobj_lock batches_lock;
static struct liveobj_batch *full_batches;
static struct liveobj_batch *empty_batches;

// MARK: - Arena

/// The size of a granule, measured. Blocks with more than 16 usable bytes, at addresses that are
/// multiples of 16, begin at least 32 bytes apart.
static uint32_t granule_bits(void) {
    static const size_t sizes[] = {1, 16};
    bool apart = true;
    for (size_t i = 0; i < 2; i++) {
        void *block = malloc(sizes[i]);
        apart = apart && block && malloc_usable_size(block) > 16;
        free(block);
    }
    return apart ? LIVEOBJ_LARGE_GRANULE_BITS : LIVEOBJ_SMALL_GRANULE_BITS;
}

bool liveobj_records_start(uint64_t max_objects) {
    uint64_t count = max_objects < UINT32_MAX - 1 ? max_objects + 1 : UINT32_MAX;
    uint64_t newest_bytes = (count / LIVEOBJ_RECORD_BLOCK + 1) * sizeof *liveobj_heap.newest;
    bool is_started = liveobj_arena_start(&arena, count * sizeof(struct liveobj_record)) &&
                      liveobj_arena_start(&newest_arena, newest_bytes) &&
                      liveobj_page_map_start(&liveobj_heap.map, granule_bits());
    liveobj_heap.records = (struct liveobj_record *)(void *)arena.start;
    liveobj_heap.newest = (uint64_t *)(void *)newest_arena.start;
    uint64_t most =
        arena.most / sizeof(struct liveobj_record); // the arena may be larger than a small request
    capacity = (uint32_t)(most < count ? most : count);
    return is_started;
}

uint32_t liveobj_records_limit(void) {
    return capacity;
}

LIVEOBJ_HOOK uint32_t liveobj_records_room(void) {
    return __atomic_load_n(&room, __ATOMIC_ACQUIRE); // pairs with the release in `commit_records`
}

static bool commit_locked(uint32_t wanted) {
    size_t blocks = wanted / LIVEOBJ_RECORD_BLOCK + 1;
    bool done = liveobj_ledger_make_room(wanted) &&
                liveobj_arena_grow(&newest_arena, blocks * sizeof *liveobj_heap.newest) &&
                liveobj_arena_grow(&arena, wanted * sizeof(struct liveobj_record));
    if (done) // release: a reader of the count may use the memory
        __atomic_store_n(&room, wanted, __ATOMIC_RELEASE);
    return done;
}

/// Backs the records below `wanted` with memory, and before them what belongs to them.
static bool commit_records(uint32_t wanted) {
    enum { STEP = 1 << 13 };
    uint32_t whole = wanted + STEP < capacity ? (wanted + STEP - 1) / STEP * STEP : capacity;
    if (wanted <= liveobj_records_room())
        return true;
    if (!liveobj_lock_acquire(&arena_lock))
        return false;
    bool done = wanted <= room || commit_locked(whole); // another thread may have committed it
    liveobj_lock_release(&arena_lock);
    return done;
}

/// Takes up to `wanted` records that were never used.
/// \returns Their number; `start` is the index of the first.
static uint32_t take_new_records(uint32_t wanted, uint32_t *start) {
    uint32_t first = LIVEOBJ_LOAD_RELAXED(end);
    uint32_t count;
    do {
        count = capacity - first < wanted ? capacity - first : wanted;
        // Relaxed: only numbers are handed out here; the memory is committed below.
    } while (!__atomic_compare_exchange_n(&end, &first, first + count, true, __ATOMIC_RELAXED,
                                          __ATOMIC_RELAXED));
    *start = first;
    return commit_records(first + count) ? count : 0;
}

// MARK: - Free records
//
// A thread takes records from and puts them into one batch, and may have a full one in reserve. So
// a thread whose allocations and deallocations alternate at the edge of a batch does not use the
// common stacks each time.

static void use_batch(struct liveobj_thread *thread, struct liveobj_batch *batch, uint32_t count) {
    thread->batch = batch;
    thread->free_indices = batch ? batch->indices : NULL;
    thread->free_capacity = batch ? BATCH : 0;
    thread->free_count = count;
}

static struct liveobj_batch *pop_locked(struct liveobj_batch **stack) {
    struct liveobj_batch *batch = *stack;
    if (batch)
        LIVEOBJ_STORE_RELAXED(*stack, batch->next);
    return batch;
}

static void push_locked(struct liveobj_batch **stack, struct liveobj_batch *batch) {
    batch->next = *stack;
    LIVEOBJ_STORE_RELAXED(*stack, batch);
}

static struct liveobj_batch *new_empty_batches_locked(void) {
    enum { COUNT = 32 };
    struct liveobj_batch *batches = liveobj_os_map_charged(COUNT * sizeof *batches, true);
    for (size_t i = 1; batches && i < COUNT; i++)
        push_locked(&empty_batches, &batches[i]);
    return batches;
}

/// Exchanges the thread's empty batch for a full one that another thread has left.
static bool take_full_batch(struct liveobj_thread *thread) {
    if (!LIVEOBJ_LOAD_RELAXED(
            full_batches)) // relaxed: a batch that is pushed now will be found next time
        return false;
    if (!liveobj_lock_acquire(&batches_lock))
        return false;
    struct liveobj_batch *batch = pop_locked(&full_batches);
    if (batch && thread->batch)
        push_locked(&empty_batches, thread->batch);
    liveobj_lock_release(&batches_lock);
    if (batch)
        use_batch(thread, batch, BATCH);
    return batch != NULL;
}

/// Makes room for free records. \returns false if there is no memory.
static bool spill_batch(struct liveobj_thread *thread) {
    if (!liveobj_lock_acquire(&batches_lock))
        return false;
    if (thread->spare_batch)
        push_locked(&full_batches, thread->spare_batch);
    struct liveobj_batch *empty = pop_locked(&empty_batches);
    if (!empty)
        empty = new_empty_batches_locked();
    liveobj_lock_release(&batches_lock);
    thread->spare_batch = thread->batch;
    use_batch(thread, empty, 0);
    return empty != NULL;
}

static bool take_spare_batch(struct liveobj_thread *thread) {
    struct liveobj_batch *full = thread->spare_batch;
    if (!full || !liveobj_lock_acquire(&batches_lock))
        return false;
    thread->spare_batch = NULL;
    push_locked(&empty_batches, thread->batch);
    liveobj_lock_release(&batches_lock);
    use_batch(thread, full, BATCH);
    return true;
}

static bool fill_batch(struct liveobj_thread *thread) {
    uint32_t start;
    if (!thread->batch && !spill_batch(thread))
        return false;
    uint32_t count = take_new_records(BATCH, &start);
    for (uint32_t i = 0; i < count; i++) // the lowest is taken first
        thread->free_indices[i] = start + count - 1 - i;
    thread->free_count = count;
    return count > 0;
}

// MARK: - Orphaned records
//
// Free records that no thread's batch could take, chained through the word of their metadata. The
// chain's head is one word that is changed atomically, so the chain is consistent wherever a change
// is interrupted.

static uint32_t first_orphan; // 0: none; atomic

static void put_orphan(uint32_t index) {
    struct liveobj_record *record = &liveobj_heap.records[index];
    uint32_t next = LIVEOBJ_LOAD_RELAXED(first_orphan);
    LIVEOBJ_STORE_RELAXED(record->sequence_and_size, 0);
    __atomic_thread_fence(__ATOMIC_RELEASE); // as in `liveobj_record_fill`
    do
        LIVEOBJ_STORE_RELAXED(record->metadata, next);
    while (!__atomic_compare_exchange_n(&first_orphan, &next, index, true, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED));
}

/// Fills the thread's empty batch from its own part of the chain; if it has none, it first takes
/// the whole chain. No other thread can change a chain that was taken as a whole.
static bool take_orphans(struct liveobj_thread *thread) {
    if (!thread->batch || (!thread->orphans && !LIVEOBJ_LOAD_RELAXED(first_orphan)))
        return false;
    if (!thread->orphans) // acquire: pairs with the release in `put_orphan`
        thread->orphans = __atomic_exchange_n(&first_orphan, 0, __ATOMIC_ACQUIRE);
    while (thread->orphans && thread->free_count < thread->free_capacity) {
        thread->free_indices[thread->free_count++] = thread->orphans;
        thread->orphans =
            (uint32_t)LIVEOBJ_LOAD_RELAXED(liveobj_heap.records[thread->orphans].metadata);
    }
    return thread->free_count > 0;
}

LIVEOBJ_HOOK void liveobj_records_remove_without_thread(uint32_t *slot) {
    uint32_t index = LIVEOBJ_LOAD_RELAXED(*slot);
    LIVEOBJ_STORE_RELAXED(*slot, 0);
    // Relaxed: a count orders nothing.
    __atomic_fetch_add(&liveobj_counts_of_no_thread.deallocations, 1, __ATOMIC_RELAXED);
    put_orphan(index);
}

LIVEOBJ_HOOK void liveobj_record_put_slowly(struct liveobj_thread *thread, uint32_t index) {
    if (spill_batch(thread))
        thread->free_indices[thread->free_count++] = index;
    else
        put_orphan(index);
}

LIVEOBJ_HOOK uint32_t liveobj_records_refill(struct liveobj_thread *thread) {
    if (take_spare_batch(thread) || take_full_batch(thread) || take_orphans(thread) ||
        fill_batch(thread))
        return thread->free_indices[--thread->free_count];
    return 0;
}

LIVEOBJ_HOOK void liveobj_records_raise(uint64_t *newest, uint64_t sequence) {
    enum { STEP = 4096 }; // the next numbers are near, and are not noted again
    uint64_t present = LIVEOBJ_LOAD_RELAXED(*newest), raised = sequence | (STEP - 1);
    // Relaxed: the slot, stored later, publishes it with the record.
    while (present < sequence && !__atomic_compare_exchange_n(newest, &present, raised, true,
                                                              __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        continue;
}

LIVEOBJ_HOOK uint32_t *liveobj_records_claim_slot(uintptr_t address) {
    if (address >> LIVEOBJ_ADDRESS_BITS == 0)
        liveobj_page_map_add_leaf(&liveobj_heap.map, address);
    return liveobj_page_map_find(&liveobj_heap.map, address);
}

// MARK: - Reading

LIVEOBJ_HOOK uint32_t liveobj_records_end(void) {
    uint32_t last = LIVEOBJ_LOAD_RELAXED(end);
    uint32_t readable = liveobj_records_room(); // the others cannot be read
    return readable < last ? readable : last;
}

static bool is_alive(uint32_t index, uint64_t address_word) {
    uintptr_t address = address_word & liveobj_value_mask;
    uint32_t *slot = liveobj_page_map_find(&liveobj_heap.map, address);
    // Acquire: pairs with the release that stored the index in the slot.
    return address && slot && __atomic_load_n(slot, __ATOMIC_ACQUIRE) == index;
}

LIVEOBJ_HOOK bool liveobj_records_get(uint32_t index, struct liveobj_object *object) {
    const struct liveobj_record *record = &liveobj_heap.records[index];
    struct liveobj_record copy;
    // Acquire: the other words as they were before the sequence number was written.
    copy.sequence_and_size = __atomic_load_n(&record->sequence_and_size, __ATOMIC_ACQUIRE);
    copy.address = LIVEOBJ_LOAD_RELAXED(record->address);
    copy.metadata = LIVEOBJ_LOAD_RELAXED(record->metadata);
    copy.origin = LIVEOBJ_LOAD_RELAXED(record->origin);
    bool alive = copy.sequence_and_size && is_alive(index, copy.address);
    __atomic_thread_fence(__ATOMIC_ACQUIRE); // the reads above precede the second one
    if (!alive || LIVEOBJ_LOAD_RELAXED(record->sequence_and_size) != copy.sequence_and_size)
        return false; // deallocated meanwhile
    *object = liveobj_record_unpack(copy);
    return true;
}

static bool may_be_since(uint32_t index, uint64_t sequence) {
    return (LIVEOBJ_LOAD_RELAXED(liveobj_heap.records[index].sequence_and_size) &
            liveobj_value_mask) >= sequence;
}

uint32_t liveobj_records_next_since(uint32_t index, uint64_t sequence) {
    uint32_t records_end = liveobj_records_end(); // 0 if no record has memory yet
    for (index++; index < records_end; index++) {
        if (LIVEOBJ_LOAD_RELAXED(liveobj_heap.newest[index / LIVEOBJ_RECORD_BLOCK]) < sequence)
            index |= LIVEOBJ_RECORD_BLOCK - 1; // the last one of the block
        else if (may_be_since(index, sequence))
            return index;
    }
    return 0;
}

bool liveobj_records_find(uintptr_t address, struct liveobj_object *object) {
    uint32_t *slot = liveobj_records_slot(address);
    return slot && liveobj_records_get(LIVEOBJ_LOAD_RELAXED(*slot), object) &&
           object->address == address;
}

LIVEOBJ_HOOK void liveobj_records_replace_stack(uint32_t index, const struct liveobj_object *object,
                                                uint32_t stack) {
    uint64_t present = object->stack | object->bytes << 32;
    // Release: who reads the id can read the trace.
    __atomic_compare_exchange_n(&liveobj_heap.records[index].origin, &present,
                                stack | object->bytes << 32, false, __ATOMIC_RELEASE,
                                __ATOMIC_RELAXED);
}

// MARK: - Memory in use

static void add_bytes(void *sum, struct liveobj_extent extent) {
    *(uint64_t *)sum += extent.end - extent.start;
}

static void add_leaf(uint64_t *sum, uint32_t *const *entry) {
    // Acquire: pairs with the release that published the leaf.
    uintptr_t leaf = (uintptr_t)__atomic_load_n(entry, __ATOMIC_ACQUIRE);
    struct liveobj_extent extent = {leaf, leaf + LIVEOBJ_LEAF_BYTES};
    if (leaf)
        liveobj_os_visit_pages(extent, false, add_bytes, sum);
}

uint64_t liveobj_records_map_bytes(void) {
    const struct liveobj_page_map *map = &liveobj_heap.map;
    size_t leaves = (size_t)1 << (LIVEOBJ_REGION_BITS - LIVEOBJ_LEAF_BITS - map->granule_bits);
    uint64_t sum = 0;
    for (size_t region = 0; region < sizeof map->has_leaf; region++)
        for (size_t i = 0; LIVEOBJ_LOAD_RELAXED(map->has_leaf[region]) && i < leaves; i++)
            add_leaf(&sum, &map->root[region * leaves + i]);
    return sum;
}

// MARK: - Fork

void liveobj_records_visit_locks(liveobj_lock_visit_fn visit, void *context) {
    visit(context, &arena_lock);
    visit(context, &batches_lock);
}

#endif
