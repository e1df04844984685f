// records.h - object -> record and back: the half of records.c that runs in every hook.
//
// A record is 32 bytes in one reserved arena and is known by its index. It is alive while the page
// map leads from its address to its index. A death clears that slot and touches the record no more;
// the indices of free records lie in batches, a batch or two to a thread. So of the memory that a
// birth or a death needs, only the slot and, at birth, the record to be written can be out of the
// cache. (Free records chained through their own memory cost a miss that the next birth had to wait
// for.) Full batches move between threads through a common stack, so that a thread which only frees
// feeds one that only allocates.
//
// What a thread's block holds is changed with the thread's guard set only. A signal handler that
// interrupts that finds the guard and records no birth, which is counted, and forgets what dies by
// the one word of a list that needs no block (records.c, loose records). So no interleaving of
// hooks and handlers gives two objects one record, or has a handler wait for a lock of its own
// thread.
//
// A record's birth is written last, and cleared before anything else is: a reader on another thread
// that finds the record alive, and the same birth before and after, has a whole record. The address
// would not do, for an allocator likes to give out again what was freed last.
//
// Inline, because the cost of watching is the cost of these lines. What happens once in hundreds of
// calls is behind a call into records.c.

#ifndef LIVEOBJ_RECORDS_H
#define LIVEOBJ_RECORDS_H

#include "os/address.h"
#include "os/atomic.h"
#include "os/compiler.h"
#include "os/os.h"
#include "records/page_map.h"
#include "records/retain_ledger.h"
#include "records/thread.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// What is known of a live object, unpacked.
struct liveobj_object {
    uintptr_t address;
    uintptr_t metadata; // or one of LIVEOBJ_METADATA_*
    uint64_t bytes;
    uint64_t sequence;
    uint32_t stack;
    uint32_t scope;
};

bool liveobj_records_start(uint64_t max_objects);
/// Indices are below this for ever.
uint32_t liveobj_records_limit(void);
/// Indices are below this at present.
uint32_t liveobj_records_room(void);

/// Records have the indices [1, end).
uint32_t liveobj_records_end(void);
/// \returns false if no live object has this index. Another thread may free the object meanwhile.
bool liveobj_records_get(uint32_t index, struct liveobj_object *object);
bool liveobj_records_find(uintptr_t address, struct liveobj_object *object);

void liveobj_records_visit_locks(liveobj_lock_visit_fn visit, void *context);

enum { LIVEOBJ_VALUE_BITS = 48 }; // of a word that also holds 16 bits of something else

/// Two numbers share a word: 48 bits of the first, 16 of the second. Scopes are those in which the
/// object was made.
struct liveobj_record {
    uint64_t address;  // address, scope bits 0 to 15
    uint64_t metadata; // metadata, scope bits 16 to 31
    uint64_t birth;    // sequence number, bytes bits 32 to 47
    uint64_t origin;   // stack in the low half, bytes bits 0 to 31 in the high half
};
_Static_assert(sizeof(struct liveobj_record) == 32,
               "the promise of 48 bytes an object rests on this");

/// Set before the first hook is installed, constant from then on.
struct liveobj_heap {
    struct liveobj_page_map map;
    struct liveobj_record *records; // records[0] is never used
};
extern struct liveobj_heap liveobj_heap;

/// The scope, from a record's words that hold it.
static inline uint32_t liveobj_scope_unpack(uint64_t address, uint64_t metadata) {
    return (uint32_t)(address >> LIVEOBJ_VALUE_BITS | metadata >> LIVEOBJ_VALUE_BITS << 16);
}

static const uint64_t liveobj_value_mask = (UINT64_C(1) << LIVEOBJ_VALUE_BITS) - 1;

/// \returns false if the record with this index is of an object that was made before: a cheap
/// question ahead of `liveobj_records_get`, which has to look elsewhere whether the object lives.
static inline bool liveobj_records_may_be_since(uint32_t index, uint64_t sequence) {
    return (LIVEOBJ_LOAD_RELAXED(liveobj_heap.records[index].birth) & liveobj_value_mask) >=
           sequence;
}

/// Addresses of user space have 47 bits; sequence numbers reach 48 after years.
static inline uint64_t liveobj_pack(uint64_t value, uint64_t extra) {
    return value | extra << LIVEOBJ_VALUE_BITS;
}

