// Under a limit of address space (ulimit -v) most of what is left stays the program's.

#define _GNU_SOURCE
#include "internal.h"
#include "records.h"
#include "stack_depot.h"
#include "support/expect.h"

#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
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
    void *start = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start != MAP_FAILED)
        munmap(start, bytes);
    return start != MAP_FAILED;
}

int main(void) {
    size_t left = 1024 * MEGABYTE;
    struct rlimit limit = {address_space_used() + left, RLIM_INFINITY};
    EXPECT(liveobj_os_reserve_limit() == UINT64_MAX);
    EXPECT(setrlimit(RLIMIT_AS, &limit) == 0);
    EXPECT(liveobj_threads_start() && liveobj_records_start(UINT64_C(1) << 27));
    EXPECT(liveobj_stack_depot_start(UINT64_C(1) << 32));
    EXPECT(can_map(left / 8 * 5));
    struct liveobj_thread *thread = liveobj_thread_attach();
    liveobj_records_insert(thread, (struct liveobj_object){.address = 0x10000000, .sequence = 1});
    EXPECT(liveobj_threads_counts().dropped == 0);
    return EXPECT_STATUS();
}
