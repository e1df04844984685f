// A fork does not copy the stored traces: the child has none of their memory, and stores its own
// traces under new ids. The snapshot process has them all.

#include "recorder/fork.h"
#include "snapshot/snapshot_process.h"
#include "stacks/stacks.h"
#include "support/stack_testing.h"

#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TRACES = 100000 };

static uint64_t hash_of(uint64_t number) {
    return number * 0x9e3779b97f4a7c15u;
}

/// The ids of the parent, which stores the traces 1 to TRACES.
static uint32_t id_of(uint64_t number) {
    return (uint32_t)(2 * number);
}

static uint32_t insert(uint64_t number) {
    const uintptr_t frames[] = {number, number + 1};
    return liveobj_stack_depot_insert(
        liveobj_stack_depot_round, hash_of(number),
        (struct liveobj_stored_trace){.own_frames = 2, .frames = frames});
}

static uint32_t find(uint64_t number) {
    return liveobj_stack_depot_find(liveobj_stack_depot_round, hash_of(number), 0);
}

static bool is_stored(uint32_t id, uint64_t number) {
    struct liveobj_stored_trace trace = liveobj_stack_depot_get(id);
    return trace.own_frames == 2 && trace.frames[0] == number && trace.frames[1] == number + 1;
}

static void expect_success(pid_t child) {
    int status = -1;
    EXPECT(waitpid(child, &status, 0) == child && status == 0);
}

static void a_child_has_only_its_own_traces(void) {
    pid_t child = fork();
    if (child == 0) {
        EXPECT(bytes_in_memory() < TRACES); // the parent has 56 bytes a trace
        EXPECT(!liveobj_stack_depot_has(id_of(1)) && !liveobj_stack_depot_has(id_of(TRACES)));
        EXPECT(find(1) == 0);
        for (uint64_t number = 1; number <= TRACES; number++)
            EXPECT(insert(number) == id_of(TRACES + number));
        uint32_t id = id_of(TRACES + 1);
        EXPECT(find(1) == id && insert(1) == id);
        EXPECT(liveobj_stack_depot_has(id) && is_stored(id, 1));
        EXPECT(liveobj_stack_depot_renew(id_of(1)) == 0);
        _exit(EXPECT_STATUS());
    }
    expect_success(child);
}

/// A child that no fork handler has prepared.
static void a_child_by_system_call_stores_nothing(void) {
    pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
    if (child == 0) {
        EXPECT(find(1) == 0 && insert(1) == 0 && insert(TRACES + 1) == 0);
        EXPECT(liveobj_stack_depot_dropped() == 2);
        _exit(EXPECT_STATUS());
    }
    expect_success(child);
}

static bool write_traces(void *context, liveobj_write_fn write, void *destination) {
    (void)context;
    bool are_there = true;
    for (uint64_t number = 1; number <= TRACES; number++)
        are_there = are_there && is_stored(id_of(number), number);
    return write(destination, &are_there, sizeof are_there);
}

static void the_snapshot_process_has_all_traces(void) {
    struct liveobj_snapshot snapshot =
        liveobj_snapshot_run(write_traces, NULL, NULL, 1 << 20, UINT64_MAX);
    EXPECT(!snapshot.failure && *(const bool *)snapshot.bytes);
    liveobj_snapshot_end(&snapshot);
}

static void the_parent_keeps_its_traces(void) {
    for (uint64_t number = 1; number <= TRACES; number++)
        EXPECT(find(number) == id_of(number) && is_stored(id_of(number), number));
    EXPECT(bytes_in_memory() > 32 * TRACES);
}

int main(void) {
    liveobj_fork_add_handlers();
    EXPECT(liveobj_stack_depot_start((uint64_t)1 << 30));
    for (uint64_t number = 1; number <= TRACES; number++)
        EXPECT(insert(number) == id_of(number));
    a_child_has_only_its_own_traces();
    a_child_by_system_call_stores_nothing();
    the_snapshot_process_has_all_traces();
    a_child_has_only_its_own_traces(); // after a snapshot, too
    the_parent_keeps_its_traces();
    return EXPECT_STATUS();
}
