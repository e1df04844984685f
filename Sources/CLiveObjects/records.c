// records.c - owns the records of live objects and the page map that leads to them.
//
// A record is 32 bytes in one reserved arena and is known by its index. Free records are chained
// through their own memory; each thread has a chain of its own, and full batches move between
// threads through a common stack, so that a thread which only frees feeds one that only allocates.
//
// A record is alive while its address is not 0. The address is written last and cleared first, so a
// reader on another thread that finds the same address and birth before and after has a whole record.

#include "internal.h"
#include "page_map.h"

enum {
    BATCH = 512,      // records in a chain that moves between threads
    SLAB = 512,       // never used records that a thread takes at once
    VALUE_BITS = 48,  // of a word that also holds 16 bits of something else
};

/// Two numbers share a word: 48 bits of the first, 16 of the second.
struct record {
    uint64_t address;  // address, scope bits 0 to 15; of a free record, 0
    uint64_t metadata; // metadata, scope bits 16 to 31; of a free record, the next free one
    uint64_t birth;    // sequence number, bytes bits 32 to 47
    uint64_t origin;   // stack in the low half, bytes bits 0 to 31 in the high half
};
_Static_assert(sizeof(struct record) == 32, "the promise of 48 bytes an object rests on this");

static struct liveobj_page_map map;
static struct record *records; // records[0] is never used
static uint32_t capacity;
static struct liveobj_retain_counts *retain_counts; // by record index; NULL if not counted

static uint32_t end = 1; // records at and above were never used; atomic
static struct liveobj_lock arena_lock;
static uint32_t committed; // records below are backed by memory; under `arena_lock`

static struct liveobj_lock batches_lock;
static uint32_t batches; // first record of the topmost full batch; its `birth` leads to the next batch

// MARK: - Words

// Relaxed throughout: an object's words are ordered by its address word alone.
#define GET(word) __atomic_load_n(&(word), __ATOMIC_RELAXED)
#define SET(word, value) __atomic_store_n(&(word), (value), __ATOMIC_RELAXED)

static const uint64_t value_mask = (UINT64_C(1) << VALUE_BITS) - 1;

static inline uint64_t pack(uint64_t value, uint64_t extra) {
    return (value & value_mask) | extra << VALUE_BITS;
}

// MARK: - Arena

enum { COMMIT_STEP = 1 << 15 }; // records; one MiB

/// Reserves the wanted room or, where address space is limited, the largest half of it there is.
/// Whole commit steps, so that the last one does not reach beyond.
static struct record *reserve(uint64_t *count) {
    for (;; *count /= 2) {
        uint64_t whole = (*count + COMMIT_STEP - 1) / COMMIT_STEP * COMMIT_STEP;
        struct record *arena = liveobj_os_reserve(whole * sizeof *arena);
        if (arena || *count <= COMMIT_STEP)
            return arena;
    }
}

bool liveobj_records_start(uint64_t max_objects, bool count_retains) {
    uint64_t count = max_objects < UINT32_MAX - 1 ? max_objects + 1 : UINT32_MAX;
    records = reserve(&count);
    capacity = (uint32_t)count;
    if (records && count_retains)
        retain_counts = liveobj_os_map(count * sizeof *retain_counts);
    return records && (retain_counts || !count_retains) && liveobj_page_map_start(&map);
}

/// Makes sure that records below `wanted` are backed by memory.
static bool commit(uint32_t wanted) {
    bool done = true;
    liveobj_lock_acquire(&arena_lock);
    while (done && committed < wanted) {
        done = liveobj_os_commit(&records[committed], COMMIT_STEP * sizeof *records);
        committed += done ? COMMIT_STEP : 0;
    }
    liveobj_lock_release(&arena_lock);
    return done;
}

/// Never used records for `thread`.
static bool take_slab(struct liveobj_thread *thread) {
    uint32_t start = GET(end);
    uint32_t stop;
    do {
        if (start >= capacity)
            return false;
        stop = capacity - start > SLAB ? start + SLAB : capacity;
        // Relaxed: the numbers alone are handed out; the memory is committed below.
    } while (!__atomic_compare_exchange_n(&end, &start, stop, true, __ATOMIC_RELAXED,
                                          __ATOMIC_RELAXED));
    if (!commit(stop))
        return false;
    thread->fresh_next = start;
    thread->fresh_end = stop;
    return true;
}

// MARK: - Free records

static inline uint32_t next_free(uint32_t index) {
    return (uint32_t)GET(records[index].metadata);
}

static void push_batch(uint32_t head) {
    liveobj_lock_acquire(&batches_lock);
    SET(records[head].birth, batches);
    SET(batches, head);
    liveobj_lock_release(&batches_lock);
}

static uint32_t pop_batch(void) {
    if (!GET(batches))
        return 0;
    liveobj_lock_acquire(&batches_lock);
    uint32_t head = batches;
    if (head)
        SET(batches, (uint32_t)GET(records[head].birth));
    liveobj_lock_release(&batches_lock);
    return head;
}

/// A new chain for a thread that has none: its spare batch, another thread's, or unused records.
static uint32_t refill(struct liveobj_thread *thread) {
    uint32_t head = thread->spare_head ? thread->spare_head : pop_batch();
    thread->spare_head = 0;
    if (head) {
        thread->free_head = next_free(head);
        thread->free_count = BATCH - 1;
        return head;
    }
    if (thread->fresh_next == thread->fresh_end && !take_slab(thread))
        return 0;
    return thread->fresh_next++;
}

static inline uint32_t take_record(struct liveobj_thread *thread) {
    uint32_t index = thread->free_head;
    if (LIVEOBJ_UNLIKELY(!index))
        return refill(thread);
    thread->free_head = next_free(index);
    thread->free_count--;
    return index;
}

