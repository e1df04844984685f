// records.h - finds an object's record by its address, and an object by its record: the part of
// records.c that runs in every hook.
//
// A record is 32 bytes in one reserved arena; its index identifies it. It is live while the page
// map has its index at its object's address. A deallocation clears that slot and does not touch the
// record. The indices of free records are stored in batches, one or two batches per thread. So an
// allocation or a deallocation can miss the cache only for the slot and, at an allocation, for the
// record that it writes. (A chain of free records through their own memory cost a miss that the
// next allocation had to wait for.) Full batches move between threads through a common stack, so a
// thread that only frees supplies one that only allocates.
//
// A thread's block is changed only while the thread's guard is set. A signal handler that
// interrupts such a change finds the guard set: it records no allocation, but counts it, and it
// removes what it deallocates without the block (records.c, orphaned records). So no interleaving
// of hooks and handlers gives two objects one record, and no handler waits for a lock that its own
// thread holds.
//
// A record's sequence number (`sequence_and_size`) is its last word to be written and its first to
// be cleared. A reader on another thread that finds the record live, and the same sequence number
// before and after its read, has read a consistent record. The address would not serve for this: an
// allocator often reuses first what was freed last.
//
// The functions are inline, because their cost is the cost of tracking. What runs once in hundreds
// of calls is a call into records.c.

#pragma once

#include "arch/address.h"
#include "os/compiler.h"
#include "os/os.h"
#include "records/page_map.h"
#include "records/retain_ledger.h"
#include "records/thread.h"

#pragma GCC visibility push(hidden)

/// A live object's record, unpacked.
struct liveobj_object {
    uintptr_t address;
    uintptr_t metadata; // or one of LIVEOBJ_METADATA_*
    uint64_t bytes;
    uint64_t sequence;
    uint32_t stack;
    uint32_t scope;
};

bool liveobj_records_start(uint64_t max_objects);
/// The bound of all indices, present and future. Constant.
uint32_t liveobj_records_limit(void);
/// The bound of the indices whose records are backed by memory. It grows.
LIVEOBJ_HOOK uint32_t liveobj_records_room(void);

/// The end of the indices in use: records have the indices [1, end).
LIVEOBJ_HOOK uint32_t liveobj_records_end(void);
/// The next record that may be of an object allocated since `sequence`; 0 after the last one.
uint32_t liveobj_records_next_since(uint32_t index, uint64_t sequence);
/// Reads a record. Another thread may deallocate the object meanwhile.
/// \returns false if no live object has this index.
LIVEOBJ_HOOK bool liveobj_records_get(uint32_t index, struct liveobj_object *object);
bool liveobj_records_find(uintptr_t address, struct liveobj_object *object);

/// Replaces the stack trace of an object, unless its record is another object's by now.
/// \param object As it was read.
LIVEOBJ_HOOK void liveobj_records_replace_stack(uint32_t index, const struct liveobj_object *object,
                                                uint32_t stack);

/// The bytes of the page map that are in memory: it is sparse.
uint64_t liveobj_records_map_bytes(void);

void liveobj_records_visit_locks(liveobj_lock_visit_fn visit, void *context);

enum { LIVEOBJ_VALUE_BITS = 48 }; // the rest of the word holds 16 bits of another number

/// A record. Each of the first three words holds 48 bits of one number and 16 of another. The scope
/// is the one in which the object was allocated.
struct liveobj_record {
    uint64_t address;           // address, scope bits 0 to 15
    uint64_t metadata;          // metadata, scope bits 16 to 31
    uint64_t sequence_and_size; // sequence number, bytes bits 32 to 47
    uint64_t origin;            // stack in the low half, bytes bits 0 to 31 in the high half
};
_Static_assert(sizeof(struct liveobj_record) == 32,
               "the documentation of `budget` states 32 bytes an object");

