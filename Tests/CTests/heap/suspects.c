// Which suspect a word leads to.

#include "heap/suspects.h"
#include "support/expect.h"

enum { COUNT = 5000, STEP = 4096 * 3, BYTES = 64 };
#define FIRST UINT64_C(0x7f0000001010)

static struct liveobj_suspects suspects;

/// In an order that is not that of their addresses.
static void add_suspects(void) {
    for (uint32_t i = 0; i < COUNT; i++) {
        uint32_t number = i * 7 % COUNT + 1;
        uintptr_t start = FIRST + (uintptr_t)number * STEP;
        EXPECT(liveobj_suspects_add(&suspects,
                                    (struct liveobj_suspect){start, start + BYTES, number}));
    }
    liveobj_suspects_sort(&suspects);
}

int main(void) {
    static const uint64_t tag = UINT64_C(0xfffa) << 48;
    EXPECT(liveobj_suspects_find(&suspects, FIRST) == 0);
    add_suspects();
    for (uint32_t number = 1; number <= COUNT; number++) {
        uintptr_t start = FIRST + (uintptr_t)number * STEP;
        EXPECT(liveobj_suspects_find(&suspects, start + BYTES / 2) == number);
        EXPECT(liveobj_suspects_find(&suspects, start + BYTES - 1) == number);
        EXPECT(liveobj_suspects_find(&suspects, start + BYTES / 2 + 3) == number);
        EXPECT(liveobj_suspects_find(&suspects, (start | tag) + 3) == number);
        EXPECT(liveobj_suspects_find(&suspects, (start | tag) + BYTES / 2) == 0); // two numbers
        EXPECT(liveobj_suspects_find(&suspects, start - 8) == 0);
        EXPECT(liveobj_suspects_find(&suspects, start + BYTES) == 0);
    }
    EXPECT(liveobj_suspects_find(&suspects, 0) == 0);
    liveobj_suspects_clear(&suspects);
    EXPECT(liveobj_suspects_find(&suspects, FIRST + STEP) == 0);
    return EXPECT_STATUS();
}