/// A record for a thread that has no free one at hand; 0 if there is none. Slow path.
LIVEOBJ_HOOK uint32_t liveobj_records_refill(struct liveobj_thread *thread);
/// Keeps a free record for which the thread's batch has no room. Slow path.
LIVEOBJ_HOOK void liveobj_record_put_slowly(struct liveobj_thread *thread, uint32_t index);
/// The slot of an address in a part of the heap that is not mapped yet. Slow path.
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
    LIVEOBJ_STORE_RELAXED(record->birth, 0);
    __atomic_thread_fence(__ATOMIC_RELEASE); // a reader of a new word finds the old birth gone
    LIVEOBJ_STORE_RELAXED(record->address, liveobj_pack(object.address, object.scope));
    LIVEOBJ_STORE_RELAXED(record->metadata, liveobj_pack(object.metadata, object.scope >> 16));
    LIVEOBJ_STORE_RELAXED(record->origin, object.stack | object.bytes << 32);
    // Release: the birth makes the rest valid.
    __atomic_store_n(&record->birth, liveobj_pack(object.sequence, object.bytes >> 32),
                     __ATOMIC_RELEASE);
}

/// Records a new object.
static inline __attribute__((always_inline)) void
liveobj_records_insert(struct liveobj_thread *thread, struct liveobj_object object) {
    uint32_t *slot = liveobj_page_map_find(&liveobj_heap.map, object.address);
    if (LIVEOBJ_UNLIKELY(!slot))
        slot = liveobj_records_claim_slot(object.address);
    LIVEOBJ_INCREMENT_OWNED(thread->allocations);
    // An address that is still recorded was freed behind our back; its record is used again.
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
    liveobj_record_fill(&liveobj_heap.records[index], object);
    // Release: a reader that finds the record through the slot finds it written.
    __atomic_store_n(slot, index, __ATOMIC_RELEASE);
}

/// The slot of a recorded object, or NULL.
static inline uint32_t *liveobj_records_slot(uintptr_t address) {
    uint32_t *slot = liveobj_page_map_find(&liveobj_heap.map, address);
    return slot && LIVEOBJ_LOAD_RELAXED(*slot) ? slot : NULL;
}

/// The same for a word that may be anything.
static inline uint32_t *liveobj_records_slot_of_word(uintptr_t word) {
    return liveobj_page_map_may_find(&liveobj_heap.map, word) ? liveobj_records_slot(word) : NULL;
}

/// The index of the record of the object that a word leads to, or near to; 0 for most words.
static inline uint32_t liveobj_records_near(uintptr_t word) {
    uintptr_t address = word & LIVEOBJ_WORD_ADDRESS;
    uint32_t *slot = address < LIVEOBJ_PAGE_BYTES ? NULL : liveobj_records_slot_of_word(address);
    return slot ? LIVEOBJ_LOAD_RELAXED(*slot) : 0;
}

/// The live object that a word refers to.
/// \returns the index of its record; 0 if the word leads to none.
static inline uint32_t liveobj_records_follow(uintptr_t word, struct liveobj_object *object) {
    uint32_t index = liveobj_records_near(word);
    bool is_there = index && liveobj_records_get(index, object) &&
                    object->address == (word & LIVEOBJ_WORD_ADDRESS);
    return is_there ? index : 0;
}

/// Forgets a recorded object without the thread's block, which may be half-way through a change or
/// not to be had. May interrupt anything, and be interrupted by anything. An account of the object
/// is closed when its record is used again. Slow path.
LIVEOBJ_HOOK void liveobj_records_remove_loosely(uint32_t *slot);

/// Forgets a recorded object. With the thread's guard set: a signal handler that frees or allocates
/// meanwhile must leave the block alone.
static inline void liveobj_records_remove(struct liveobj_thread *thread, uint32_t *slot) {
    uint32_t index = LIVEOBJ_LOAD_RELAXED(*slot);
    LIVEOBJ_STORE_RELAXED(*slot, 0);
    LIVEOBJ_INCREMENT_OWNED(thread->deallocations);
    liveobj_ledger_deallocated(index);
    liveobj_record_put(thread, index);
}

#pragma GCC visibility pop

#endif