/// Set before the first hook is installed, constant from then on.
struct liveobj_heap {
    struct liveobj_page_map map;
    struct liveobj_record *records; // records[0] is never used
    /// By block of records: a number that is not below any sequence number in the block. A search
    /// for new objects leaves out the other blocks: a program that once had millions of objects has
    /// as many records.
    uint64_t *newest;
};
extern struct liveobj_heap liveobj_heap;

enum { LIVEOBJ_RECORD_BLOCK = 512 };

/// The scope, from the two words of a record that hold its halves.
static inline uint32_t liveobj_scope_unpack(uint64_t address, uint64_t metadata) {
    return (uint32_t)(address >> LIVEOBJ_VALUE_BITS | metadata >> LIVEOBJ_VALUE_BITS << 16);
}

static const uint64_t liveobj_value_mask = (UINT64_C(1) << LIVEOBJ_VALUE_BITS) - 1;

/// A cheap filter before `liveobj_records_get`: the stack trace of the record's object, live or
/// not.
static inline uint32_t liveobj_records_stack(uint32_t index) {
    return (uint32_t)LIVEOBJ_LOAD_RELAXED(liveobj_heap.records[index].origin);
}

static inline struct liveobj_object liveobj_record_unpack(struct liveobj_record record) {
    return (struct liveobj_object){
        .address = record.address & liveobj_value_mask,
        .metadata = record.metadata & liveobj_value_mask,
        .bytes = record.origin >> 32 | record.sequence_and_size >> LIVEOBJ_VALUE_BITS << 32,
        .sequence = record.sequence_and_size & liveobj_value_mask,
        .stack = (uint32_t)record.origin,
        .scope = liveobj_scope_unpack(record.address, record.metadata),
    };
}

/// Packs 16 bits above a value. Addresses have at most 48 bits; sequence numbers reach 48
/// bits after years.
static inline uint64_t liveobj_pack(uint64_t value, uint64_t extra) {
    return value | extra << LIVEOBJ_VALUE_BITS;
}

/// Raises a block's number. Slow path.
LIVEOBJ_HOOK void liveobj_records_raise(uint64_t *newest, uint64_t sequence);

static inline void liveobj_records_note(uint32_t index, uint64_t sequence) {
    uint64_t *newest = &liveobj_heap.newest[index / LIVEOBJ_RECORD_BLOCK];
    if (LIVEOBJ_UNLIKELY(LIVEOBJ_LOAD_RELAXED(*newest) < sequence))
        liveobj_records_raise(newest, sequence);
}

/// Takes a free record for a thread whose batch is empty. \returns 0 if none can be had. Slow path.
LIVEOBJ_HOOK uint32_t liveobj_records_refill(struct liveobj_thread *thread);
/// Stores a free record for which the thread's batch has no room. Slow path.
LIVEOBJ_HOOK void liveobj_record_put_slowly(struct liveobj_thread *thread, uint32_t index);
/// The slot of an address in a part of the address space that has no leaf yet; NULL if there is no
/// memory for one. Slow path.
LIVEOBJ_HOOK uint32_t *liveobj_records_claim_slot(uintptr_t address);

static inline uint32_t liveobj_record_take(struct liveobj_thread *thread) {
    if (LIVEOBJ_UNLIKELY(thread->free_count == 0))
        return liveobj_records_refill(thread);
    return thread->free_indices[--thread->free_count];
}

static inline void liveobj_record_put(struct liveobj_thread *thread, uint32_t index) {
    if (LIVEOBJ_UNLIKELY(thread->free_count == thread->free_capacity))
        liveobj_record_put_slowly(thread, index);
    else
        thread->free_indices[thread->free_count++] = index;
}

static inline void liveobj_record_fill(struct liveobj_record *record,
                                       struct liveobj_object object) {
    LIVEOBJ_STORE_RELAXED(record->sequence_and_size, 0);
    __atomic_thread_fence(__ATOMIC_RELEASE); // a reader of a new word finds the old number cleared
    LIVEOBJ_STORE_RELAXED(record->address, liveobj_pack(object.address, object.scope));
    LIVEOBJ_STORE_RELAXED(record->metadata, liveobj_pack(object.metadata, object.scope >> 16));
    LIVEOBJ_STORE_RELAXED(record->origin, object.stack | object.bytes << 32);
    // Release: the sequence number makes the rest valid.
    __atomic_store_n(&record->sequence_and_size, liveobj_pack(object.sequence, object.bytes >> 32),
                     __ATOMIC_RELEASE);
}

