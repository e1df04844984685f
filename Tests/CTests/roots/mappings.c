// Memory that the snapshot process does not have as the program has it is read, or its absence is
// known.

#include "roots/mappings.h"
#include "os/os.h"
#include "records/records.h"
#include "records/thread.h"
#include "roots/roots.h"
#include "snapshot/snapshot_process.h"
#include "support/expect.h"

#include <alloca.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    CLEARED_BY_FORK,
    NOT_FORKED,
    IN_PRIVATE_FILE,
    IN_READ_ONLY_FILE,
    INACCESSIBLE,
    IN_SECRET,
    OBJECTS
};

static uintptr_t objects[OBJECTS]; // inverted, so that the scan does not find them here
static uint32_t found[OBJECTS];    // in the snapshot process, then copied here
static bool has_secrets;

static void make_objects(void) {
    enum { BYTES = 64 };
    for (size_t i = 0; i < OBJECTS; i++) {
        struct liveobj_object object = {.bytes = BYTES, .sequence = 1};
        object.address = (uintptr_t)calloc(1, BYTES);
        objects[i] = ~object.address;
        liveobj_records_insert(liveobj_tls.thread, object);
    }
}

static void *map(size_t bytes, int flags, int file) {
    void *start = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, file, 0);
    EXPECT(start != MAP_FAILED);
    return start;
}

/// \returns a page of a new file of two.
static uintptr_t *map_file(int flags) {
    char path[] = "/var/tmp/liveobjects-mappings-XXXXXX";
    int file = mkstemp(path);
    EXPECT(unlink(path) == 0 && ftruncate(file, 2 * LIVEOBJ_PAGE_BYTES) == 0);
    uintptr_t *page = map(LIVEOBJ_PAGE_BYTES, flags, file);
    close(file);
    return page;
}

/// \returns a page in which the object's address is.
static void *leave(size_t object, uintptr_t *page) {
    page[1] = ~objects[object];
    return page;
}

static void leave_all(void) {
    enum { MEMFD_SECRET = 447, ANONYMOUS = MAP_PRIVATE | MAP_ANONYMOUS };
    size_t page = LIVEOBJ_PAGE_BYTES;
    EXPECT(madvise(leave(CLEARED_BY_FORK, map(page, ANONYMOUS, -1)), page, MADV_WIPEONFORK) == 0);
    EXPECT(madvise(leave(NOT_FORKED, map(page, ANONYMOUS, -1)), page, MADV_DONTFORK) == 0);
    leave(IN_PRIVATE_FILE, map_file(MAP_PRIVATE));
    EXPECT(mprotect(leave(IN_READ_ONLY_FILE, map_file(MAP_PRIVATE)), page, PROT_READ) == 0);
    EXPECT(mprotect(leave(INACCESSIBLE, map(page, ANONYMOUS, -1)), page, PROT_NONE) == 0);
    int secret = (int)syscall(MEMFD_SECRET, 0);
    has_secrets = secret >= 0 && ftruncate(secret, (off_t)page) == 0;
    if (has_secrets)
        leave(IN_SECRET, map(page, MAP_SHARED, secret));
}

/// Overwrites what calls have left there.
__attribute__((noinline)) static void overwrite_stack(void) {
    enum { BYTES = 1 << 16 };
    explicit_bzero(alloca(BYTES), BYTES);
}

static void note_root(void *context, const struct liveobj_root *root) {
    (void)context;
    for (size_t i = 0; i < OBJECTS; i++)
        found[i] += root->target == ~objects[i] && root->kind == LIVEOBJ_ROOT_C_MEMORY;
}

static bool scan(void *context, liveobj_write_fn write, void *destination) {
    static const struct liveobj_task_memory none;
    static const struct liveobj_suspects no_suspects;
    EXPECT(liveobj_roots_place_stacks(context));
    EXPECT(liveobj_roots_scan(context, &none, &no_suspects, note_root, NULL) == 0);
    return write(destination, found, sizeof found);
}

/// \returns what is known not to be read before the snapshot.
static uint32_t find(struct liveobj_roots *roots) {
    static struct liveobj_caller_context entry;
    entry.stack_pointer = (uintptr_t)&roots;
    EXPECT(!liveobj_roots_find(roots, &entry));
    return roots->unread;
}

TEST(each_is_found_once) {
    struct liveobj_roots roots;
    EXPECT(find(&roots) == 0);
    struct liveobj_snapshot child = liveobj_snapshot_run(scan, NULL, &roots, 1 << 20, UINT64_MAX);
    EXPECT(!child.failure && child.count == sizeof found);
    if (child.count == sizeof found)
        memcpy(found, child.bytes, sizeof found);
    liveobj_snapshot_end(&child);
    liveobj_roots_end(&roots);
    for (size_t i = 0; i < OBJECTS; i++)
        EXPECT(found[i] == 1 || (i == IN_SECRET && !has_secrets));
}

static uint32_t unread(void) {
    struct liveobj_roots roots;
    uint32_t unread = find(&roots);
    liveobj_roots_end(&roots);
    return unread;
}

/// Guard pages and reserves of programs, heaps and stacks.
TEST(memory_without_contents_is_not_missed) {
    enum { RESERVED = 1 << 30 };
    char *start = map(RESERVED, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
    EXPECT(mprotect(start, RESERVED / 2, PROT_NONE) == 0);
    EXPECT(madvise(start, RESERVED / 4, MADV_DONTFORK) == 0);
    map_file(MAP_SHARED);
    EXPECT(unread() == 0);
}

enum { MORE_THAN_IS_COPIED = 5 << 20 };

TEST(memory_of_the_recorder_is_not_missed) {
    void *own = liveobj_os_map(MORE_THAN_IS_COPIED);
    memset(own, 1, MORE_THAN_IS_COPIED);
    liveobj_os_set_inherited(own, MORE_THAN_IS_COPIED, false);
    EXPECT(unread() == 0);
    liveobj_os_unmap(own, MORE_THAN_IS_COPIED);
}

TEST(what_is_not_read_is_known) {
    map_file(MAP_SHARED)[1] = 1;
    EXPECT(unread() == LIVEOBJ_UNREAD_FILES);
    char *large = map(MORE_THAN_IS_COPIED, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    memset(large, 1, MORE_THAN_IS_COPIED);
    EXPECT(madvise(large, MORE_THAN_IS_COPIED, MADV_DONTFORK) == 0);
    EXPECT(unread() == (LIVEOBJ_UNREAD_FILES | LIVEOBJ_UNREAD_FORK));
}

int main(void) {
    EXPECT(liveobj_threads_start() && liveobj_records_start(1 << 16));
    EXPECT(liveobj_thread_attach() != NULL);
    make_objects();
    leave_all();
    overwrite_stack();
    run_tests();
    return EXPECT_STATUS();
}
