// Captured values whose types have no metadata: their mangled names are all that is known.

#include "layout/captured_type.h"
#include "layout/layout.h"
#include "metadata/mangling.h"
#include "metadata/metadata.h"
#include "support/expect.h"

struct outcome {
    size_t end; // 0: the type is not known
    uint32_t fields;
    enum liveobj_slot_kind kind;
    uint32_t offset;
};

static struct outcome capture(const char *name, size_t offset) {
    struct liveobj_layout_builder builder = {.is_precise = true};
    struct liveobj_mangled type = liveobj_mangled_read(name);
    struct outcome outcome = {liveobj_captured_type_add(&builder, &type, NULL, offset),
                              builder.count, LIVEOBJ_SLOT_WORDS, 0};
    if (builder.count) {
        outcome.kind = builder.slots[0].kind;
        outcome.offset = builder.slots[0].offset;
    }
    liveobj_layout_finish(&builder, 0);
    return outcome;
}

static void expect_field(const char *name, enum liveobj_slot_kind kind, size_t bytes) {
    struct outcome outcome = capture(name, 20);
    EXPECT(outcome.fields == 1 && outcome.kind == kind);
    EXPECT(outcome.offset == 24 && outcome.end == 24 + bytes);
}

static void expect_no_field(const char *name, size_t bytes) {
    struct outcome outcome = capture(name, 20);
    EXPECT(outcome.fields == 0 && outcome.end == 24 + bytes);
}

TEST(a_captured_variable_is_one_reference_to_its_box) {
    expect_field("Siz_Xx", LIVEOBJ_SLOT_REFERENCE, 8);
    expect_field("4Demo5OwnerCSgz_Xx", LIVEOBJ_SLOT_REFERENCE, 8);
    expect_field("xz_Xx", LIVEOBJ_SLOT_REFERENCE, 8);
    EXPECT(capture("4Demo2XxC", 16).end == 0); // a class of that name
}

TEST(an_escaping_function_refers_to_its_context) {
    expect_field("Ieg_", LIVEOBJ_SLOT_FUNCTION, 16);
    expect_field("SiIegy_", LIVEOBJ_SLOT_FUNCTION, 16);
    expect_field("S2SIeggo_", LIVEOBJ_SLOT_FUNCTION, 16);
    expect_field("4Demo5OwnerCIegg_", LIVEOBJ_SLOT_FUNCTION, 16);
    expect_field("xIeAgHr_", LIVEOBJ_SLOT_FUNCTION, 16);
    expect_field("IeyB_", LIVEOBJ_SLOT_BLOCK, 8);
    expect_field("xIegn_Sg", LIVEOBJ_SLOT_FUNCTION, 16); // optional
    expect_field("IeyB_Sg", LIVEOBJ_SLOT_BLOCK, 8);
    expect_field("4Demo7JournalCSiIegIgy_", LIVEOBJ_SLOT_FUNCTION, 16); // isolated parameter
    expect_field("SIyxGIegg_", LIVEOBJ_SLOT_FUNCTION, 16);
    expect_no_field("SiIgy_", 16); // does not escape
    expect_no_field("SiIetCy_", 8);
    expect_no_field("SiIety_", 8);
}

TEST(a_generic_parameter_without_an_environment_is_unknown) {
    EXPECT(capture("x", 16).end == 0);
    EXPECT(capture("q_", 16).end == 0);
    EXPECT(capture("xSg", 16).end == 0);
    EXPECT(capture("", 16).end == 0);
    EXPECT(capture("q_Qp", 16).end == 0);
}

// MARK: - Generic environments

/// The fields of a builtin type's metadata that `liveobj_metadata_is_valid` checks.
static struct liveobj_value_witnesses witnesses = {.size = 8, .stride = 8};
static struct {
    const void *witnesses;
    uintptr_t kind;
    uintptr_t rest[6];
} first = {&witnesses, LIVEOBJ_KIND_OPAQUE, {0}}, second = {&witnesses, LIVEOBJ_KIND_OPAQUE, {0}};

/// A capture descriptor's sources: relative pointers to names and where to find their values.
static struct {
    int32_t pointers[4];
    char texts[4][8];
} sources;

