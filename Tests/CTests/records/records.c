// The records of live objects: lookup by address, removal, reuse, and dropped objects in a full
// arena.

#include "records/records.h"
#include "os/compiler.h"
#include "os/os.h"
#include "records/thread.h"
#include "support/expect.h"

#include <pthread.h>
#include <sys/mman.h>

enum { LIMIT = 40000, BASE = 0x10000000 };

static uintptr_t address_of(unsigned number) {
    return BASE + (uintptr_t)number * 48;
}

static void insert(struct liveobj_thread *thread, uintptr_t address, uint64_t bytes) {
    liveobj_records_insert(thread, (struct liveobj_object){
                                       .address = address,
                                       .metadata = 0x7f0012345678,
                                       .bytes = bytes,
                                       .sequence = liveobj_sequence_next(thread),
                                       .stack = 0xfedcba98,
                                       .scope = 0xabcd1234,
                                   });
}

static bool remove_at(struct liveobj_thread *thread, uintptr_t address) {
    uint32_t *slot = liveobj_records_slot(address);
    if (slot)
        liveobj_records_remove(thread, slot);
    return slot != NULL;
}

static unsigned live(void) {
    unsigned count = 0;
    struct liveobj_object object;
    for (uint32_t index = 1; index < liveobj_records_end(); index++)
        count += liveobj_records_get(index, &object);
    return count;
}

static unsigned live_since(uint64_t sequence) {
    unsigned count = 0;
    struct liveobj_object object;
    for (uint32_t index = 0; (index = liveobj_records_next_since(index, sequence));)
        count += liveobj_records_get(index, &object) && object.sequence >= sequence;
    return count;
}

static void new_objects_are_found_among_the_records_of_old_ones(struct liveobj_thread *thread) {
    enum { MANY = 20 * LIVEOBJ_RECORD_BLOCK, NEW = MANY / 7 };
    for (unsigned i = 0; i < MANY; i++)
        insert(thread, address_of(i), 32);
    uint64_t mark = liveobj_sequence_mark();
    EXPECT(live_since(0) == MANY && live_since(mark) == 0);
    for (unsigned i = 0; i < MANY; i += 7)
        EXPECT(remove_at(thread, address_of(i)));
    for (unsigned i = 0; i < NEW; i++)
        insert(thread, address_of(MANY + i), 32);
    EXPECT(live_since(mark) == NEW);
    for (unsigned i = 0; i < MANY + NEW; i++)
        remove_at(thread, address_of(i));
    EXPECT(live_since(0) == 0 && live_since(mark) == 0);
}

static void every_field_of_an_object_is_returned(struct liveobj_thread *thread) {
    struct liveobj_object object;
    uint64_t bytes = (UINT64_C(1) << 40) + 5;
    insert(thread, 0x7ffffffffff0, bytes);
    EXPECT(liveobj_records_find(0x7ffffffffff0, &object));
    EXPECT(object.metadata == 0x7f0012345678 && object.bytes == bytes);
    EXPECT(object.stack == 0xfedcba98 && object.scope == 0xabcd1234);
    EXPECT(remove_at(thread, 0x7ffffffffff0));
    EXPECT(!liveobj_records_find(0x7ffffffffff0, &object));
}

static void unknown_addresses_have_no_record(struct liveobj_thread *thread) {
    struct liveobj_object object;
    EXPECT(!remove_at(thread, 0) && !remove_at(thread, UINTPTR_MAX));
    EXPECT(!remove_at(thread, address_of(1)));
    EXPECT(!liveobj_records_find(address_of(1), &object));
}

static void
an_address_that_is_allocated_twice_is_a_missed_deallocation(struct liveobj_thread *thread) {
    struct liveobj_object object;
    uint64_t before = liveobj_threads_counts().missed_deallocations;
    insert(thread, address_of(2), 10);
    insert(thread, address_of(2), 20);
    EXPECT(liveobj_threads_counts().missed_deallocations == before + 1);
    EXPECT(liveobj_records_find(address_of(2), &object) && object.bytes == 20);
    EXPECT(live() == 1);
    EXPECT(remove_at(thread, address_of(2)) && live() == 0);
}

static void an_address_beyond_user_space_is_dropped(struct liveobj_thread *thread) {
    uint64_t before = liveobj_threads_counts().dropped;
    insert(thread, (uintptr_t)1 << 52, 16);
    EXPECT(liveobj_threads_counts().dropped == before + 1 && live() == 0);
}

