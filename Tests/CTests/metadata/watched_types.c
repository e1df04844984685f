// Patterns for the names of types.

#include "metadata/watched_types.h"
#include "metadata/metadata.h"
#include "support/expect.h"

#include <string.h>

static const struct liveobj_name_parts cache = {{"Cache", "Outer", "Demo"}, 3};

static bool matches(const char *patterns) {
    char name[32];
    liveobj_name_write(&cache, name, sizeof name);
    return liveobj_name_matches(name, patterns);
}

TEST(a_pattern_matches_a_whole_name) {
    EXPECT(matches("Demo.Outer.Cache"));
    EXPECT(!matches("Demo.Outer.Cach"));
    EXPECT(!matches("Demo.Outer.Caches"));
    EXPECT(!matches("Outer.Cache"));
    EXPECT(!matches("DemoOuter.Cache"));
    EXPECT(!matches(""));
}

TEST(a_star_matches_any_text) {
    EXPECT(matches("*"));
    EXPECT(matches("Demo.*"));
    EXPECT(matches("*Cache"));
    EXPECT(matches("D*.O*e"));
    EXPECT(matches("Demo.Outer.Cache*"));
    EXPECT(matches("*e*o*C*e"));
    EXPECT(!matches("Demo.*.Cachet"));
    EXPECT(!matches("*Outer"));
}

TEST(commas_separate_patterns) {
    EXPECT(matches("Demo.A,Demo.Outer.Cache"));
    EXPECT(matches("*Cache,Demo.A"));
    EXPECT(!matches("Demo.A,,Demo.Outer"));
}

TEST(an_unnamed_type_matches_nothing) {
    static const struct liveobj_name_parts nameless = {.count = 0};
    char name[4];
    EXPECT(liveobj_name_write(&nameless, name, sizeof name) == 0);
    EXPECT(!liveobj_name_matches(name, "*"));
}

TEST(a_name_is_cut_if_there_is_no_room) {
    char name[11];
    EXPECT(liveobj_name_write(&cache, name, sizeof name) == 10 && !strcmp(name, "Demo.Outer"));
    EXPECT(liveobj_name_write(&cache, name, 3) == 2 && !strcmp(name, "De"));
}
