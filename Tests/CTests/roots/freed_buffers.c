// Raw buffers that C has freed are no objects any more.

#include "roots/freed_buffers.h"
#include "metadata/types.h"
#include "records/records.h"
#include "records/thread.h"
#include "snapshot/snapshot_process.h"
#include "support/expect.h"

#include <stdlib.h>
#include <string.h>

enum {
    IN_USE,
    ALSO_IN_USE,
    LARGE_AND_IN_USE,
    FREED_INTO_A_CACHE, // looks as if it were in use, and not written to yet
    FIRST_FREED,
    FREED_LARGE = FIRST_FREED,
    FREED_WITH_ITS_MAPPING,
    FREED_AND_SPLIT,
    FIRST_OF_TWO, // looks as if it were in use, and extended by realloc
    FREED_INTO_A_LARGER_ONE,
    FREED_AT_THE_END,
    BUFFERS
};

enum { LIMIT = 1 << 16 };
enum { SMALL = 72, MEDIUM = 2000, LARGE = 100 << 10, MAPPED = 1 << 20 };

static const size_t bytes[BUFFERS] = {SMALL,  SMALL,  MAPPED, SMALL,  LARGE,
                                      MAPPED, MEDIUM, MEDIUM, MEDIUM, LARGE};
static void *volatile buffers[BUFFERS]; // volatile: keeps the calls
static bool is_live[BUFFERS];           // in the snapshot process, then copied here

static void make_buffers(void) {
    for (size_t i = 0; i < BUFFERS; i++) {
        buffers[i] = malloc(bytes[i]);
        memset(buffers[i], 1, bytes[i]);
        liveobj_records_insert(liveobj_tls.thread,
                               (struct liveobj_object){.address = (uintptr_t)buffers[i],
                                                       .metadata = LIVEOBJ_METADATA_RAW_BUFFER,
                                                       .bytes = bytes[i],
                                                       .sequence = 1});
        // Behind most is a chunk in use, so that they do not become one when they are freed. The
        // last one becomes a part of what was never allocated.
        void *volatile barrier = i != FIRST_OF_TWO && i + 1 < BUFFERS ? malloc(SMALL) : NULL;
        (void)barrier;
    }
}

/// Leaves a smaller chunk in the place of one buffer, and a larger one around another.
static void free_buffers(void) {
    for (size_t i = FREED_INTO_A_CACHE; i < BUFFERS; i++)
        free(buffers[i]);
    void *volatile smaller = malloc(MEDIUM / 2);
    void *volatile larger = malloc(MEDIUM + MEDIUM / 2);
    EXPECT(larger == buffers[FIRST_OF_TWO] && smaller == buffers[FREED_AND_SPLIT]);
}

static bool forget(void *context, liveobj_write_fn write, void *destination) {
    static uint32_t is_recorded[LIMIT];
    struct liveobj_object object;
    for (uint32_t index = 1; index < liveobj_records_end(); index++)
        is_recorded[index] = liveobj_records_get(index, &object);
    EXPECT(liveobj_roots_place_stacks(context));
    liveobj_freed_buffers_forget(context, is_recorded);
    for (size_t i = 0; i < BUFFERS; i++)
        is_live[i] = liveobj_records_find((uintptr_t)buffers[i], &object);
    return write(destination, is_live, sizeof is_live);
}

static void forget_in_snapshot(void) {
    struct liveobj_roots roots;
    struct liveobj_object object;
    EXPECT(!liveobj_roots_find(&roots, &liveobj_tls.caller));
    struct liveobj_snapshot child = liveobj_snapshot_run(forget, NULL, &roots, 1 << 20, UINT64_MAX);
    EXPECT(!child.failure && child.count == sizeof is_live);
    if (child.count == sizeof is_live)
        memcpy(is_live, child.bytes, sizeof is_live);
    liveobj_snapshot_end(&child);
    liveobj_roots_end(&roots);
    for (size_t i = 0; i < BUFFERS; i++) // the program's own records stay
        EXPECT(liveobj_records_find((uintptr_t)buffers[i], &object));
}

int main(void) {
    EXPECT(liveobj_threads_start() && liveobj_records_start(LIMIT));
    EXPECT(liveobj_thread_attach() != NULL);
    make_buffers();
    forget_in_snapshot();
    for (size_t i = 0; i < BUFFERS; i++)
        EXPECT(is_live[i]);
    free_buffers();
    forget_in_snapshot();
    for (size_t i = 0; i < BUFFERS; i++)
        EXPECT(is_live[i] == (i < FIRST_FREED || i == FIRST_OF_TWO));
    return EXPECT_STATUS();
}
