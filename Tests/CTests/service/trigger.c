// At which growth of a type a capture is written.

#include "service/trigger.h"
#include "support/expect.h"

static const struct liveobj_trigger by_factor = {.factor = 2};
static const struct liveobj_trigger by_intervals = {.intervals = 3};

/// Each test has a type of its own, since the trigger knows all that it has seen.
static uintptr_t next_type = 4096;

/// \returns whether a type with these numbers of objects has grown, for each of them.
static unsigned count_growth(struct liveobj_trigger trigger, const uint64_t *objects,
                             size_t count) {
    uintptr_t metadata = next_type += 64;
    struct liveobj_type types[] = {{0}, {metadata, metadata, LIVEOBJ_TYPE_CLASS}};
    struct liveobj_type_table table = {.types = types, .numbers = {.count = 1}};
    unsigned grown = 0;
    for (size_t i = 0; i < count; i++) {
        struct liveobj_type_count counted[] = {{0}, {objects[i], 0}};
        // A type without objects is not counted.
        struct liveobj_type_counts counts = {.types = counted, .end = objects[i] ? 2 : 1};
        grown += liveobj_trigger_update(trigger, &table, &counts);
    }
    return grown;
}

#define GROWTH(trigger, ...)                                                                       \
    count_growth(trigger, (const uint64_t[]){__VA_ARGS__},                                         \
                 sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

int main(void) {
    EXPECT(GROWTH(by_factor, 200, 399, 300) == 0);
    EXPECT(GROWTH(by_factor, 200, 400, 799) == 1); // then 800 are needed
    EXPECT(GROWTH(by_factor, 200, 400, 800) == 2);
    EXPECT(GROWTH(by_factor, 1, 3, 100) == 0); // fewer than 100 more
    EXPECT(GROWTH(by_factor, 1, 101) == 1);
    EXPECT(GROWTH(by_factor, UINT64_MAX / 2, UINT64_MAX / 2) == 0);
    EXPECT(GROWTH(by_intervals, 100, 200, 300) == 0);
    EXPECT(GROWTH(by_intervals, 100, 200, 300, 400) == 1);
    EXPECT(GROWTH(by_intervals, 100, 200, 150, 300, 400, 390) == 0);
    EXPECT(GROWTH(by_intervals, 100, 101, 102, 103, 104) == 0);    // fewer than 100 more
    EXPECT(GROWTH(by_intervals, 100, 200, 0, 300, 400, 500) == 0); // none in between
    EXPECT(GROWTH((struct liveobj_trigger){0}, 1, 1000, 1000000) == 0);
    return EXPECT_STATUS();
}
