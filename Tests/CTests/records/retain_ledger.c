// The accounts of retained objects: exact sums, with many call sites, many threads, and no room.

#include "records/retain_ledger.h"
#include "support/expect.h"

#include <pthread.h>

enum { RECORDS = 4096, METADATA = 0x10000 };

struct sums {
    uint64_t retains;
    uint64_t releases;
    uint32_t sites;
    uint32_t rest; // retains without a site
};

static void add(void *context, uint32_t stack, uint32_t retains, uint32_t releases) {
    struct sums *sums = context;
    sums->retains += retains;
    sums->releases += releases;
    sums->sites += stack != 0;
    sums->rest += stack == 0 ? retains : 0;
}

static struct sums sums_of(uint32_t record) {
    struct sums sums = {0};
    liveobj_ledger_visit(record, add, &sums);
    return sums;
}

TEST(a_call_site_has_its_retains_and_releases) {
    liveobj_ledger_allocated(1, METADATA);
    liveobj_ledger_add(1, 7, 1, 0);
    liveobj_ledger_add(1, 8, 0, 3);
    liveobj_ledger_add(1, 7, 2, 0);
    struct sums sums = sums_of(1);
    EXPECT(sums.sites == 2 && sums.retains == 3 && sums.releases == 3 && sums.rest == 0);
}

TEST(a_call_site_is_found_after_newer_ones) {
    enum { SITES = 12 };
    liveobj_ledger_allocated(8, METADATA);
    for (uint32_t i = 0; i < 2 * SITES; i++)
        liveobj_ledger_add(8, 1 + i % SITES, 1, 0);
    struct sums sums = sums_of(8);
    EXPECT(sums.sites == SITES && sums.retains == 2 * SITES);
}

TEST(retains_without_a_stack_trace_are_counted) {
    liveobj_ledger_allocated(2, METADATA);
    liveobj_ledger_add(2, 0, 5, 0);
    struct sums sums = sums_of(2);
    EXPECT(sums.sites == 0 && sums.rest == 5);
}

TEST(a_count_ends_at_its_limit) {
    enum { MORE = 8 };
    liveobj_ledger_allocated(10, METADATA);
    for (uint32_t stack = 0; stack <= 7; stack += 7) {
        liveobj_ledger_add(10, stack, UINT32_MAX - 1, 0);
        liveobj_ledger_add(10, stack, MORE, 0);
    }
    struct sums sums = sums_of(10);
    EXPECT(sums.rest == UINT32_MAX && sums.retains == UINT64_C(2) * UINT32_MAX);
}

TEST(an_account_is_closed_with_its_object) {
    liveobj_ledger_allocated(3, METADATA);
    liveobj_ledger_add(3, 7, 1, 0);
    liveobj_ledger_deallocated(3);
    EXPECT(!liveobj_ledger_has(3) && sums_of(3).sites == 0);
    liveobj_ledger_allocated(3, METADATA);
    EXPECT(liveobj_ledger_has(3) && sums_of(3).sites == 0);
}

TEST(an_account_is_reset_after_a_missed_deallocation) {
    liveobj_ledger_allocated(4, METADATA);
    liveobj_ledger_add(4, 7, 1, 0);
    liveobj_ledger_allocated(4, METADATA);
    EXPECT(sums_of(4).retains == 0);
}

TEST(call_sites_beyond_the_limit_are_counted_together) {
    enum { MANY = 2000 };
    liveobj_ledger_allocated(5, METADATA);
    for (uint32_t stack = 1; stack <= MANY; stack++)
        liveobj_ledger_add(5, stack, 1, 0);
    struct sums sums = sums_of(5);
    EXPECT(sums.retains == MANY && sums.rest > 0 && sums.sites + sums.rest == MANY);
}

static void *retain_and_release(void *number) {
    for (uint32_t i = 0; i < 100000; i++)
        liveobj_ledger_add(6 + i % 2, 1 + (uint32_t)(uintptr_t)number * 10 + i % 10, 1, 1);
    for (uint32_t i = 0; i < 10000; i++) {
        uint32_t own = 256 * (1 + (uint32_t)(uintptr_t)number); // all in one stripe
        liveobj_ledger_allocated(own, METADATA);
        liveobj_ledger_add(own, 1 + i, 1, 0);
        liveobj_ledger_deallocated(own);
    }
    return NULL;
}

TEST(concurrent_retains_are_all_counted) {
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    liveobj_ledger_allocated(6, METADATA);
    liveobj_ledger_allocated(7, METADATA);
    for (uintptr_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, retain_and_release, (void *)i);
    for (uintptr_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (uint32_t record = 6; record <= 7; record++) {
        struct sums sums = sums_of(record);
        EXPECT(sums.retains == 50000 * THREADS && sums.releases == sums.retains);
        EXPECT(sums.sites == 5 * THREADS);
    }
}

enum { SHORT_LIVED = 9 };

static void *allocate_and_free(void *ends) {
    for (uint32_t stack = 1; !__atomic_load_n((bool *)ends, __ATOMIC_RELAXED); stack++) {
        liveobj_ledger_allocated(SHORT_LIVED, METADATA);
        liveobj_ledger_add(SHORT_LIVED, stack, 1, 0);
        liveobj_ledger_deallocated(SHORT_LIVED);
    }
    return NULL;
}

TEST(an_account_may_be_closed_during_a_read) {
    enum { READS = 300000 };
    pthread_t thread;
    bool ends = false;
    pthread_create(&thread, NULL, allocate_and_free, &ends);
    for (uint32_t i = 0; i < READS; i++) {
        EXPECT(sums_of(SHORT_LIVED).retains <= 1);
        liveobj_ledger_add(SHORT_LIVED, 7, 0, 1);
    }
    __atomic_store_n(&ends, true, __ATOMIC_RELAXED);
    pthread_join(thread, NULL);
}

int main(void) {
    EXPECT(liveobj_ledger_start(RECORDS, 0, NULL) && liveobj_ledger_make_room(RECORDS));
    run_tests();
    return EXPECT_STATUS();
}
