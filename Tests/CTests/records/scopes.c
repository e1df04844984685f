// Nested scopes, the scope of a task, and the tests of a process: the recorder's tables and their
// sections in a capture.

#include "records/scopes.h"
#include "CLiveObjects.h"
#include "capture/capture.h"
#include "capture/stream.h"
#include "capture/test_table.h"
#include "records/records.h"
#include "support/capture_sections.h"
#include "support/scoped_objects.h"

#ifdef FAKE_RUNTIME_CAN_BE_WATCHED

static uint32_t scope_of(const void *memory) {
    struct liveobj_object object = {.scope = UINT32_MAX};
    EXPECT(liveobj_records_find((uintptr_t)memory, &object));
    return object.scope;
}

static uint32_t scope_of_new_object(void) {
    void *object = make_object();
    uint32_t scope = scope_of(object);
    swift_slowDealloc(object, BYTES, ALIGNMENT_MASK);
    return scope;
}

TEST(a_capture_has_a_test_table_only_if_tests_are_listed) {
    struct liveobj_buffer before = liveobj_capture_to_memory(0, LIVEOBJ_CONTENTS_OBJECTS);
    EXPECT(section_find(before, "TEST").bytes == NULL);
    liveobj_buffer_free(before);
    liveobj_tests_watch(NULL, NULL);
    struct liveobj_buffer watched = liveobj_capture_to_memory(0, LIVEOBJ_CONTENTS_OBJECTS);
    struct section tests = section_find(watched, "TEST");
    EXPECT(tests.bytes != NULL && tests.count == 0);
    liveobj_buffer_free(watched);
}

TEST(objects_belong_to_the_bound_scope) {
    EXPECT(scope_of_new_object() == 0);
    bind(7, 0, NULL);
    EXPECT(scope_of_new_object() == 7);
    bind(UINT32_MAX - 1, 0, NULL);
    EXPECT(scope_of_new_object() == UINT32_MAX - 1);
}

TEST(a_diff_takes_precedence_over_its_test) {
    bind(7, 9, NULL);
    EXPECT(scope_of_new_object() == 9);
}

TEST(a_task_without_values_inherits_the_scope_of_its_creation) {
    bind(7, 0, NULL);
    void *task = swift_task_create_common(BYTES);
    bind(0, 0, task);
    EXPECT(scope_of_new_object() == 7);
    void *inner = swift_task_create_common(BYTES);
    bind(0, 0, inner);
    EXPECT(scope_of_new_object() == 7);
    bind(8, 0, inner);
    EXPECT(scope_of_new_object() == 8);
    bind(0, 0, NULL);
    free(inner), free(task);
}

TEST(an_unrecorded_task_has_no_scope) {
    char memory[BYTES];
    bind(0, 0, memory);
    EXPECT(scope_of_new_object() == 0);
    bind(0, 0, NULL);
}

/// The layout of `async let`, in memory of the parent task: version 1.
TEST(an_unrecorded_child_task_inherits_the_scope_of_its_parent) {
    enum { FLAGS = 32 / 8, PARENT = FAKE_TASK_BYTES / 8, IS_CHILD = 1 << 24 };
    uintptr_t child[PARENT + 2] = {0}, grandchild[PARENT + 2] = {0};
    bind(7, 0, NULL);
    void *parent = swift_task_create_common(BYTES);
    child[0] = grandchild[0] = (uintptr_t)_swift_concurrency_debug_asyncTaskMetadata;
    child[FLAGS] = grandchild[FLAGS] = IS_CHILD;
    child[PARENT] = (uintptr_t)parent;
    grandchild[PARENT] = (uintptr_t)child;
    bind(0, 0, child);
    EXPECT(scope_of_new_object() == 7);
    bind(0, 0, grandchild);
    EXPECT(scope_of_new_object() == 7);
    child[0] = 0; // freed, and used again
    EXPECT(scope_of_new_object() == 0);
    child[0] = grandchild[0];
    child[FLAGS] = 0;
    EXPECT(scope_of_new_object() == 0);
    bind(0, 0, NULL);
    free(parent);
}

