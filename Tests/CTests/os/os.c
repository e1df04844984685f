// What the recorder asks of the system: waiting for a word that a copy of the process changes, and
// which memory there is.

#define _GNU_SOURCE
#include "os/os.h"
#include "support/expect.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static const uint64_t millisecond = 1000000, second = 1000000000;

// MARK: - Waiting

static void a_copy_of_the_process_wakes_who_waits(void) {
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

static void nobody_waits_for_what_has_happened(void) {
    uint32_t word = 1;
    uint64_t start = liveobj_os_time();
    liveobj_os_wait(&word, 0, 60 * second);
    EXPECT(liveobj_os_time() - start < 50 * second);
}

static void the_wait_ends_by_itself(void) {
    uint32_t word = 0;
    uint64_t start = liveobj_os_time();
    liveobj_os_wait(&word, 0, 5 * millisecond);
    EXPECT(liveobj_os_time() - start >= 5 * millisecond);
}

// MARK: - Memory

enum { PAGE = LIVEOBJ_PAGE_BYTES, PAGES = 3000 };

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

static void only_pages_that_were_touched_are_in_memory(void) {
    char *memory =
        mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uintptr_t start = (uintptr_t)memory;
    struct seen seen = {0};
    madvise(memory, PAGES * PAGE, MADV_NOHUGEPAGE);
    EXPECT(liveobj_os_visit_resident((struct liveobj_extent){start, start + PAGES * PAGE}, note,
                                     &seen));
    EXPECT(seen.count == 0);
    memory[0] = memory[5 * PAGE] = memory[6 * PAGE] = memory[(PAGES - 1) * PAGE] = 1;
    EXPECT(liveobj_os_visit_resident((struct liveobj_extent){start + 8, start + PAGES * PAGE - 16},
                                     note, &seen));
    EXPECT(seen.count == 3 && is(seen.items[0], start + 8, start + PAGE));
    EXPECT(is(seen.items[1], start + 5 * PAGE, start + 7 * PAGE));
    EXPECT(is(seen.items[2], start + (PAGES - 1) * PAGE, start + PAGES * PAGE - 16));
    munmap(memory, PAGES * PAGE);
}

static void of_what_is_no_memory_the_system_does_not_tell(void) {
    char *memory = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct seen seen = {0};
    uintptr_t start = (uintptr_t)memory;
    munmap(memory, PAGE);
    EXPECT(!liveobj_os_visit_resident((struct liveobj_extent){start, start + PAGE}, note, &seen));
    EXPECT(seen.count == 0);
}

static void memory_that_grows_keeps_what_is_in_it(void) {
    char *small = liveobj_os_map(PAGE);
    memset(small, 7, PAGE);
    char *large = liveobj_os_resize(small, PAGE, 64 * PAGE);
    EXPECT(large && large[0] == 7 && large[PAGE - 1] == 7 && large[PAGE] == 0);
    liveobj_os_unmap(large, 64 * PAGE);
}

/// A program that locks all of its memory, also that which is to come, has room filled at once.
static void room_is_not_filled_where_memory_is_locked(void) {
    enum { ROOM = 1 << 28 };
    int status = -1;
    pid_t child = fork();
    if (child == 0 && mlockall(MCL_CURRENT | MCL_FUTURE) == 0) {
        char *room = liveobj_os_map(ROOM), *shared = liveobj_os_map_shared(ROOM);
        struct seen seen = {0}, seen_shared = {0};
        uintptr_t start = (uintptr_t)room, start_shared = (uintptr_t)shared;
        room[PAGE] = shared[PAGE] = 1;
        liveobj_os_visit_resident((struct liveobj_extent){start, start + ROOM}, note, &seen);
        liveobj_os_visit_resident((struct liveobj_extent){start_shared, start_shared + ROOM}, note,
                                  &seen_shared);
        EXPECT(seen.count == 1 && seen.items[0].end - seen.items[0].start < ROOM / 2);
        EXPECT(seen_shared.count == 1 &&
               seen_shared.items[0].end - seen_shared.items[0].start < ROOM / 2);
    }
    if (child == 0)
        _exit(EXPECT_STATUS());
    EXPECT(waitpid(child, &status, 0) == child && status == 0);
}

// MARK: - Clocks

static void clocks_are_read_where_the_processors_counter_is_forbidden(void) {
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

int main(void) {
    a_copy_of_the_process_wakes_who_waits();
    nobody_waits_for_what_has_happened();
    the_wait_ends_by_itself();
    only_pages_that_were_touched_are_in_memory();
    of_what_is_no_memory_the_system_does_not_tell();
    memory_that_grows_keeps_what_is_in_it();
    room_is_not_filled_where_memory_is_locked();
    clocks_are_read_where_the_processors_counter_is_forbidden();
    return EXPECT_STATUS();
}