static void a_full_arena_drops_and_counts(struct liveobj_thread *thread) {
    uint64_t before = liveobj_threads_counts().dropped;
    for (unsigned i = 0; i < LIMIT + 1000; i++)
        insert(thread, address_of(i), 32);
    EXPECT(live() == LIMIT);
    EXPECT(liveobj_threads_counts().dropped == before + 1000);
    for (unsigned i = 0; i < LIMIT + 1000; i++)
        remove_at(thread, address_of(i));
    EXPECT(live() == 0);
    for (unsigned i = 0; i < LIMIT; i++)
        insert(thread, address_of(i), 32);
    EXPECT(live() == LIMIT && liveobj_threads_counts().dropped == before + 1000);
    for (unsigned i = 0; i < LIMIT; i++)
        remove_at(thread, address_of(i));
}

// MARK: - Threads

enum { THREADS = 8, ROUNDS = 200, PER_ROUND = 1000 };

/// Addresses that one thread has inserted and the next one removes.
struct mailbox {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool full;
};
static struct mailbox mailboxes[THREADS];

static void wait_until(struct mailbox *mailbox, bool full) {
    pthread_mutex_lock(&mailbox->lock);
    while (mailbox->full != full)
        pthread_cond_wait(&mailbox->changed, &mailbox->lock);
    pthread_mutex_unlock(&mailbox->lock);
}

static void set_full(struct mailbox *mailbox, bool full) {
    pthread_mutex_lock(&mailbox->lock);
    mailbox->full = full;
    pthread_cond_broadcast(&mailbox->changed);
    pthread_mutex_unlock(&mailbox->lock);
}

/// Each thread inserts for its mailbox and removes what its neighbour inserted.
static void *exchange(void *argument) {
    unsigned number = (unsigned)(uintptr_t)argument, neighbour = (number + 1) % THREADS;
    struct liveobj_thread *thread = liveobj_thread_attach();
    for (unsigned round = 0; round < ROUNDS; round++) {
        wait_until(&mailboxes[number], false);
        for (unsigned i = 0; i < PER_ROUND; i++)
            insert(thread, address_of(number * PER_ROUND + i), 32);
        set_full(&mailboxes[number], true);
        wait_until(&mailboxes[neighbour], true);
        for (unsigned i = 0; i < PER_ROUND; i++)
            remove_at(thread, address_of(neighbour * PER_ROUND + i));
        set_full(&mailboxes[neighbour], false);
    }
    return NULL;
}

static void records_of_objects_freed_by_other_threads_are_reused(void) {
    struct liveobj_counts before = liveobj_threads_counts();
    uint32_t end = liveobj_records_end();
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        pthread_mutex_init(&mailboxes[i].lock, NULL);
        pthread_cond_init(&mailboxes[i].changed, NULL);
    }
    for (uintptr_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, exchange, (void *)i);
    // A concurrent reader must find whole objects.
    for (int pass = 0; pass < 20; pass++) {
        struct liveobj_object object;
        for (uint32_t index = 1; index < end; index++)
            if (liveobj_records_get(index, &object))
                EXPECT(object.bytes == 32 && object.metadata == 0x7f0012345678);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    struct liveobj_counts after = liveobj_threads_counts();
    EXPECT(after.allocations - before.allocations == (uint64_t)THREADS * ROUNDS * PER_ROUND);
    EXPECT(after.deallocations - before.deallocations == (uint64_t)THREADS * ROUNDS * PER_ROUND);
    EXPECT(after.dropped == before.dropped &&
           after.missed_deallocations == before.missed_deallocations);
    EXPECT(live() == 0);
}

// MARK: - Sequence numbers

static void *number_of_another_thread(void *number) {
    *(uint64_t *)number = liveobj_sequence_next(liveobj_thread_attach());
    return NULL;
}

static void a_mark_separates_the_sequence_numbers_of_all_threads(struct liveobj_thread *thread) {
    uint64_t mine = liveobj_sequence_next(thread), theirs;
    pthread_t other;
    uint64_t mark = liveobj_sequence_mark();
    pthread_create(&other, NULL, number_of_another_thread, &theirs);
    pthread_join(other, NULL);
    EXPECT(mine < mark && theirs >= mark);
    EXPECT(liveobj_sequence_next(thread) >= mark);
    EXPECT(liveobj_sequence_mark() > theirs);
}

