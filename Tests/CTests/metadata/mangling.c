// Mangled type names: where they end, how they own, and whether the runtime may be asked for them.

#include "metadata/mangling.h"
#include "metadata/labels.h"
#include "support/expect.h"

static struct liveobj_mangled read(const char *text) {
    return liveobj_mangled_read(text);
}

TEST(an_invalid_name_is_rejected) {
    struct liveobj_mangled none = read(NULL);
    EXPECT(!none.text && none.length == 0 && !liveobj_mangled_is(&none, ""));
    EXPECT(!liveobj_mangled_is_accessor(&none));
}

TEST(symbolic_references_may_contain_zero_bytes) {
    EXPECT(read("Si").length == 2);
    EXPECT(read("\x01\0\0\0\0y\x02\0\0\0\0G").length == 12);
    EXPECT(read("\x18\0\0\0\0\0\0\0\0Sg").length == 11);
}

TEST(a_suffix_encodes_the_ownership) {
    EXPECT(read("4Demo4NodeC").ownership == LIVEOBJ_OWNERSHIP_STRONG);
    EXPECT(read("\x01\0\0\0\0SgXw").ownership == LIVEOBJ_OWNERSHIP_WEAK);
    EXPECT(read("\x01\0\0\0\0Xo").ownership == LIVEOBJ_OWNERSHIP_UNOWNED);
    EXPECT(read("\x01\0\0\0\0Xu").ownership == LIVEOBJ_OWNERSHIP_UNMANAGED);
}

TEST(bytes_of_references_and_identifiers_are_not_ownership_suffixes) {
    EXPECT(read("y\x01\0\0Xw").ownership == LIVEOBJ_OWNERSHIP_STRONG);
    EXPECT(read("4DeXw").ownership == LIVEOBJ_OWNERSHIP_STRONG);
}

TEST(generic_parameters_are_recognised) {
    static const char *const names[] = {
        "x", "q_", "q0_", "qd__", "Sayxq_G", "S2Sxc", "\x01\0\0\0\0yxG", "xQp", "7Element3FooQzSg"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        EXPECT(read(names[i]).mentions_parameters);
}

TEST(identifiers_and_boxes_are_not_generic_parameters) {
    static const char *const names[] = {"Si",      "3fox4quizC", "\x01\0\0qx", "SiXx",
                                        "0aB3fox", "Sq",         "S2x",        "ScS3fox"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        EXPECT(!read(names[i]).mentions_parameters);
}

TEST(a_number_is_no_identifier) {
    EXPECT(read("\x01\0\0\0\0y$7_\x02\0\0\0\0G").length == 15);
    EXPECT(read("\x01\0\0\0\0y$15_xG").mentions_parameters);
    EXPECT(read("\x01\0\0\0\0y$n15_xG").mentions_parameters);
    EXPECT(read("3n15Si").plain_length == 2);
}

TEST(a_repeated_part_is_no_identifier_and_no_parameter) {
    EXPECT(read("4DemoAAx").mentions_parameters && !read("4DemoAxA").mentions_parameters);
    EXPECT(!read("4DemoAA6LocalxC").mentions_parameters);
    EXPECT(read("4DemoAA5LocalC").plain_length == 1 && read("4DemoA3bC").plain_length == 4);
}

TEST(a_repeated_standard_type_is_no_identifier) {
    EXPECT(read("S2Sc").plain_length == 4);
    EXPECT(read("SS4DemoC").plain_length == 1 && read("ScS4DemoC").plain_length == 1);
    EXPECT(read("S").length == 1 && read("S2").length == 2 && read("Sc").length == 2);
}

TEST(an_identifier_longer_than_the_text_ends_with_it) {
    EXPECT(read("99ab").length == 4);
    EXPECT(read("99999999999999999999ab").length == 22);
}

TEST(nested_blocks_and_packs_are_recognised) {
    EXPECT(read("yyXBSg").nests_block && read("yySiXzBSg").nests_block);
    EXPECT(!read("yyXB").nests_block && !read("yySiXzB").nests_block);
    EXPECT(read("ySixxQp_QPG").contains_pack && !read("ySixG").contains_pack);
}

TEST(the_number_of_a_parameter_is_no_identifier) {
    EXPECT(read("SDyq5_\x01\0\0\0\0G").length == 12);
    EXPECT(read("SDyqd0_7_\x01\0\0\0\0G").length == 15);
    EXPECT(read("q").length == 1 && read("qd").length == 2 && read("q9").length == 2);
}

TEST(the_number_of_a_parameter_hides_no_block_and_no_pack) {
    EXPECT(read("Sayq3_yXBG").nests_block && read("yq10_yXzBSg").nests_block);
    EXPECT(read("yq3_xQp_QPG").contains_pack);
}

/// An offset can have any bytes: it depends on where the linker puts a type's name and the type.
TEST(bytes_of_references_are_no_blocks_and_packs) {
    static const char *const names[] = {"\x01\x30XB\0", "\x02XzB\0Sg", "\x01\x30Qp\0"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        EXPECT(!read(names[i]).nests_block && !read(names[i]).contains_pack);
}

TEST(an_accessor_is_a_whole_name) {
    struct liveobj_mangled alone = read("\x09\0\0\0\0"), in_optional = read("\x09\0\0\0\0Sg");
    struct liveobj_mangled aligned = read("\xff\x09\0\0\0\0");
    EXPECT(liveobj_mangled_is_accessor(&alone) && !liveobj_mangled_is_accessor(&in_optional));
    EXPECT(liveobj_mangled_is_accessor(&aligned));
}

TEST(metatypes_that_may_take_no_space_are_recognised) {
    static const char *const thin[] = {
        "4Demo4JsonVm", "\x01\0\0\0\0m_Sit", "SimSg", "SayxGm", "A12_m", "SiXMt"};
    static const char *const others[] = {"6metricV", "\x01mmmm", "xXMT",       "SmSg",
                                         "xm",       "q_m",      "4Demo4JsonV"};
    for (size_t i = 0; i < sizeof thin / sizeof *thin; i++)
        EXPECT(read(thin[i]).may_be_thin);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        EXPECT(!read(others[i]).may_be_thin);
}

TEST(a_generic_signature_ends_before_the_type) {
    static const char *const signatures[] = {"l", "r0_l", "SHRzl", "RlzCl",
                                             "5local3ElfPRzSHR_r0_l"};
    for (size_t i = 0; i < sizeof signatures / sizeof *signatures; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s4Demo4ListV", signatures[i]);
        const char *type = liveobj_mangled_skip_signature(name);
        EXPECT(type && strcmp(type, "4Demo4ListV") == 0);
    }
    EXPECT(!liveobj_mangled_skip_signature("4Demo4ListV"));
    EXPECT(!liveobj_mangled_skip_signature("4Demo4BookPRzlAA2NcV")); // AA is Demo
    EXPECT(liveobj_mangled_skip_signature("4Demo4BookPRzAA6LocalPR_l5Other2NcV"));
    EXPECT(!liveobj_mangled_skip_signature("") && !liveobj_mangled_skip_signature("R"));
}
