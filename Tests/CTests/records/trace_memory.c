// Ever new stack traces of dead objects take bounded memory, without a budget too.

#include "os/arena.h"
#include "records/records.h"
#include "records/thread.h"
#include "records/trace_collection.h"
#include "stacks/stacks.h"
#include "support/stack_testing.h"

enum { TRACES = 1000000, FRAMES = 50, BYTES = FRAMES * 8, MEGABYTE = 1 << 20 };

/// The object of the trace dies at once.
static void store(struct liveobj_thread *thread, uint64_t number) {
    uintptr_t frames[FRAMES];
    for (size_t i = 0; i < FRAMES; i++)
        frames[i] = number + i;
    liveobj_traces_begin(thread);
    liveobj_stack_depot_insert(
        liveobj_stack_depot_round, number * 0x9e3779b97f4a7c15u,
        (struct liveobj_stored_trace){.own_frames = FRAMES, .frames = frames});
    liveobj_traces_end(thread);
    liveobj_traces_advance_if_due();
}

int main(void) {
    uint64_t most = 0;
    EXPECT(liveobj_threads_start() && liveobj_records_start(1 << 16));
    EXPECT(liveobj_stack_depot_start((uint64_t)1 << 30));
    struct liveobj_thread *thread = liveobj_thread_attach();
    for (uint64_t number = 1; number <= TRACES; number++) {
        store(thread, number);
        uint64_t bytes = number % 10000 ? 0 : bytes_in_memory();
        most = bytes > most ? bytes : most;
    }
    EXPECT(liveobj_stack_depot_dropped() == 0);
    EXPECT(most > 4 * MEGABYTE && most < (uint64_t)TRACES * BYTES / 4);
    return EXPECT_STATUS();
}