TEST(without_keys_objects_have_no_scope) {
    liveobj_scope_set_key(LIVEOBJ_SCOPE_TESTS, NULL);
    bind(7, 9, NULL);
    EXPECT(scope_of_new_object() == 9);
    liveobj_scope_set_key(LIVEOBJ_SCOPE_DIFFS, NULL);
    EXPECT(scope_of_new_object() == 0);
    liveobj_scope_set_key(LIVEOBJ_SCOPE_TESTS, &test_key);
    liveobj_scope_set_key(LIVEOBJ_SCOPE_DIFFS, &diff_key);
    bind(0, 0, NULL);
}

// MARK: - Scopes inside others

TEST(a_new_scope_is_nested_in_the_bound_one) {
    uint32_t outer = liveobj_scope_make();
    EXPECT(outer != 0 && liveobj_scope_parent(outer) == 0);
    bind(outer, 0, NULL);
    uint32_t inner = liveobj_scope_make();
    bind(outer, inner, NULL);
    uint32_t innermost = liveobj_scope_make();
    bind(0, 0, NULL);
    uint32_t other = liveobj_scope_make();
    EXPECT(liveobj_scope_parent(inner) == outer && liveobj_scope_parent(innermost) == inner);
    EXPECT(liveobj_scope_is_within(innermost, outer) && liveobj_scope_is_within(inner, inner));
    EXPECT(!liveobj_scope_is_within(outer, inner) && !liveobj_scope_is_within(other, outer));
    EXPECT(!liveobj_scope_is_within(0, outer) && liveobj_scopes_last() == other);
}

// MARK: - Tests

TEST(the_running_test_is_that_of_the_bound_scope) {
    uint32_t scope = liveobj_scope_make();
    bind(scope, 0, NULL);
    uint32_t inner = liveobj_scope_make();
    uint32_t test = begin_test("Module.Suite/scoped()", "", scope);
    EXPECT(test != 0 && liveobj_test_current() == test);
    bind(scope, inner, NULL);
    EXPECT(liveobj_test_current() == test);
    bind(0, 0, NULL);
    end_test(test);
}

TEST(without_a_scope_the_running_test_is_the_one_that_has_not_ended) {
    uint32_t test = begin_test("Module.Suite/test", "", 0);
    EXPECT(liveobj_test_current() == test);
    end_test(test);
}

TEST(an_unknown_test_cannot_end) {
    uint32_t count = liveobj_tests_count();
    liveobj_test_end(0, LIVEOBJ_TEST_FAILED);
    liveobj_test_end(UINT32_MAX, LIVEOBJ_TEST_FAILED);
    EXPECT(liveobj_tests_count() == count);
}

TEST(a_test_ends_once_and_its_outcome_may_change) {
    char id[] = "Module.Suite/recorded()";
    uint32_t test = begin_test(id, NULL, 3);
    id[0] = 'X'; // the strings are copied
    scope_of_new_object();
    liveobj_test_end(test, LIVEOBJ_TEST_PASSED);
    uint64_t end = liveobj_tests_get(test).end;
    scope_of_new_object();
    liveobj_mark();
    liveobj_test_end(test, LIVEOBJ_TEST_LEAKED);
    struct liveobj_recorded_test recorded = liveobj_tests_get(test);
    EXPECT(end > recorded.first && recorded.end == end && recorded.outcome == LIVEOBJ_TEST_LEAKED);
    EXPECT_STRING(recorded.id, "Module.Suite/recorded()");
    EXPECT_STRING(recorded.arguments, "");
}

TEST(a_scope_can_be_marked_as_a_known_issue) {
    uint32_t outer = liveobj_scope_open(0), inner = liveobj_scope_open(outer);
    liveobj_scope_mark_known_issue(0);
    liveobj_scope_mark_known_issue(UINT32_MAX);
    EXPECT(!liveobj_scope_known_before(0) && !liveobj_scope_known_before(UINT32_MAX));
    liveobj_scope_mark_known_issue(inner);
    EXPECT(liveobj_scope_known_before(inner) && !liveobj_scope_known_before(outer));
    EXPECT(liveobj_scope_parent(inner) == outer);
    EXPECT(liveobj_scope_is_within(inner, outer));
    liveobj_scope_mark_known_issue(outer);
    EXPECT(liveobj_scope_known_before(outer) && liveobj_scope_parent(outer) == 0);
}

static uint64_t sequence_of(const void *memory) {
    struct liveobj_object object = {.sequence = 0};
    EXPECT(liveobj_records_find((uintptr_t)memory, &object));
    return object.sequence;
}

