// The memory that an array's storage may use, where the system's pages are large.

#include "layout/storage.h"
#include "support/expect.h"

#include <malloc.h>
#include <stdlib.h>

/// The C library gives a large block pages of its own, and all of the last one is the block's. It
/// does so once its heap is used up.
static void an_array_may_use_the_rest_of_its_last_page(void) {
    enum { LARGE = 5000, MORE_THAN_THE_HEAP = 100 };
    EXPECT(mallopt(M_MMAP_THRESHOLD, LARGE) == 1);
    char *block = NULL;
    for (int i = 0; i < MORE_THAN_THE_HEAP; i++) {
        block = malloc(LARGE);
        EXPECT(malloc_usable_size(block) <= liveobj_array_room(LARGE));
    }
    // Since glibc 2.43 without the last word.
    uintptr_t end = liveobj_round_up((uintptr_t)block + malloc_usable_size(block), 16);
    EXPECT(end % liveobj_os_page_bytes() == 0);
}

int main(void) {
    an_array_may_use_the_rest_of_its_last_page();
    return EXPECT_STATUS();
}
