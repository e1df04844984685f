// Freed memory to which a stale pointer on the stack refers, and later allocations.

#include "CLiveObjects.h"
#include "support/expect.h"

#include <stdint.h>
#include <stdlib.h>

enum { OBJECT_BYTES = 24, OTHERS = 3 };

static void no_object_gets_the_address_of_a_stale_pointer(void) {
    // malloc returns the chunk that was freed last, so not that of the stale pointer.
    void *others[OTHERS];
    volatile uintptr_t old = (uintptr_t)malloc(OBJECT_BYTES);
    for (int i = 0; i < OTHERS; i++)
        others[i] = malloc(OBJECT_BYTES);
    free((void *)old);
    for (int i = 0; i < OTHERS; i++)
        free(others[i]);
    struct liveobj_reserved_memory *taken = liveobj_reserved_memory_allocate();
    for (int i = 0; i <= OTHERS; i++) {
        uintptr_t object = (uintptr_t)malloc(OBJECT_BYTES);
        EXPECT(object && object != old);
    }
    liveobj_reserved_memory_free(taken);
}

/// A stale address in taken memory would be found as a root.
static void taken_memory_is_cleared(void) {
    uintptr_t *chunk = malloc(OBJECT_BYTES);
    volatile uintptr_t old = (uintptr_t)chunk;
    chunk[2] = old;
    free(chunk);
    struct liveobj_reserved_memory *taken = liveobj_reserved_memory_allocate();
    EXPECT(((volatile uintptr_t *)old)[2] != old);
    liveobj_reserved_memory_free(taken);
}

int main(void) {
    no_object_gets_the_address_of_a_stale_pointer();
    taken_memory_is_cleared();
    return EXPECT_STATUS();
}
