// The journal of tests, which is read after a crash, and the failures of tests in captures.

#include "capture/test_table.h"
#include "support/capture_sections.h"
#include "support/scoped_objects.h"

#include <unistd.h>

#ifdef FAKE_RUNTIME_CAN_BE_WATCHED

// MARK: - The receiver of the journal

static unsigned char bytes[1 << 16];
static struct liveobj_buffer taken = {.bytes = bytes};
static uint32_t pieces;
static bool takes_nothing;

static bool accept_piece(void *context, const void *piece, size_t count) {
    EXPECT(context == &pieces);
    pieces++;
    if (takes_nothing)
        return false;
    memcpy(bytes + taken.count, piece, count);
    taken.count += count;
    return true;
}

/// The last section that was accepted, as one piece.
static struct section last_section(size_t from, const char *tag) {
    EXPECT(taken.count > from && taken.count % 8 == 0 && memcmp(bytes + from, tag, 4) == 0);
    uint64_t count;
    memcpy(&count, bytes + from + 8, sizeof count);
    EXPECT(from + 16 + ((count + 7) & ~(uint64_t)7) == taken.count);
    return (struct section){bytes + from + 16, count};
}

// MARK: - Tests

TEST(a_journal_begins_with_its_process) {
    uint32_t before = begin_test("Module.Suite/early()", "", 0);
    liveobj_tests_watch(accept_piece, &pieces);
    liveobj_test_close(before, LIVEOBJ_TEST_PASSED, true);
    EXPECT(memcmp(bytes, "LiveObj", 8) == 0);
    EXPECT(memcmp(bytes + 16, "JRNL", 4) == 0);
    EXPECT(section_word(section_find(taken, "PROC"), 0) == (uint32_t)getpid());
    EXPECT(section_word(section_find(taken, "STAT"), 0) == LIVEOBJ_STATE_TRACKING);
    EXPECT(section_find(taken, "END!").bytes == NULL);
}

TEST(each_record_is_one_piece) {
    uint32_t first = pieces;
    size_t from = taken.count;
    uint32_t test = begin_test("Module.Suite/sent()", "", 7);
    struct section section = last_section(from, "BEGN");
    EXPECT(section_word(section, 0) == test && section_word(section, 3) == 7);
    EXPECT(memmem(section.bytes, section.count, "Module.Suite/sent()", 19) != NULL);
    from = taken.count;
    liveobj_test_add_finding(test, "what", 4);
    section = last_section(from, "FIND");
    EXPECT(section.count == 8 && section_word(section, 0) == test);
    EXPECT(memcmp(section.bytes + 4, "what", 4) == 0);
    from = taken.count;
    liveobj_test_close(test, LIVEOBJ_TEST_LEAKED, true);
    section = last_section(from, "DONE");
    EXPECT(section_word(section, 0) == test && section_word(section, 1) == LIVEOBJ_TEST_LEAKED);
    EXPECT(section_word(section, 2) == 1 && section.count == 24);
    EXPECT(pieces == first + 3);
}

TEST(the_end_of_a_test_is_written_when_it_is_closed) {
    uint32_t test = begin_test("Module.Suite/closed()", "", 7);
    uint32_t before = pieces;
    liveobj_test_end(test, LIVEOBJ_TEST_PASSED);
    EXPECT(pieces == before);
    uint64_t end = liveobj_tests_get(test).end;
    liveobj_mark();
    liveobj_test_close(test, LIVEOBJ_TEST_PASSED, false);
    EXPECT(pieces == before + 1 && liveobj_tests_get(test).end == end);
}

TEST(an_unknown_test_is_not_written) {
    uint32_t before = pieces;
    uint64_t sections = liveobj_tests_findings().sections;
    liveobj_test_close(0, LIVEOBJ_TEST_PASSED, true);
    liveobj_test_close(UINT32_MAX, LIVEOBJ_TEST_PASSED, true);
    liveobj_test_add_finding(0, "what", 4);
    liveobj_test_add_finding(UINT32_MAX, "what", 4);
    EXPECT(pieces == before && liveobj_tests_findings().sections == sections);
}

TEST(a_failure_without_a_finding_is_counted) {
    uint32_t test = begin_test("Module.Suite/asserted()", "", 3);
    uint64_t sections = liveobj_tests_findings().sections;
    liveobj_test_add_finding(test, NULL, 0);
    EXPECT(liveobj_tests_findings().sections == sections);
    EXPECT(liveobj_tests_get(test).end == 0); // it goes on
    liveobj_test_close(test, LIVEOBJ_TEST_FAILED, false);
    EXPECT(liveobj_tests_get(test).outcome == LIVEOBJ_TEST_LEAKED);
}

TEST(a_capture_contains_failures_and_evaluations_of_tests) {
    uint32_t test = begin_test("Module.Suite/many()", "", 3);
    uint64_t before = liveobj_tests_findings().sections;
    char text[100] = "";
    for (size_t count = 1; count <= sizeof text; count++)
        liveobj_test_add_finding(test, memset(text, 'x', count), count);
    EXPECT(liveobj_tests_findings().sections == before + sizeof text);
    liveobj_test_close(test, LIVEOBJ_TEST_LEAKED, true);
    struct liveobj_buffer capture = liveobj_capture_to_memory(0, LIVEOBJ_CONTENTS_OBJECTS);
    struct section found = section_find(capture, "FIND"), evaluated = section_find(capture, "EVAL");
    EXPECT(found.count == 8 && memcmp(found.bytes + 4, "what", 4) == 0);
    EXPECT(section_word(evaluated, evaluated.count / 4 - 1) == test);
    uint64_t sections;
    memcpy(&sections, (const char *)capture.bytes + capture.count - 8, sizeof sections);
    uint64_t counted = 0;
    for (size_t at = 16; at < capture.count; counted++) {
        uint64_t count;
        memcpy(&count, (const char *)capture.bytes + at + 8, sizeof count);
        at += 16 + ((count + 7) & ~(uint64_t)7);
    }
    EXPECT(counted == sections + 1); // the last is not counted
    liveobj_buffer_free(capture);
}

TEST(a_finding_beyond_the_limit_is_dropped) {
    static const size_t too_much = (size_t)1 << 30;
    uint32_t test = begin_test("Module.Suite/huge()", "", 3);
    uint64_t sections = liveobj_tests_findings().sections;
    liveobj_test_add_finding(test, bytes, too_much); // is not read
    EXPECT(liveobj_tests_findings().sections == sections);
    liveobj_test_close(test, LIVEOBJ_TEST_FAILED, false);
    EXPECT(liveobj_tests_get(test).outcome == LIVEOBJ_TEST_LEAKED);
}

TEST(no_piece_follows_one_that_was_not_accepted) {
    takes_nothing = true;
    uint32_t before = pieces;
    begin_test("Module.Suite/lost()", "", 3);
    takes_nothing = false;
    begin_test("Module.Suite/after()", "", 3);
    EXPECT(pieces == before + 1);
}

int main(void) {
    start_recorder();
    run_tests();
    return EXPECT_STATUS();
}

#endif
