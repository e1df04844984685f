// Memory of the recorder is not in core files, and empty arenas take no huge pages.

#include "os/os.h"
#include "records/page_map.h"
#include "records/records.h"
#include "records/retain_ledger.h"
#include "records/thread.h"
#include "stacks/stacks.h"
#include "support/expect.h"

#include <inttypes.h>
#include <stdio.h>

enum { MOST = 4096 };

/// The mappings of this process, as the kernel lists them.
static struct {
    uintptr_t start, end;
    bool is_left_out, has_no_huge_pages;
} mappings[MOST];
static unsigned count;

static void read_mappings(void) {
    char line[512];
    uintptr_t start, end;
    FILE *file = fopen("/proc/self/smaps", "r");
    count = 0;
    while (file && fgets(line, sizeof line, file)) {
        if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " ", &start, &end) == 2 && count < MOST)
            mappings[count].start = start, mappings[count++].end = end;
        if (count > 0 && strncmp(line, "VmFlags:", 8) == 0) {
            mappings[count - 1].is_left_out = strstr(line, " dd") != NULL;
            mappings[count - 1].has_no_huge_pages = strstr(line, " nh") != NULL;
        }
    }
    if (file)
        fclose(file);
}

static unsigned has_that_extent(uintptr_t start, uintptr_t end, bool has_no_huge_pages) {
    unsigned found = 0;
    for (unsigned i = 0; i < count; i++)
        if (mappings[i].start < end && mappings[i].end > start) {
            found++;
            EXPECT(mappings[i].is_left_out);
            EXPECT(!has_no_huge_pages || mappings[i].has_no_huge_pages);
        }
    return found;
}

static void expect_left_out(void *visited, uintptr_t start, uintptr_t end) {
    ++*(unsigned *)visited;
    EXPECT(has_that_extent(start, end, false) > 0);
}

static void record_objects(void) {
    enum { OBJECTS = 300000 };
    struct liveobj_thread *thread = liveobj_thread_attach();
    for (uintptr_t i = 1; i <= OBJECTS; i++)
        liveobj_records_insert(
            thread, (struct liveobj_object){.address = i * 64, .sequence = 1, .metadata = 8});
}

int main(void) {
    unsigned visited = 0;
    EXPECT(liveobj_threads_start() && liveobj_records_start(1 << 27));
    EXPECT(liveobj_stack_depot_start(UINT64_C(1) << 32));
    EXPECT(liveobj_ledger_start(liveobj_records_limit(), liveobj_records_room(), NULL));
    record_objects();
    char *shared = liveobj_os_map_shared(1 << 20);
    char *grown = liveobj_os_resize(liveobj_os_map(1 << 16), 1 << 16, 1 << 23);
    EXPECT(shared && grown);
    read_mappings();
    liveobj_os_visit_mappings(expect_left_out, &visited);
    EXPECT(visited > 5);
    EXPECT(has_that_extent((uintptr_t)shared, (uintptr_t)shared + (1 << 20), false) > 0);
    uintptr_t root = (uintptr_t)liveobj_heap.map.root;
    EXPECT(has_that_extent(root, root + 1, true) == 1);
    uintptr_t leaf = (uintptr_t)liveobj_heap.map.root[0];
    EXPECT(has_that_extent(leaf, leaf + LIVEOBJ_LEAF_BYTES, true) > 0);
    return EXPECT_STATUS();
}
