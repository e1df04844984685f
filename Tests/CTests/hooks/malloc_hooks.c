// Memory that code allocates in all ways of the C library is recorded, and forgotten when it is
// freed. What the program keeps in variables of its own stays as it is.

#include "hooks/hooks.h"
#include "metadata/types.h"
#include "records/records.h"
#include "records/thread.h"
#include "support/expect.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

// A sanitizer's allocator is in the program itself, which calls it without GOT entries.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define UNDER_SANITIZER
#endif
#endif

enum { LIMIT = 1 << 16, BYTES = 1000, ALIGNMENT = 64 };

/// Relocations of the same functions, in memory of the program's.
static void *(*volatile own_malloc)(size_t) = malloc;
static void (*volatile own_free)(void *) = free;

static void never_called(void *memory) {
    (void)memory;
}

/// The bytes that are recorded; 0 without a record.
static uint64_t recorded(const void *memory) {
    struct liveobj_object object;
    bool is_there = liveobj_records_find((uintptr_t)memory, &object);
    EXPECT(!is_there || object.metadata == LIVEOBJ_METADATA_RAW_BUFFER);
    return is_there ? object.bytes : 0;
}

static void is_forgotten(void *memory) {
    uintptr_t address = (uintptr_t)memory;
    free(memory);
    EXPECT(recorded((void *)address) == 0);
}

static void all_ways_are_recorded(void) {
    void *volatile memory = malloc(BYTES);
    EXPECT(recorded(memory) == BYTES);
    uintptr_t before = (uintptr_t)memory;
    memory = realloc(memory, BYTES * BYTES);
    EXPECT(recorded(memory) == (uint64_t)BYTES * BYTES);
    EXPECT((uintptr_t)memory == before || recorded((void *)before) == 0);
    is_forgotten(memory);
    memory = calloc(3, BYTES);
    EXPECT(recorded(memory) == (uint64_t)3 * BYTES);
    is_forgotten(memory);
    memory = aligned_alloc(ALIGNMENT, (size_t)ALIGNMENT * 2);
    EXPECT(recorded(memory) == ALIGNMENT * 2);
    is_forgotten(memory);
    memory = memalign(ALIGNMENT, BYTES);
    EXPECT(recorded(memory) == BYTES);
    is_forgotten(memory);
    void *aligned = NULL;
    EXPECT(posix_memalign(&aligned, ALIGNMENT, BYTES) == 0 && recorded(aligned) == BYTES);
    is_forgotten(aligned);
    memory = strdup("a text that the C library copies");
    EXPECT(recorded(memory) == strlen(memory) + 1);
    is_forgotten(memory);
}

/// The library's own work is no allocation of the program's.
static void own_work_is_not_recorded(void) {
    liveobj_guard_set(liveobj_tls_get());
    void *volatile memory = malloc(BYTES);
    liveobj_guard_clear(liveobj_tls_get());
    EXPECT(recorded(memory) == 0);
    free(memory);
}

/// A program may have set them to another allocator: memory of one must not be freed by the other.
static void variables_stay_as_they_are(void) {
    own_free = never_called;
    liveobj_malloc_hooks_take_new_images();
    EXPECT(own_free == never_called);
    void *memory = own_malloc(BYTES);
    EXPECT(recorded(memory) == 0);
    free(memory);
}

int main(void) {
#ifdef UNDER_SANITIZER
    return EXPECT_SKIPPED;
#endif
    EXPECT(liveobj_threads_start() && liveobj_records_start(LIMIT));
    EXPECT(liveobj_thread_attach() != NULL);
    EXPECT(liveobj_malloc_hooks_install());
    all_ways_are_recorded();
    own_work_is_not_recorded();
    variables_stay_as_they_are();
    return EXPECT_STATUS();
}