static void put_record(struct liveobj_thread *thread, uint32_t index) {
    if (LIVEOBJ_UNLIKELY(thread->free_count == BATCH)) {
        if (thread->spare_head)
            push_batch(thread->spare_head);
        thread->spare_head = thread->free_head;
        thread->free_head = 0;
        thread->free_count = 0;
    }
    SET(records[index].metadata, thread->free_head);
    thread->free_head = index;
    thread->free_count++;
}

// MARK: - Births and deaths

static inline void count(uint64_t *counter) {
    SET(*counter, *counter + 1); // one writer, so no read-modify-write is needed
}

static inline void fill(struct record *record, const struct liveobj_object *object) {
    SET(record->metadata, pack(object->metadata, object->scope >> 16));
    SET(record->birth, pack(object->sequence, object->bytes >> 32));
    SET(record->origin, object->stack | object->bytes << 32);
    // Release: the address makes the rest valid.
    __atomic_store_n(&record->address, pack(object->address, object->scope), __ATOMIC_RELEASE);
}

void liveobj_records_insert(struct liveobj_thread *thread, const struct liveobj_object *object) {
    uint32_t *slot = liveobj_page_map_claim(&map, object->address);
    count(&thread->allocations);
    if (LIVEOBJ_UNLIKELY(!slot)) {
        count(&thread->dropped);
        return;
    }
    // An address that is still recorded was freed behind our back; its record is used again.
    uint32_t index = GET(*slot);
    if (LIVEOBJ_UNLIKELY(index != 0))
        count(&thread->missed_deaths);
    else
        index = take_record(thread);
    if (LIVEOBJ_UNLIKELY(!index)) {
        count(&thread->dropped);
        return;
    }
    if (retain_counts)
        retain_counts[index] = (struct liveobj_retain_counts){0, 0};
    fill(&records[index], object);
    SET(*slot, index);
}

void liveobj_records_remove(uintptr_t address) {
    uint32_t *slot = liveobj_page_map_find(&map, address);
    uint32_t index = slot ? GET(*slot) : 0;
    if (!index)
        return;
    SET(*slot, 0);
    // Release: whoever sees the record in its next life sees that this one has ended.
    __atomic_store_n(&records[index].address, 0, __ATOMIC_RELEASE);
    struct liveobj_thread *thread = liveobj_tls.thread;
    if (LIVEOBJ_UNLIKELY(!thread) && !(thread = liveobj_thread_attach()))
        return;
    count(&thread->deaths);
    put_record(thread, index);
    liveobj_thread_detach_if_ended();
}

// MARK: - Retain counts

static struct liveobj_retain_counts *counts_at(uintptr_t address) {
    uint32_t *slot = liveobj_page_map_find(&map, address);
    uint32_t index = slot ? GET(*slot) : 0;
    return index ? &retain_counts[index] : NULL;
}

void liveobj_records_add_retains(uintptr_t address, uint32_t retains) {
    struct liveobj_retain_counts *counts = counts_at(address);
    if (counts) // relaxed: a count orders nothing
        __atomic_fetch_add(&counts->retains, retains, __ATOMIC_RELAXED);
}

void liveobj_records_add_releases(uintptr_t address, uint32_t releases) {
    struct liveobj_retain_counts *counts = counts_at(address);
    if (counts)
        __atomic_fetch_add(&counts->releases, releases, __ATOMIC_RELAXED);
}

// MARK: - Reading

uint32_t liveobj_records_end(void) {
    uint32_t last = GET(end);
    // The records of a slab that could not be committed are not there.
    liveobj_lock_acquire(&arena_lock);
    uint32_t readable = committed < last ? committed : last;
    liveobj_lock_release(&arena_lock);
    return readable;
}

bool liveobj_records_get(uint32_t index, struct liveobj_object *object) {
    struct record *record = &records[index];
    // Acquire: the other words as they were written before the address.
    uint64_t address = __atomic_load_n(&record->address, __ATOMIC_ACQUIRE);
    if (!address)
        return false;
    uint64_t metadata = GET(record->metadata);
    uint64_t birth = GET(record->birth);
    uint64_t origin = GET(record->origin);
    __atomic_thread_fence(__ATOMIC_ACQUIRE); // the words before the second look at the address
    if (GET(record->address) != address || GET(record->birth) != birth)
        return false; // died meanwhile
    *object = (struct liveobj_object){
        .address = address & value_mask,
        .metadata = metadata & value_mask,
        .bytes = origin >> 32 | birth >> VALUE_BITS << 32,
        .sequence = birth & value_mask,
        .stack = (uint32_t)origin,
        .scope = (uint32_t)(address >> VALUE_BITS | metadata >> VALUE_BITS << 16),
    };
    return true;
}

bool liveobj_records_find(uintptr_t address, struct liveobj_object *object) {
    uint32_t *slot = liveobj_page_map_find(&map, address);
    uint32_t index = slot ? GET(*slot) : 0;
    return index && liveobj_records_get(index, object) && object->address == address;
}

struct liveobj_retain_counts liveobj_records_retain_counts(uint32_t index) {
    struct liveobj_retain_counts none = {0, 0};
    if (!retain_counts)
        return none;
    return (struct liveobj_retain_counts){GET(retain_counts[index].retains),
                                          GET(retain_counts[index].releases)};
}

// MARK: - Fork

void liveobj_records_before_fork(void) {
    liveobj_lock_acquire(&arena_lock);
    liveobj_lock_acquire(&batches_lock);
}

void liveobj_records_after_fork(void) {
    liveobj_lock_release(&batches_lock);
    liveobj_lock_release(&arena_lock);
}
