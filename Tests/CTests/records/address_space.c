// Limits of address space (ulimit -v, ulimit -d), also set after the start: the recorder takes a
// small part of what is left, and counts the objects that it drops for that.

#include "os/arena.h"
#include "records/records.h"
#include "records/retain_ledger.h"
#include "records/thread.h"
#include "stacks/stacks.h"
#include "support/expect.h"

#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define MEGABYTE ((size_t)1 << 20)

static size_t address_space_used(void) {
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    EXPECT(file && fscanf(file, "%lu", &pages) == 1);
    fclose(file);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

static bool can_map(size_t bytes) {
    void *start = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start != MAP_FAILED)
        munmap(start, bytes);
    return start != MAP_FAILED;
}

static bool start(void) {
    liveobj_os_read_limits();
    return liveobj_threads_start() && liveobj_records_start(UINT64_C(1) << 27) &&
           liveobj_stack_depot_start(UINT64_C(1) << 32) &&
           liveobj_ledger_start(liveobj_records_limit(), liveobj_records_room(), NULL);
}

static void record_objects(uintptr_t distance, unsigned count) {
    struct liveobj_thread *thread = liveobj_tls_get()->thread;
    if (!thread)
        thread = liveobj_thread_attach();
    for (unsigned i = 1; i <= count; i++)
        liveobj_records_insert(
            thread, (struct liveobj_object){.address = i * distance, .sequence = 1, .metadata = 8});
}

static void limit_to(int resource, size_t bytes) {
    struct rlimit limit = {bytes, RLIM_INFINITY};
    EXPECT(setrlimit(resource, &limit) == 0);
}

/// The recorder takes at most a twentieth of the limit in a program that uses little.
static void only_little_is_reserved(int resource) {
    enum { TWENTIETH = 20 };
    size_t limit = 1024 * MEGABYTE, before = address_space_used();
    limit_to(resource, limit);
    record_objects(64, 1000000);              // close together: records fill up
    record_objects(128 * MEGABYTE + 64, 100); // far apart: the page map does
    EXPECT(liveobj_threads_counts().dropped > 0 && liveobj_os_was_short_of_memory());
    EXPECT(address_space_used() - before < limit / TWENTIETH);
    EXPECT(can_map(limit - limit / TWENTIETH - before));
}

static void nothing_is_reserved_in_advance(void) {
    size_t before = address_space_used();
    EXPECT(start());
    record_objects(64, 1);
    EXPECT(liveobj_threads_counts().dropped == 0 && !liveobj_os_was_short_of_memory());
    EXPECT(address_space_used() - before < 40 * MEGABYTE);
}

static void a_limit_that_is_set_later_is_respected(void) {
    nothing_is_reserved_in_advance();
    only_little_is_reserved(RLIMIT_AS);
}

static void a_limit_from_the_start_is_respected(void) {
    limit_to(RLIMIT_AS, 1024 * MEGABYTE);
    nothing_is_reserved_in_advance();
    only_little_is_reserved(RLIMIT_AS);
}

static void a_data_limit_is_respected(void) {
    nothing_is_reserved_in_advance();
    only_little_is_reserved(RLIMIT_DATA);
}

static void the_recorder_does_not_start_under_a_tight_limit(void) {
    size_t before = address_space_used();
    limit_to(RLIMIT_AS, 300 * MEGABYTE);
    EXPECT(!start());
    EXPECT(address_space_used() - before < 300 * MEGABYTE / 20);
}

static void in_a_child(void (*test)(void)) {
    int status = -1;
    pid_t child = fork();
    if (child == 0) {
        test();
        _exit(EXPECT_STATUS());
    }
    waitpid(child, &status, 0);
    EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(void) {
    in_a_child(a_limit_that_is_set_later_is_respected);
    in_a_child(a_limit_from_the_start_is_respected);
    in_a_child(a_data_limit_is_respected);
    in_a_child(the_recorder_does_not_start_under_a_tight_limit);
    return EXPECT_STATUS();
}