TEST(later_objects_of_a_marked_scope_are_no_known_issue) {
    uint32_t scope = liveobj_scope_open(0);
    void *earlier = make_object_in(scope);
    liveobj_scope_mark_known_issue(scope);
    void *later = make_object_in(scope);
    EXPECT(sequence_of(earlier) < liveobj_scope_known_before(scope));
    EXPECT(sequence_of(later) >= liveobj_scope_known_before(scope));
    free_object(earlier), free_object(later);
}

// MARK: - Captures

TEST(a_capture_contains_tests_and_parents_of_scopes) {
    enum { TEST_WORDS = 8, TEXT = TEST_WORDS + 1 };
    struct liveobj_recorded_test first = liveobj_tests_get(1);
    struct liveobj_buffer capture = liveobj_capture_to_memory(0, LIVEOBJ_CONTENTS_OBJECTS);
    struct section tests = section_find(capture, "TEST"), scopes = section_find(capture, "SCOP");
    EXPECT(section_word(tests, 0) == LIVEOBJ_TEST_TESTING);
    EXPECT(section_word(tests, 1) == LIVEOBJ_TEST_PASSED);
    EXPECT(section_word(tests, 2) == first.scope && section_word(tests, 3) == 12);
    EXPECT(section_word(tests, TEST_WORDS) == strlen("Module.Suite/scoped()"));
    EXPECT(memcmp(tests.bytes + TEXT * sizeof(uint32_t), "Module.Suite/scoped()", 21) == 0);
    EXPECT(scopes.count % 8 == 0 && section_word(scopes, 1) < section_word(scopes, 0));
    EXPECT(liveobj_scope_parent(section_word(scopes, 0)) == section_word(scopes, 1));
    liveobj_buffer_free(capture);
}

TEST(a_capture_for_a_measurement_has_no_tests_and_scopes) {
    void *object = make_object();
    struct liveobj_buffer capture = liveobj_capture_to_memory(0, LIVEOBJ_CONTENTS_UNATTRIBUTED);
    EXPECT(section_find(capture, "OBJS").bytes != NULL);
    EXPECT(section_find(capture, "TEST").bytes == NULL);
    EXPECT(section_find(capture, "SCOP").bytes == NULL);
    liveobj_buffer_free(capture);
    free_object(object);
}

TEST(a_capture_contains_known_issue_scopes_and_their_ends) {
    enum { RECORD = 16 };
    uint32_t first = liveobj_scope_open(0), last = liveobj_scope_open(0);
    liveobj_scope_mark_known_issue(last);
    liveobj_scope_mark_known_issue(first);
    uint64_t marks[] = {liveobj_scope_known_before(first), liveobj_scope_known_before(last)};
    struct liveobj_buffer capture = liveobj_capture_to_memory(0, LIVEOBJ_CONTENTS_OBJECTS);
    struct section known = section_find(capture, "KNOW");
    EXPECT(known.count >= 2 * RECORD && known.count % RECORD == 0);
    const unsigned char *records = known.bytes + known.count - 2 * RECORD;
    uint32_t words[] = {first, 0, last, 0};
    for (size_t i = 0; i < 2; i++) {
        EXPECT(memcmp(records + i * RECORD, &words[2 * i], 8) == 0);
        EXPECT(memcmp(records + i * RECORD + 8, &marks[i], sizeof marks[i]) == 0);
    }
    liveobj_buffer_free(capture);
}

static bool keep(void *context, const void *bytes, size_t count) {
    struct liveobj_buffer *buffer = context;
    memcpy((char *)buffer->bytes + buffer->count, bytes, count);
    buffer->count += count;
    return true;
}

TEST(a_test_that_began_during_the_capture_has_not_ended_before) {
    static const char name[] = "Module.Suite/late()";
    char bytes[1 << 12];
    struct liveobj_buffer capture = {.bytes = bytes};
    struct liveobj_stream stream = {.write = keep, .context = &capture};
    uint64_t first = liveobj_tests_get(begin_test(name, "", 0)).first, end;
    liveobj_write_tests(&stream, first - 1);
    const char *id = memmem(bytes, capture.count, name, strlen(name));
    memcpy(&end, id - sizeof(uint32_t) - sizeof end, sizeof end);
    EXPECT(end == first);
}

int main(void) {
    start_recorder();
    run_tests();
    return EXPECT_STATUS();
}

#endif