/// Records a new object.
static inline __attribute__((always_inline)) void
liveobj_records_insert(struct liveobj_thread *thread, struct liveobj_object object) {
    uint32_t *slot = liveobj_page_map_find(&liveobj_heap.map, object.address);
    if (LIVEOBJ_UNLIKELY(!slot))
        slot = liveobj_records_claim_slot(object.address);
    LIVEOBJ_INCREMENT_OWNED(thread->allocations);
    // The deallocation of a recorded address was missed; its record is reused.
    uint32_t index = slot ? LIVEOBJ_LOAD_RELAXED(*slot) : 0;
    if (LIVEOBJ_UNLIKELY(index != 0))
        LIVEOBJ_INCREMENT_OWNED(thread->missed_deallocations);
    else
        index = slot ? liveobj_record_take(thread) : 0;
    if (LIVEOBJ_UNLIKELY(!index)) {
        LIVEOBJ_INCREMENT_OWNED(thread->dropped);
        return;
    }
    liveobj_ledger_allocated(index, object.metadata);
    liveobj_records_note(index, object.sequence);
    liveobj_record_fill(&liveobj_heap.records[index], object);
    // Release: a reader that finds the record through the slot finds it written.
    __atomic_store_n(slot, index, __ATOMIC_RELEASE);
}

/// The slot of a recorded object, or NULL.
static inline uint32_t *liveobj_records_slot(uintptr_t address) {
    uint32_t *slot = liveobj_page_map_find(&liveobj_heap.map, address);
    return slot && LIVEOBJ_LOAD_RELAXED(*slot) ? slot : NULL;
}

/// The same for any word, address or not.
static inline uint32_t *liveobj_records_slot_of_word(uintptr_t word) {
    return liveobj_page_map_may_find(&liveobj_heap.map, word) ? liveobj_records_slot(word) : NULL;
}

/// The index of the record of the object whose granule a word points into; 0 for most words.
static inline uint32_t liveobj_records_near(uintptr_t word) {
    uintptr_t address = word & LIVEOBJ_WORD_ADDRESS;
    uint32_t *slot = address < LIVEOBJ_PAGE_BYTES ? NULL : liveobj_records_slot_of_word(address);
    return slot ? LIVEOBJ_LOAD_RELAXED(*slot) : 0;
}

/// The live object whose address a word holds.
/// \returns The index of its record; 0 if there is none.
static inline uint32_t liveobj_records_follow(uintptr_t word, struct liveobj_object *object) {
    uint32_t index = liveobj_records_near(word);
    bool is_there = index && liveobj_records_get(index, object) &&
                    object->address == (word & LIVEOBJ_WORD_ADDRESS);
    return is_there ? index : 0;
}

/// Removes a recorded object without the thread's block, which may be in the middle of a change or
/// unavailable. May interrupt anything, and be interrupted by anything. The object's account is
/// closed when its record is reused. Slow path.
LIVEOBJ_HOOK void liveobj_records_remove_without_thread(uint32_t *slot);

/// Removes a recorded object. The thread's guard must be set: a signal handler that frees or
/// allocates meanwhile must not use the block.
static inline void liveobj_records_remove(struct liveobj_thread *thread, uint32_t *slot) {
    uint32_t index = LIVEOBJ_LOAD_RELAXED(*slot);
    LIVEOBJ_STORE_RELAXED(*slot, 0);
    LIVEOBJ_INCREMENT_OWNED(thread->deallocations);
    liveobj_ledger_deallocated(index);
    liveobj_record_put(thread, index);
}

#pragma GCC visibility pop
