// Memory that a program has reserved and never touched is not read.

#include "heap/object_words.h"
#include "heap/references.h"
#include "support/expect.h"

#include <sys/mman.h>

enum { BYTES = 1 << 30, TOUCHED = 600 << 20 };

static char *reserve(void) {
    char *memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    EXPECT(madvise(memory, BYTES, MADV_NOHUGEPAGE) == 0);
    return memory;
}

static void count(void *number, struct liveobj_extent extent) {
    *(size_t *)number += (extent.end - extent.start) / liveobj_os_page_bytes();
}

static size_t resident_pages(const char *memory) {
    struct liveobj_extent extent = {(uintptr_t)memory, (uintptr_t)memory + BYTES};
    size_t pages = 0;
    EXPECT(liveobj_os_visit_pages(extent, false, count, &pages) == LIVEOBJ_PAGES_VISITED);
    return pages;
}

static void note_target(void *targets, const struct liveobj_reference *reference) {
    uintptr_t *next = targets;
    while (*next)
        next++;
    *next = reference->target;
}

static void words_of_pages_that_were_written_are_visited(void) {
    static _Alignas(16) char objects[2][16];
    uintptr_t targets[4] = {0};
    char *memory = reserve();
    *(void **)memory = objects[0];
    *(void **)(memory + TOUCHED + 800) = objects[1];
    liveobj_references_scan((uintptr_t)memory, (uintptr_t)memory + BYTES, 0, note_target, targets);
    EXPECT(targets[0] == (uintptr_t)objects[0] && targets[1] == (uintptr_t)objects[1]);
    EXPECT(targets[2] == 0);
    EXPECT(resident_pages(memory) == 2);
    munmap(memory, BYTES);
}

/// Keys of 16 bytes in the second half of the memory, after a bitmap.
static struct liveobj_words table_in(char *memory) {
    enum { STRIDE = 16, AT_BITMAP = 64 };
    uintptr_t start = (uintptr_t)memory, keys = start + BYTES / 2;
    return (struct liveobj_words){.next = keys,
                                  .end = start + BYTES,
                                  .keys = {keys, start + BYTES, STRIDE},
                                  .bitmap = start + AT_BITMAP};
}

static void take(const struct liveobj_words *words, size_t bucket, uintptr_t key) {
    uint64_t *bitmap = (uint64_t *)words->bitmap;
    bitmap[bucket / 64] |= UINT64_C(1) << bucket % 64;
    ((uintptr_t *)words->keys.first)[2 * bucket + 1] = key;
}

static void keys_of_free_buckets_are_not_read(void) {
    enum { TAKEN = 100, FAR = 33000001, LAST = BYTES / 32 - 1 };
    static const uintptr_t expected[] = {0, TAKEN, 0, FAR, 0, LAST};
    char *memory = reserve();
    struct liveobj_words words = table_in(memory);
    struct liveobj_reader reader;
    uintptr_t word;
    size_t found = 0;
    liveobj_reader_start(&reader);
    reader.direct = true;
    take(&words, TAKEN, TAKEN);
    take(&words, FAR, FAR);
    take(&words, LAST, LAST);
    ((uintptr_t *)words.keys.first)[2 * (TAKEN + 1)] = TAKEN; // left over in a free bucket
    size_t pages = resident_pages(memory);
    while (liveobj_words_next(&words, &reader, &word) && found < 6)
        found += word == expected[found] ? 1 : 100;
    EXPECT(found == 6);
    EXPECT(words.next > words.end);
    size_t pages_of_bitmap = BYTES / 32 / 8 / liveobj_os_page_bytes() + 1;
    EXPECT(resident_pages(memory) <= pages + pages_of_bitmap);
    munmap(memory, BYTES);
}

int main(void) {
    words_of_pages_that_were_written_are_visited();
    keys_of_free_buckets_are_not_read();
    return EXPECT_STATUS();
}