struct marking {
    uint64_t last_mark; // atomic
    bool stop;          // atomic
};

static void *take_numbers(void *context) {
    struct marking *marking = context;
    struct liveobj_thread *thread = liveobj_thread_attach();
    uintptr_t before_mark = 0;
    while (!LIVEOBJ_LOAD_RELAXED(marking->stop)) {
        uint64_t mark = __atomic_load_n(&marking->last_mark, __ATOMIC_ACQUIRE);
        before_mark += liveobj_sequence_next(thread) < mark;
    }
    return (void *)before_mark;
}

TEST(numbers_that_are_taken_after_a_mark_are_not_below_it) {
    struct marking marking = {0};
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, take_numbers, &marking);
    for (int i = 0; i < 200000; i++)
        __atomic_store_n(&marking.last_mark, liveobj_sequence_mark(), __ATOMIC_RELEASE);
    LIVEOBJ_STORE_RELAXED(marking.stop, true);
    for (int i = 0; i < THREADS; i++) {
        void *before_mark;
        pthread_join(threads[i], &before_mark);
        EXPECT(before_mark == NULL);
    }
}

struct recycling {
    bool stop;
    uint32_t index; // of the record in use; atomic
};

/// One object after another at the same address; all fields of each have the same value.
static void *recycle(void *context) {
    struct recycling *recycling = context;
    struct liveobj_thread *thread = liveobj_thread_attach();
    for (uint32_t n = 1; !LIVEOBJ_LOAD_RELAXED(recycling->stop); n++) {
        liveobj_records_insert(thread, (struct liveobj_object){.address = address_of(7),
                                                               .metadata = UINT64_C(16) * n,
                                                               .bytes = n,
                                                               .sequence = n,
                                                               .stack = n});
        LIVEOBJ_STORE_RELAXED(recycling->index,
                              LIVEOBJ_LOAD_RELAXED(*liveobj_records_slot(address_of(7))));
        remove_at(thread, address_of(7));
    }
    return NULL;
}

TEST(a_concurrent_reader_sees_whole_objects) {
    struct recycling recycling = {false, 0};
    unsigned torn = 0;
    pthread_t recycler;
    struct liveobj_object object;
    pthread_create(&recycler, NULL, recycle, &recycling);
    for (unsigned i = 0; i < 5000000; i++)
        if (liveobj_records_get(LIVEOBJ_LOAD_RELAXED(recycling.index), &object) &&
            object.address == address_of(7))
            torn += object.metadata != 16 * object.bytes || object.sequence != object.bytes ||
                    object.stack != object.bytes;
    LIVEOBJ_STORE_RELAXED(recycling.stop, true);
    pthread_join(recycler, NULL);
    EXPECT(torn == 0);
}

static size_t pages_of_root(void) {
    enum { PAGES = 2048 };
    unsigned char residence[PAGES] = {0}; // of larger pages, fewer are used
    size_t count = 0;
    EXPECT(mincore(liveobj_heap.map.root, (size_t)PAGES * LIVEOBJ_PAGE_BYTES, residence) == 0);
    for (size_t i = 0; i < PAGES; i++)
        count += residence[i] & 1;
    return count;
}

/// Data is full of words that could be addresses.
TEST(lookups_of_arbitrary_words_touch_no_memory) {
    size_t before = pages_of_root();
    uint64_t word = 1;
    for (int i = 0; i < 100000; i++) {
        word = word * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        EXPECT(liveobj_records_near(word >> 17) == 0);
        EXPECT(!liveobj_records_slot_of_word(word >> 17));
    }
    EXPECT(pages_of_root() < before + 64);
}

int main(void) {
    EXPECT(liveobj_threads_start() && liveobj_records_start(LIMIT));
    EXPECT(liveobj_records_next_since(0, 0) == 0);
    struct liveobj_thread *thread = liveobj_thread_attach();
    new_objects_are_found_among_the_records_of_old_ones(thread);
    every_field_of_an_object_is_returned(thread);
    unknown_addresses_have_no_record(thread);
    an_address_that_is_allocated_twice_is_a_missed_deallocation(thread);
    an_address_beyond_user_space_is_dropped(thread);
    a_full_arena_drops_and_counts(thread);
    records_of_objects_freed_by_other_threads_are_reused();
    a_mark_separates_the_sequence_numbers_of_all_threads(thread);
    run_tests();
    return EXPECT_STATUS();
}
