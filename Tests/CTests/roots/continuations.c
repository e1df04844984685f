// Cached dispatch continuations, found through libdispatch's thread-local data.

#include "CLiveObjects.h"
#include "metadata/address_table.h"
#include "os/os.h"
#include "roots/dispatch_continuations.h"
#include "runtime/image.h"
#include "snapshot/snapshot_process.h"
#include "support/expect.h"

#include <stdlib.h>

enum { MEMBERS = 4, THREAD = 7 };

struct continuation {
    uintptr_t flags;
    uintptr_t count;
    struct continuation *next;
    uintptr_t words[5];
};

static struct continuation *members[MEMBERS];

/// The first has the highest count, the last 1.
static void link_members(void) {
    for (size_t i = 0; i < MEMBERS; i++)
        members[i]->count = MEMBERS - i, members[i]->next = i + 1 < MEMBERS ? members[i + 1] : NULL;
}

static bool count_found(void *caches, liveobj_write_fn write, void *destination) {
    struct liveobj_address_table found = liveobj_continuations_find(caches);
    uint32_t count = 0;
    for (size_t i = 0; i < MEMBERS; i++)
        count += liveobj_address_find(&found, (uintptr_t)members[i]) != 0;
    return count == found.count && write(destination, &count, sizeof count);
}

/// \returns how many of the members are recognised as cached.
static uint32_t cached(uintptr_t thread, const void *head) {
    uintptr_t data[] = {thread, 0, 0, (uintptr_t)head, 0};
    struct liveobj_continuation_caches caches = {.count = 1, .items[0] = {(uintptr_t)data, THREAD}};
    struct liveobj_snapshot child =
        liveobj_snapshot_run(count_found, NULL, &caches, 1 << 20, UINT64_MAX);
    uint32_t count = UINT32_MAX;
    if (!child.failure)
        memcpy(&count, child.bytes, sizeof count);
    liveobj_snapshot_end(&child);
    return count;
}

TEST(every_member_of_a_thread_list_is_cached) {
    link_members();
    EXPECT(cached(THREAD, members[0]) == MEMBERS);
    EXPECT(cached(THREAD, members[MEMBERS - 1]) == 1);
    EXPECT(cached(THREAD, NULL) == 0);
}

TEST(data_of_an_unknown_thread_yields_no_cache) {
    link_members();
    EXPECT(cached(THREAD + 1, members[0]) == 0);
    EXPECT(cached(0, members[0]) == 0);
}

TEST(a_list_with_a_wrong_length_is_rejected) {
    link_members();
    members[1]->next = NULL;
    EXPECT(cached(THREAD, members[0]) == 0);
    link_members();
    members[MEMBERS - 1]->next = members[0];
    EXPECT(cached(THREAD, members[0]) == 0);
    link_members();
    members[MEMBERS - 1]->count = 0;
    EXPECT(cached(THREAD, members[0]) == 0);
}

TEST(a_list_with_a_member_of_another_size_is_rejected) {
    struct continuation *own = members[1];
    members[1] = calloc(4, sizeof *own);
    link_members();
    EXPECT(cached(THREAD, members[0]) == 0);
    free(members[1]);
    members[1] = own;
}

TEST(an_invalid_address_is_rejected) {
    link_members();
    EXPECT(cached(THREAD, (const char *)members[0] + sizeof(uintptr_t)) == 0);
    EXPECT(cached(THREAD, (const void *)LIVEOBJ_PAGE_BYTES) == 0);
    members[2]->next = (void *)LIVEOBJ_PAGE_BYTES;
    EXPECT(cached(THREAD, members[0]) == 0);
}

/// The data has the same offset from the kernel's robust list in each thread.
TEST(only_libdispatch_data_is_read) {
    struct liveobj_continuation_caches caches = {0};
    uintptr_t data[] = {THREAD};
    struct liveobj_image image = {.path = "/lib/libother.so", .thread_locals = (uintptr_t)data};
    liveobj_continuation_caches_take(&caches, &image);
    liveobj_continuation_caches_add(&caches, liveobj_os_thread_id());
    EXPECT(caches.count == 0);
    image.path = "/lib/libdispatch.so";
    liveobj_continuation_caches_take(&caches, &image);
    liveobj_continuation_caches_add(&caches, liveobj_os_thread_id());
    EXPECT(caches.count == 1 && caches.items[0].data == (uintptr_t)data);
}

int main(void) {
    for (size_t i = 0; i < MEMBERS; i++)
        members[i] = calloc(1, sizeof *members[i]);
    run_tests();
    return EXPECT_STATUS();
}