static void set_source(uint32_t i, const char *text) {
    strncpy(sources.texts[i], text, sizeof sources.texts[i] - 1);
    sources.pointers[i] = (int32_t)(sources.texts[i] - (const char *)&sources.pointers[i]);
}

static struct liveobj_generic_environment environment_of(const char *name, const char *source,
                                                         const char *name2, const char *source2) {
    const uintptr_t bound[] = {(uintptr_t)&first.kind, 0, (uintptr_t)&second.kind};
    const uintptr_t types[] = {0, (uintptr_t)&second.kind};
    const struct liveobj_generic_origins origins = {bound, 3, types, 2};
    struct liveobj_generic_environment environment;
    set_source(0, name);
    set_source(1, source);
    set_source(2, name2);
    set_source(3, source2);
    liveobj_generic_environment_make(&environment, (uintptr_t)sources.pointers, 2, &origins);
    return environment;
}

TEST(parameters_are_ordered_by_level_and_index) {
    static const unsigned char one_level[] = {1, 0, 0, 0, 2, 0, 0x80, 0x80};
    static const unsigned char two_levels[] = {2, 0, 0, 0, 1, 0, 2, 0, 0x80, 0x80};
    struct liveobj_generic_environment environment = environment_of("q_", "B2", "x", "B0");
    EXPECT(environment.is_known);
    EXPECT(memcmp(environment.descriptor, one_level, sizeof one_level) == 0);
    EXPECT(environment.arguments[0] == (uintptr_t)&first.kind);
    EXPECT(environment.arguments[1] == (uintptr_t)&second.kind);
    environment = environment_of("x", "B2", "qd__", "B0");
    EXPECT(environment.is_known);
    EXPECT(memcmp(environment.descriptor, two_levels, sizeof two_levels) == 0);
    EXPECT(environment.arguments[0] == (uintptr_t)&second.kind);
}

TEST(one_readable_source_is_enough) {
    struct liveobj_generic_environment environment = environment_of("x", "B0", "x", "G0R0_");
    EXPECT(environment.is_known);
    EXPECT(environment.arguments[0] == (uintptr_t)&first.kind);
    EXPECT(environment_of("x", "G0R0_", "x", "B2").is_known);
}

static bool is_word(const char *name) {
    struct liveobj_mangled type = liveobj_mangled_read(name);
    return liveobj_captured_is_word(&type);
}

TEST(types_with_parameters_may_be_words) {
    static const char *const words[] = {"x",     "q_",   "qd0__", "xSg",
                                        "q0_Sg", "xXMT", "SayxG", "SDySSxG"};
    static const char *const others[] = {"x_Sit", "q_Qp",    "SayxG_Sit", "Sa8IteratorVyx_G",
                                         "",      "xSgSgXw", "xz_Xx",     "4DemoVyxG"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        EXPECT(is_word(words[i]));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        EXPECT(!is_word(others[i]));
}

TEST(the_class_of_a_captured_object_is_a_source) {
    struct liveobj_generic_environment environment = environment_of("x", "R1", "q_", "B0");
    EXPECT(environment.is_known);
    EXPECT(environment.arguments[0] == (uintptr_t)&second.kind);
    EXPECT(environment.arguments[1] == (uintptr_t)&first.kind);
    EXPECT(environment_of("x", "M1", "q_", "B0").is_known);
}

TEST(an_incomplete_environment_is_rejected) {
    EXPECT(!environment_of("x", "B0", "q0_", "B2").is_known);   // no second parameter
    EXPECT(!environment_of("x", "B0", "q_", "B1").is_known);    // the word is no type
    EXPECT(!environment_of("x", "B0", "q_", "B3").is_known);    // no such word
    EXPECT(!environment_of("x", "B0", "q_", "R0").is_known);    // no reference to a class
    EXPECT(!environment_of("x", "B0", "q_", "R2").is_known);    // no such capture
    EXPECT(!environment_of("x", "B0", "q_", "G0R1_").is_known); // the type is not generic
    EXPECT(!environment_of("x", "B0", "q999_", "B2").is_known);
    EXPECT(!environment_of("x", "B0", "Si", "B2").is_known);
}
