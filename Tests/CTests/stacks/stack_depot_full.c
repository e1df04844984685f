// A full depot drops new traces, counts them, and still finds the old ones.

#include "stacks/stacks.h"
#include "support/stack_testing.h"

#define LIMIT ((uint64_t)100000)

static uint32_t insert(uint64_t number) {
    const uintptr_t frames[] = {number, number + 1};
    return liveobj_stack_depot_insert(
        0, number * 0x9e3779b97f4a7c15u,
        (struct liveobj_stored_trace){.own_frames = 2, .frames = frames});
}

int main(void) {
    if (!liveobj_stack_depot_start(2 * LIMIT))
        return 1;
    uint64_t stored = 0;
    while (insert(stored + 1))
        stored++;
    EXPECT(stored > LIMIT / 100); // at most 24 bytes of index, 16 of frames, and slots a trace
    EXPECT(stored < LIMIT / 40);
    EXPECT(liveobj_stack_depot_dropped() == 1);
    EXPECT(insert(stored + 2) == 0);
    EXPECT(liveobj_stack_depot_dropped() == 2);
    for (uint64_t number = 1; number <= stored; number++) {
        EXPECT(insert(number) == 2 * number);
        EXPECT(liveobj_stack_depot_get((uint32_t)(2 * number)).frames[1] == number + 1);
    }
    EXPECT(liveobj_stack_depot_last() == 2 * stored);
    return EXPECT_STATUS();
}
