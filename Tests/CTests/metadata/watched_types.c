// Patterns for the names of types.

#include "metadata/watched_types.h"
#include "support/expect.h"

static const struct liveobj_name_parts cache = {{"Cache", "Outer", "Demo"}, 3};

static void a_pattern_matches_a_whole_name(void) {
    EXPECT(liveobj_name_matches(&cache, "Demo.Outer.Cache"));
    EXPECT(!liveobj_name_matches(&cache, "Demo.Outer.Cach"));
    EXPECT(!liveobj_name_matches(&cache, "Demo.Outer.Caches"));
    EXPECT(!liveobj_name_matches(&cache, "Outer.Cache"));
    EXPECT(!liveobj_name_matches(&cache, "DemoOuter.Cache"));
    EXPECT(!liveobj_name_matches(&cache, ""));
}

static void a_star_matches_any_text(void) {
    EXPECT(liveobj_name_matches(&cache, "*"));
    EXPECT(liveobj_name_matches(&cache, "Demo.*"));
    EXPECT(liveobj_name_matches(&cache, "*Cache"));
    EXPECT(liveobj_name_matches(&cache, "D*.O*e"));
    EXPECT(liveobj_name_matches(&cache, "Demo.Outer.Cache*"));
    EXPECT(liveobj_name_matches(&cache, "*e*o*C*e"));
    EXPECT(!liveobj_name_matches(&cache, "Demo.*.Cachet"));
    EXPECT(!liveobj_name_matches(&cache, "*Outer"));
}

static void commas_separate_patterns(void) {
    EXPECT(liveobj_name_matches(&cache, "Demo.A,Demo.Outer.Cache"));
    EXPECT(liveobj_name_matches(&cache, "*Cache,Demo.A"));
    EXPECT(!liveobj_name_matches(&cache, "Demo.A,,Demo.Outer"));
}

static void an_unnamed_type_matches_nothing(void) {
    static const struct liveobj_name_parts nameless = {.count = 0};
    EXPECT(!liveobj_name_matches(&nameless, "*"));
}

int main(void) {
    a_pattern_matches_a_whole_name();
    a_star_matches_any_text();
    commas_separate_patterns();
    an_unnamed_type_matches_nothing();
    return EXPECT_STATUS();
}
