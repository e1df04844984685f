// Mangled type names: where they end, how they own, and whether the runtime may be asked for them.

#include "metadata/mangling.h"
#include "metadata/labels.h"
#include "support/expect.h"

static struct liveobj_mangled read(const char *text) {
    return liveobj_mangled_read(text);
}

static void an_invalid_name_is_rejected(void) {
    struct liveobj_mangled none = read(NULL);
    EXPECT(!none.text && none.length == 0 && !liveobj_mangled_is(&none, ""));
    EXPECT(!liveobj_mangled_is_accessor(&none));
}

static void symbolic_references_may_contain_zero_bytes(void) {
    EXPECT(read("Si").length == 2);
    EXPECT(read("\x01\0\0\0\0y\x02\0\0\0\0G").length == 12);
    EXPECT(read("\x18\0\0\0\0\0\0\0\0Sg").length == 11);
}

static void a_suffix_encodes_the_ownership(void) {
    EXPECT(read("4Demo4NodeC").ownership == LIVEOBJ_OWNERSHIP_STRONG);
    EXPECT(read("\x01\0\0\0\0SgXw").ownership == LIVEOBJ_OWNERSHIP_WEAK);
    EXPECT(read("\x01\0\0\0\0Xo").ownership == LIVEOBJ_OWNERSHIP_UNOWNED);
    EXPECT(read("\x01\0\0\0\0Xu").ownership == LIVEOBJ_OWNERSHIP_UNMANAGED);
}

static void bytes_of_references_and_identifiers_are_not_ownership_suffixes(void) {
    EXPECT(read("y\x01\0\0Xw").ownership == LIVEOBJ_OWNERSHIP_STRONG);
    EXPECT(read("4DeXw").ownership == LIVEOBJ_OWNERSHIP_STRONG);
}

static void generic_parameters_are_recognised(void) {
    static const char *const names[] = {
        "x", "q_", "q0_", "qd__", "Sayxq_G", "S2Sxc", "\x01\0\0\0\0yxG", "xQp", "7Element3FooQzSg"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        EXPECT(read(names[i]).mentions_parameters);
}

static void identifiers_and_boxes_are_not_generic_parameters(void) {
    static const char *const names[] = {"Si",      "3fox4quizC", "\x01\0\0qx", "SiXx",
                                        "0aB3fox", "Sq",         "S2x",        "ScS3fox"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        EXPECT(!read(names[i]).mentions_parameters);
}

static void a_number_is_no_identifier(void) {
    EXPECT(read("\x01\0\0\0\0y$7_\x02\0\0\0\0G").length == 15);
    EXPECT(read("\x01\0\0\0\0y$15_xG").mentions_parameters);
    EXPECT(read("\x01\0\0\0\0y$n15_xG").mentions_parameters);
    EXPECT(read("3n15Si").plain_length == 2);
}

static void a_repeated_part_is_no_identifier_and_no_parameter(void) {
    EXPECT(read("4DemoAAx").mentions_parameters && !read("4DemoAxA").mentions_parameters);
    EXPECT(!read("4DemoAA6LocalxC").mentions_parameters);
    EXPECT(read("4DemoAA5LocalC").plain_length == 1 && read("4DemoA3bC").plain_length == 4);
}

static void a_repeated_standard_type_is_no_identifier(void) {
    EXPECT(read("S2Sc").plain_length == 4);
    EXPECT(read("SS4DemoC").plain_length == 1 && read("ScS4DemoC").plain_length == 1);
    EXPECT(read("S").length == 1 && read("S2").length == 2 && read("Sc").length == 2);
}

static void an_identifier_longer_than_the_text_ends_with_it(void) {
    EXPECT(read("99ab").length == 4);
    EXPECT(read("99999999999999999999ab").length == 22);
}

static void nested_blocks_and_packs_are_recognised(void) {
    EXPECT(read("yyXBSg").nests_block && read("yySiXzBSg").nests_block);
    EXPECT(!read("yyXB").nests_block && !read("yySiXzB").nests_block);
    EXPECT(read("ySixxQp_QPG").contains_pack && !read("ySixG").contains_pack);
}

static void the_number_of_a_parameter_is_no_identifier(void) {
    EXPECT(read("SDyq5_\x01\0\0\0\0G").length == 12);
    EXPECT(read("SDyqd0_7_\x01\0\0\0\0G").length == 15);
    EXPECT(read("q").length == 1 && read("qd").length == 2 && read("q9").length == 2);
}

static void the_number_of_a_parameter_hides_no_block_and_no_pack(void) {
    EXPECT(read("Sayq3_yXBG").nests_block && read("yq10_yXzBSg").nests_block);
    EXPECT(read("yq3_xQp_QPG").contains_pack);
}

/// An offset can have any bytes: it depends on where the linker puts a type's name and the type.
static void bytes_of_references_are_no_blocks_and_packs(void) {
    static const char *const names[] = {"\x01\x30XB\0", "\x02XzB\0Sg", "\x01\x30Qp\0"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        EXPECT(!read(names[i]).nests_block && !read(names[i]).contains_pack);
}

static void an_accessor_is_a_whole_name(void) {
    struct liveobj_mangled alone = read("\x09\0\0\0\0"), in_optional = read("\x09\0\0\0\0Sg");
    struct liveobj_mangled aligned = read("\xff\x09\0\0\0\0");
    EXPECT(liveobj_mangled_is_accessor(&alone) && !liveobj_mangled_is_accessor(&in_optional));
    EXPECT(liveobj_mangled_is_accessor(&aligned));
}

static void metatypes_that_may_take_no_space_are_recognised(void) {
    static const char *const thin[] = {
        "4Demo4JsonVm", "\x01\0\0\0\0m_Sit", "SimSg", "SayxGm", "A12_m", "SiXMt"};
    static const char *const others[] = {"6metricV", "\x01mmmm", "xXMT",       "SmSg",
                                         "xm",       "q_m",      "4Demo4JsonV"};
    for (size_t i = 0; i < sizeof thin / sizeof *thin; i++)
        EXPECT(read(thin[i]).may_be_thin);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        EXPECT(!read(others[i]).may_be_thin);
}

static void a_generic_signature_ends_before_the_type(void) {
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

int main(void) {
    an_invalid_name_is_rejected();
    symbolic_references_may_contain_zero_bytes();
    a_suffix_encodes_the_ownership();
    bytes_of_references_and_identifiers_are_not_ownership_suffixes();
    generic_parameters_are_recognised();
    identifiers_and_boxes_are_not_generic_parameters();
    a_number_is_no_identifier();
    a_repeated_part_is_no_identifier_and_no_parameter();
    a_repeated_standard_type_is_no_identifier();
    an_identifier_longer_than_the_text_ends_with_it();
    nested_blocks_and_packs_are_recognised();
    the_number_of_a_parameter_is_no_identifier();
    the_number_of_a_parameter_hides_no_block_and_no_pack();
    bytes_of_references_are_no_blocks_and_packs();
    an_accessor_is_a_whole_name();
    metatypes_that_may_take_no_space_are_recognised();
    a_generic_signature_ends_before_the_type();
    return EXPECT_STATUS();
}
