// Labels: each has one id, and nested fields have joined paths.

#include "metadata/labels.h"
#include "support/expect.h"

#include <stdbool.h>

static uint32_t property(const char *text) {
    return liveobj_label_make(LIVEOBJ_LABEL_PROPERTY, LIVEOBJ_OWNERSHIP_STRONG, text);
}

TEST(label_zero_means_conservative_memory) {
    EXPECT(liveobj_labels_end() == 1);
    EXPECT(liveobj_label_get(0).kind == LIVEOBJ_LABEL_MEMORY);
    EXPECT(liveobj_label_get(7).ownership == LIVEOBJ_OWNERSHIP_CONSERVATIVE);
}

TEST(equal_labels_have_one_id) {
    uint32_t first = property("owner"), end = liveobj_labels_end();
    EXPECT(first == 1 && end == 2 && property("owner") == first && liveobj_labels_end() == end);
    uint32_t weak = liveobj_label_with(first, LIVEOBJ_OWNERSHIP_WEAK);
    EXPECT(weak != first && liveobj_label_with(weak, LIVEOBJ_OWNERSHIP_STRONG) == first);
    EXPECT(property("own") != first && property("owners") != first);
}

/// Without a text, only the kind and the ownership distinguish them.
TEST(every_kind_and_ownership_has_a_label) {
    enum { KINDS = LIVEOBJ_LABEL_RUNTIME_FRAME, OWNERSHIPS = LIVEOBJ_OWNERSHIP_CONSERVATIVE };
    bool is_used[1 << 10] = {false};
    for (int i = 0; i < KINDS * OWNERSHIPS; i++) {
        uint32_t id = liveobj_label_make(1 + i / OWNERSHIPS, 1 + i % OWNERSHIPS, "");
        EXPECT(id > 0 && id < sizeof is_used && !is_used[id]);
        is_used[id] = true;
    }
}

TEST(a_nested_field_has_the_joined_path) {
    uint32_t inner = liveobj_label_with(property("b"), LIVEOBJ_OWNERSHIP_UNOWNED);
    uint32_t element = liveobj_label_make(LIVEOBJ_LABEL_ELEMENT, LIVEOBJ_OWNERSHIP_STRONG, "a");
    struct liveobj_label joined = liveobj_label_get(liveobj_label_join(element, inner));
    EXPECT(joined.kind == LIVEOBJ_LABEL_ELEMENT && joined.ownership == LIVEOBJ_OWNERSHIP_UNOWNED);
    EXPECT_STRING(joined.text, "a.b");
}

TEST(an_empty_path_adds_nothing) {
    uint32_t empty = property(""), named = property("name");
    EXPECT(liveobj_label_join(empty, named) == named && liveobj_label_join(named, empty) == named);
    EXPECT(liveobj_label_join(0, named) == 0 && liveobj_label_join(named, 0) == 0);
}

TEST(endless_paths_are_truncated) {
    uint32_t path = property("next"), longest = path;
    for (int depth = 0; depth < 2000; depth++)
        longest = liveobj_label_join(longest, path);
    size_t length = strlen(liveobj_label_get(longest).text);
    EXPECT(length > 100 && length < 2000 && liveobj_label_join(longest, path) == longest);
}

TEST(many_labels_keep_their_texts) {
    enum { MANY = 5000 };
    uint32_t first = 0;
    char text[16];
    for (int i = 0; i < MANY; i++) {
        snprintf(text, sizeof text, "p%d", i);
        uint32_t id = property(text);
        first = i ? first : id;
        EXPECT(id == first + (uint32_t)i);
    }
    EXPECT_STRING(liveobj_label_get(first + MANY - 1).text, "p4999");
    EXPECT(property("p0") == first);
}
