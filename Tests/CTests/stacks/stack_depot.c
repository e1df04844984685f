// The depot keeps each trace once, gives dense ids (even ones in the first round), and shares
// frames between traces.

#include "stacks/stacks.h"
#include "support/stack_testing.h"

#include <pthread.h>
#include <string.h>

static struct liveobj_stored_trace alone(const uintptr_t *frames, uint32_t count) {
    return (struct liveobj_stored_trace){.own_frames = count, .frames = frames};
}

static uint32_t intern(uint64_t hash, struct liveobj_stored_trace trace) {
    uint32_t id = liveobj_stack_depot_find(0, hash, 0);
    return id ? id : liveobj_stack_depot_insert(0, hash, trace);
}

TEST(a_trace_is_stored_once) {
    const uintptr_t frames[] = {0x30, 0x20, 0x10};
    EXPECT(liveobj_stack_depot_find(0, 1, 0) == 0);
    uint32_t id = intern(1, alone(frames, 3));
    EXPECT(id == 2);
    EXPECT(intern(1, alone(frames, 3)) == id);
    EXPECT(liveobj_stack_depot_insert(0, 1, alone(frames, 3)) == id);
    EXPECT(liveobj_stack_depot_last() == 2);
}

TEST(a_trace_continues_in_its_parent) {
    const uintptr_t own[] = {0x50, 0x40};
    uintptr_t all[MAX_FRAMES];
    // Given a trace that shares the two outermost frames of the first
    uint32_t id = intern(2, (struct liveobj_stored_trace){
                                .parent = 2, .parent_frames = 2, .own_frames = 2, .frames = own});
    const uintptr_t expected[] = {0x50, 0x40, 0x20, 0x10};
    EXPECT(expand(id, all) == 4);
    EXPECT(memcmp(all, expected, sizeof expected) == 0);
}

TEST(parents_without_shared_frames_are_skipped) {
    const uintptr_t own[] = {0x60};
    uintptr_t all[MAX_FRAMES];
    // Given a trace that shares with the second only what that shares with the first
    uint32_t id = intern(3, (struct liveobj_stored_trace){
                                .parent = 4, .parent_frames = 1, .own_frames = 1, .frames = own});
    const uintptr_t expected[] = {0x60, 0x10};
    EXPECT(liveobj_stack_depot_get(id).parent == 2);
    EXPECT(expand(id, all) == 2);
    EXPECT(memcmp(all, expected, sizeof expected) == 0);
}

TEST(a_hint_never_changes_the_result) {
    for (uint64_t hash = 1; hash <= 3; hash++)
        for (uint32_t previous = 0; previous <= 8; previous += 2)
            EXPECT(liveobj_stack_depot_find(0, hash, previous) == 2 * hash);
    EXPECT(liveobj_stack_depot_find(0, 99, 2) == 0);
}

// MARK: - Many threads

#define THREADS 8
#define TRACES 20000

static uint64_t hash_of(uint64_t number) {
    return (number + 1000) * 0x9e3779b97f4a7c15u;
}

static void *intern_all(void *ids_of_thread) {
    uint32_t *ids = ids_of_thread;
    for (uint64_t i = 0; i < TRACES; i++) {
        uintptr_t frames[] = {i, i + 1, i + 2};
        ids[i] = intern(hash_of(i), alone(frames, 3));
    }
    return NULL;
}

TEST(threads_agree_on_ids) {
    static uint32_t ids[THREADS][TRACES];
    pthread_t threads[THREADS];
    uint32_t before = liveobj_stack_depot_last();
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, intern_all, ids[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    EXPECT(liveobj_stack_depot_last() == before + 2 * TRACES);
    for (int i = 1; i < THREADS; i++)
        EXPECT(memcmp(ids[i], ids[0], sizeof ids[0]) == 0);
    for (uint64_t i = 0; i < TRACES; i++)
        EXPECT(liveobj_stack_depot_get(ids[0][i]).frames[2] == i + 2);
    EXPECT(liveobj_stack_depot_dropped() == 0);
}

int main(void) {
    if (!liveobj_stack_depot_start((uint64_t)64 << 20))
        return 1;
    run_tests();
    return EXPECT_STATUS();
}
