// Memory that an old word on the stack leads to, and what is allocated meanwhile.

#include "CLiveObjects.h"
#include "support/expect.h"

#include <stdint.h>
#include <stdlib.h>

enum { OBJECT_BYTES = 24, OTHERS = 3 };

static void no_object_gets_the_address_of_an_old_word(void) {
    // The one that was freed last is handed out first, so the old word's is not.
    void *others[OTHERS];
    volatile uintptr_t old = (uintptr_t)malloc(OBJECT_BYTES);
    for (int i = 0; i < OTHERS; i++)
        others[i] = malloc(OBJECT_BYTES);
    free((void *)old);
    for (int i = 0; i < OTHERS; i++)
        free(others[i]);
    struct liveobj_free_memory *taken = liveobj_free_memory_take();
    for (int i = 0; i <= OTHERS; i++) {
        uintptr_t object = (uintptr_t)malloc(OBJECT_BYTES);
        EXPECT(object && object != old);
    }
    liveobj_free_memory_give_back(taken);
}

/// It would look like a holder itself.
static void what_is_taken_holds_nothing(void) {
    uintptr_t *chunk = malloc(OBJECT_BYTES);
    volatile uintptr_t old = (uintptr_t)chunk;
    chunk[2] = old;
    free(chunk);
    struct liveobj_free_memory *taken = liveobj_free_memory_take();
    EXPECT(((volatile uintptr_t *)old)[2] != old);
    liveobj_free_memory_give_back(taken);
}

int main(void) {
    no_object_gets_the_address_of_an_old_word();
    what_is_taken_holds_nothing();
    return EXPECT_STATUS();
}
