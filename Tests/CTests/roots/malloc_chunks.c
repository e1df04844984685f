// Heaps of glibc's malloc in the forms that they have in programs with threads.

#include "roots/malloc_chunks.h"
#include "CLiveObjects.h"
#include "os/os.h"
#include "snapshot/snapshot_process.h"
#include "support/expect.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { HEAP_BYTES = 64 << 20, BLOCK = 100 << 10, BLOCKS = 200, MANY_BLOCKS = 1200 };

/// The readable memory around an address, of one mapping or several.
struct search {
    uintptr_t address;
    struct liveobj_extent found;
};

static bool is_within(struct liveobj_extent memory, uintptr_t address) {
    return address - memory.start < memory.end - memory.start;
}

/// \returns false behind the memory.
static bool take_mapping(void *context, const char *line) {
    struct search *search = context;
    struct liveobj_extent mapping;
    mapping.start = liveobj_os_take_hexadecimal(&line);
    line++;
    mapping.end = liveobj_os_take_hexadecimal(&line);
    bool is_behind = is_within(search->found, search->address), is_readable = line[1] == 'r';
    if (is_readable && mapping.start == search->found.end)
        search->found.end = mapping.end;
    else if (!is_behind)
        search->found = is_readable ? mapping : (struct liveobj_extent){0, 0};
    else
        return false;
    return true;
}

static struct liveobj_extent mapping_of(const void *memory) {
    struct search search = {(uintptr_t)memory, {0, 0}};
    liveobj_os_visit_lines("/proc/thread-self/maps", take_mapping, &search);
    EXPECT(is_within(search.found, search.address));
    return search.found;
}

static bool has_chunk(const struct liveobj_chunks *chunks, const void *memory) {
    uintptr_t bytes;
    for (uintptr_t chunk = chunks->first; (bytes = liveobj_chunk_bytes(chunks, chunk)) > 0;
         chunk += bytes)
        if (liveobj_chunk_content(chunk) == (uintptr_t)memory)
            return true;
    return false;
}

/// Memory in a mapping, and how it is found there.
struct reading {
    struct liveobj_extent mapping;
    const void *memory;
    uint32_t heaps;
    bool is_found;
};

/// Searches the mapping from one heap to the next.
static bool read_heaps(void *context, liveobj_write_fn write, void *destination) {
    struct reading reading = *(const struct reading *)context;
    struct liveobj_chunks chunks;
    uintptr_t start = reading.mapping.start, end = reading.mapping.end;
    while (start < end) {
        bool is_heap = liveobj_chunks_find(start, end, &chunks, NULL, NULL);
        reading.heaps += is_heap;
        reading.is_found |= is_heap && has_chunk(&chunks, reading.memory);
        start = is_heap ? chunks.end : liveobj_chunks_next_heap(start, end);
    }
    return write(destination, &reading, sizeof reading);
}

/// Heaps are read in the snapshot process.
static struct reading read_mapping_of(const void *memory) {
    struct reading reading = {mapping_of(memory), memory, 0, false};
    struct liveobj_snapshot snapshot =
        liveobj_snapshot_run(read_heaps, NULL, &reading, 1 << 20, UINT64_MAX);
    EXPECT_STRING(snapshot.failure ? snapshot.failure : "", "");
    if (!snapshot.failure)
        memcpy(&reading, snapshot.bytes, sizeof reading);
    liveobj_snapshot_end(&snapshot);
    return reading;
}

static void *blocks[MANY_BLOCKS];

static void allocate_many(size_t count) {
    for (size_t i = 0; i < count; i++)
        memset(blocks[i] = malloc(BLOCK), 1, BLOCK);
}

static void free_many(size_t count) {
    for (size_t i = 0; i < count; i++)
        free(blocks[i]);
}

// A heap that shrinks keeps its mapping: malloc only gives the pages back.
static void *check_heap_that_shrank(void *context) {
    void *memory = malloc(40);
    allocate_many(BLOCKS);
    free_many(BLOCKS);
    EXPECT(read_mapping_of(memory).is_found);
    free(memory);
    return context;
}

/// Reads `memory`, the first block of a heap, with other memory before the heap.
/// \returns whether the system has united the two.
static bool read_heap_behind_other_memory(const void *memory, int flags, int advice) {
    enum { OTHER_BYTES = 1 << 20 };
    uintptr_t before = (uintptr_t)memory / HEAP_BYTES * HEAP_BYTES - OTHER_BYTES;
    void *other = mmap((void *)before, OTHER_BYTES, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE | flags, -1, 0);
    EXPECT((uintptr_t)other == before);
    madvise(other, OTHER_BYTES, advice);
    struct reading reading = read_mapping_of(memory);
    EXPECT(reading.is_found && reading.heaps == 1);
    munmap(other, OTHER_BYTES);
    return reading.mapping.start <= before;
}

// The system unites memory of the same kind: older versions of glibc reserve none for heaps, and
// glibc 2.43 asks for huge pages on aarch64.
static void *check_heap_behind_other_memory(void *context) {
    void *memory = malloc(40);
    bool was_united = read_heap_behind_other_memory(memory, MAP_NORESERVE, MADV_NORMAL);
    was_united |= read_heap_behind_other_memory(memory, 0, MADV_NORMAL);
    was_united |= read_heap_behind_other_memory(memory, 0, MADV_HUGEPAGE);
    was_united |= read_heap_behind_other_memory(memory, MAP_NORESERVE, MADV_HUGEPAGE);
    EXPECT(was_united);
    free(memory);
    return context;
}

static void *check_full_heap(void *context) {
    void *memory = malloc(40);
    allocate_many(MANY_BLOCKS);
    const void *last = blocks[MANY_BLOCKS - 1];
    EXPECT((uintptr_t)memory / HEAP_BYTES != (uintptr_t)last / HEAP_BYTES);
    EXPECT(read_mapping_of(memory).is_found);
    EXPECT(read_mapping_of(last).is_found);
    free_many(MANY_BLOCKS);
    free(memory);
    return context;
}

/// Runs in a thread, because the main thread's heap has another form.
static void run(void *(*check)(void *)) {
    pthread_t thread;
    pthread_create(&thread, NULL, check, NULL);
    pthread_join(thread, NULL);
}

int main(void) {
    run(check_heap_that_shrank);
    run(check_heap_behind_other_memory);
    run(check_full_heap);
    return EXPECT_STATUS();
}
