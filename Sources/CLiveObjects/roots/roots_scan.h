// roots_scan.h - the search for references in memory outside of the heap.
//
// In the snapshot process only. Memory is read in steps, because a mapping may have lost its
// protection or its file since it was listed. roots_scan.c decides what is read, roots_words.c
// reads it.

#pragma once

#include "arch/thread_block.h"
#include "heap/object_words.h"
#include "metadata/address_table.h"
#include "os/os.h"
#include "records/records.h"
#include "roots/roots.h"

#pragma GCC visibility push(hidden)

/// The state of the search, and of its current step.
struct liveobj_scan {
    const struct liveobj_roots *roots;
    const struct liveobj_task_memory *tasks;
    const struct liveobj_suspects *suspects;
    liveobj_visit_root_fn visit;
    void *context;
    struct liveobj_memory_range whole;
    struct liveobj_memory_range range; // the part of it that one step reads
    struct liveobj_thread_layout layout;
    uintptr_t thread_block;  // the control block that was searched for; 0 if there is none
    uintptr_t thread_locals; // in a thread's stack: where its variables begin
    uintptr_t next;          // next word to read
    uintptr_t end_of_heap;   // of a heap of the C library that was read chunk by chunk; or 0
    uintptr_t next_heap;     // where the next one may begin
    struct liveobj_address_table continuations; // of libdispatch's caches
    struct liveobj_extent groups;               // of libdispatch, that objects own
    uintptr_t *library_objects;                 // that may call the program later
    uint32_t library_object_count;
    uint32_t library_object_capacity;
    // Of a collection's storage in the chunk that is read: its elements, as far as they were
    // passed.
    uintptr_t storage; // where the chunk begins that was looked at last
    bool is_storage;
    struct liveobj_words elements;
    uintptr_t element; // the place of the last word

    uint32_t unread; // of `enum liveobj_unread`
};

static inline void liveobj_scan_note(struct liveobj_scan *scan, bool is_read) {
    scan->unread |= is_read ? 0 : LIVEOBJ_UNREAD_MEMORY;
}

static inline uintptr_t liveobj_scan_end_of_page(uintptr_t address) {
    return (address | (LIVEOBJ_PAGE_BYTES - 1)) + 1;
}

/// Whether an object, or a task in the memory of another one, may be at the address, or the word
/// may lead to a suspect.
static inline bool liveobj_scan_may_find(const struct liveobj_scan *scan, uintptr_t word) {
    uintptr_t address = word & LIVEOBJ_REFERENCE_MASK;
    return (address >= LIVEOBJ_PAGE_BYTES && liveobj_records_slot_of_word(address)) ||
           liveobj_task_memory_may_find(scan->tasks, address) ||
           liveobj_suspects_find(scan->suspects, word);
}

/// A step: scans a page at a time, from `next`. If a page cannot be read, the step ends with `next`
/// in that page.
void liveobj_scan_range(void *scan);

/// A step: scans the heap of the C library that the range begins with and sets `end_of_heap`, or
/// finds where the next one may begin. It is one step, because all chunks were read just before.
void liveobj_scan_heap(void *scan);

#pragma GCC visibility pop
