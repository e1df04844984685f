// Patterns for the names of types.

#include "metadata/watched_types.h"
#include "support/expect.h"

static const struct liveobj_name_parts cache = {{"Cache", "Outer", "Demo"}, 3};

TEST(a_pattern_matches_a_whole_name) {
    EXPECT(liveobj_name_matches(&cache, "Demo.Outer.Cache"));
    EXPECT(!liveobj_name_matches(&cache, "Demo.Outer.Cach"));
    EXPECT(!liveobj_name_matches(&cache, "Demo.Outer.Caches"));
    EXPECT(!liveobj_name_matches(&cache, "Outer.Cache"));
    EXPECT(!liveobj_name_matches(&cache, "DemoOuter.Cache"));
    EXPECT(!liveobj_name_matches(&cache, ""));
}

TEST(a_star_matches_any_text) {
    EXPECT(liveobj_name_matches(&cache, "*"));
    EXPECT(liveobj_name_matches(&cache, "Demo.*"));
    EXPECT(liveobj_name_matches(&cache, "*Cache"));
    EXPECT(liveobj_name_matches(&cache, "D*.O*e"));
    EXPECT(liveobj_name_matches(&cache, "Demo.Outer.Cache*"));
    EXPECT(liveobj_name_matches(&cache, "*e*o*C*e"));
    EXPECT(!liveobj_name_matches(&cache, "Demo.*.Cachet"));
    EXPECT(!liveobj_name_matches(&cache, "*Outer"));
}

TEST(commas_separate_patterns) {
    EXPECT(liveobj_name_matches(&cache, "Demo.A,Demo.Outer.Cache"));
    EXPECT(liveobj_name_matches(&cache, "*Cache,Demo.A"));
    EXPECT(!liveobj_name_matches(&cache, "Demo.A,,Demo.Outer"));
}

TEST(an_unnamed_type_matches_nothing) {
    static const struct liveobj_name_parts nameless = {.count = 0};
    EXPECT(!liveobj_name_matches(&nameless, "*"));
}
