// System calls: waiting for a word that a forked copy changes, mapped and resident memory, clocks.

#include "os/os.h"
#include "support/expect.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static const uint64_t millisecond = 1000000, second = 1000000000;

// MARK: - Waiting

TEST(a_forked_copy_wakes_a_waiting_thread) {
    uint32_t *word = liveobj_os_map_shared(sizeof *word);
    uint64_t start = liveobj_os_time();
    pid_t process = fork();
    if (process == 0) {
        liveobj_os_sleep(20 * millisecond);
        __atomic_store_n(word, 1, __ATOMIC_RELEASE);
        liveobj_os_wake(word);
        _exit(0);
    }
    while (__atomic_load_n(word, __ATOMIC_ACQUIRE) == 0)
        liveobj_os_wait(word, 0, 60 * second);
    EXPECT(liveobj_os_time() - start < 50 * second);
    EXPECT(waitpid(process, NULL, 0) == process);
    munmap(word, sizeof *word);
}

TEST(a_wait_for_a_changed_word_returns_at_once) {
    uint32_t word = 1;
    uint64_t start = liveobj_os_time();
    liveobj_os_wait(&word, 0, 60 * second);
    EXPECT(liveobj_os_time() - start < 50 * second);
}

TEST(a_wait_times_out) {
    uint32_t word = 0;
    uint64_t start = liveobj_os_time();
    liveobj_os_wait(&word, 0, 5 * millisecond);
    EXPECT(liveobj_os_time() - start >= 5 * millisecond);
}

// MARK: - Memory

#define PAGE liveobj_os_page_bytes()
enum { PAGES = 3000 };

struct seen {
    size_t count;
    struct liveobj_extent items[8];
};

static void note(void *context, struct liveobj_extent extent) {
    struct seen *seen = context;
    if (seen->count < 8)
        seen->items[seen->count] = extent;
    seen->count++;
}

static bool is(struct liveobj_extent extent, uintptr_t start, uintptr_t end) {
    return extent.start == start && extent.end == end;
}

TEST(only_touched_pages_are_resident) {
    char *memory =
        mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uintptr_t start = (uintptr_t)memory;
    struct seen seen = {0};
    madvise(memory, PAGES * PAGE, MADV_NOHUGEPAGE);
    EXPECT(liveobj_os_visit_pages((struct liveobj_extent){start, start + PAGES * PAGE}, false, note,
                                  &seen) == LIVEOBJ_PAGES_VISITED);
    EXPECT(seen.count == 0);
    memory[0] = memory[5 * PAGE] = memory[6 * PAGE] = memory[(PAGES - 1) * PAGE] = 1;
    EXPECT(liveobj_os_visit_pages((struct liveobj_extent){start + 8, start + PAGES * PAGE - 16},
                                  false, note, &seen) == LIVEOBJ_PAGES_VISITED);
    EXPECT(seen.count == 3 && is(seen.items[0], start + 8, start + PAGE));
    EXPECT(is(seen.items[1], start + 5 * PAGE, start + 7 * PAGE));
    EXPECT(is(seen.items[2], start + (PAGES - 1) * PAGE, start + PAGES * PAGE - 16));
    munmap(memory, PAGES * PAGE);
}

/// A thread may unmap memory after it was listed.
TEST(pages_that_were_unmapped_are_not_there) {
    char *memory = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct seen seen = {0};
    uintptr_t start = (uintptr_t)memory;
    memset(memory, 1, 4 * PAGE);
    munmap(memory + PAGE, 2 * PAGE);
    EXPECT(liveobj_os_visit_pages((struct liveobj_extent){start, start + 4 * PAGE}, false, note,
                                  &seen) == LIVEOBJ_PAGES_UNMAPPED);
    EXPECT(seen.count == 2 && is(seen.items[0], start, start + PAGE));
    EXPECT(is(seen.items[1], start + 3 * PAGE, start + 4 * PAGE));
    munmap(memory, 4 * PAGE);
}

TEST(growing_memory_keeps_its_contents) {
    char *small = liveobj_os_map(PAGE);
    memset(small, 7, PAGE);
    char *large = liveobj_os_resize(small, PAGE, 64 * PAGE);
    EXPECT(large && large[0] == 7 && large[PAGE - 1] == 7 && large[PAGE] == 0);
    liveobj_os_unmap(large, 64 * PAGE);
}

/// After `mlockall(MCL_FUTURE)` the kernel fills new mappings at once; the recorder's must stay
/// empty.
TEST(reserved_memory_is_not_filled_if_memory_is_locked) {
    enum { ROOM = 1 << 28 };
    int status = -1;
    pid_t child = fork();
    if (child == 0 && mlockall(MCL_CURRENT | MCL_FUTURE) == 0) {
        char *room = liveobj_os_map(ROOM), *shared = liveobj_os_map_shared(ROOM);
        struct seen seen = {0}, seen_shared = {0};
        uintptr_t start = (uintptr_t)room, start_shared = (uintptr_t)shared;
        room[PAGE] = shared[PAGE] = 1;
        liveobj_os_visit_pages((struct liveobj_extent){start, start + ROOM}, false, note, &seen);
        liveobj_os_visit_pages((struct liveobj_extent){start_shared, start_shared + ROOM}, false,
                               note, &seen_shared);
        EXPECT(seen.count == 1 && seen.items[0].end - seen.items[0].start < ROOM / 2);
        EXPECT(seen_shared.count == 1 &&
               seen_shared.items[0].end - seen_shared.items[0].start < ROOM / 2);
    }
    if (child == 0)
        _exit(EXPECT_STATUS());
    EXPECT(waitpid(child, &status, 0) == child && status == 0);
}

// MARK: - Clocks

TEST(clocks_are_read_without_the_time_stamp_counter) {
#if defined(__x86_64__)
    pid_t process = fork();
    int status = -1;
    if (process == 0) {
        prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0);
        _exit(liveobj_os_time() && liveobj_os_wall_clock() ? 0 : 1);
    }
    EXPECT(waitpid(process, &status, 0) == process && status == 0);
#endif
}
