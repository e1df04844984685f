// The search for possible cycles among a test's survivors, and its partial capture.

#include "support/capture_sections.h"
#include "support/scoped_objects.h"

#ifdef FAKE_RUNTIME_CAN_BE_WATCHED

static bool discard_output(void *context, const void *bytes, size_t count) {
    (void)context, (void)bytes, (void)count;
    return true;
}

static enum liveobj_test_check cycle_check_of(uint32_t test) {
    return liveobj_test_capture(test, NULL, 0, discard_output, NULL);
}

static bool cycle_is_possible(uint32_t test) {
    enum liveobj_test_check remains = cycle_check_of(test);
    EXPECT(remains != LIVEOBJ_TEST_INCONCLUSIVE);
    return remains == LIVEOBJ_TEST_CAPTURED;
}

TEST(an_object_without_references_is_no_cycle) {
    uint32_t scope = liveobj_scope_make(), test = begin_test("Module.Suite/values()", "", scope);
    EXPECT(!cycle_is_possible(test));
    void *top = make_object_in(scope), *left = make_object_in(scope);
    void *right = make_object_in(scope), *bottom = make_object_in(scope);
    set(top, FIRST, left);
    set(top, SECOND, right);
    set(left, FIRST, bottom);
    set(right, FIRST, bottom); // met twice, from different sides
    EXPECT(!cycle_is_possible(test));
    set(bottom, SECOND, (void *)((uintptr_t)top | UINT64_C(0xf) << 60 | 5)); // flags in spare bits
    EXPECT(cycle_is_possible(test));
    free_object(bottom);
    EXPECT(!cycle_is_possible(test));
    free_object(top), free_object(left), free_object(right);
    end_test(test);
}

TEST(an_object_that_refers_to_itself_is_a_cycle) {
    uint32_t scope = liveobj_scope_make(), test = begin_test("Module.Suite/own()", "", scope);
    void *object = make_object_in(scope);
    set(object, SECOND, object);
    EXPECT(cycle_is_possible(test));
    end_test(test);
    free_object(object);
}

TEST(a_cycle_may_pass_only_through_newer_unattributed_objects) {
    void *older = make_object();
    uint32_t scope = liveobj_scope_make(), test = begin_test("Module.Suite/older()", "", scope);
    void *object = make_object_in(scope), *newer = make_object();
    set(older, FIRST, object);
    set(object, FIRST, older);
    EXPECT(!cycle_is_possible(test));
    set(object, SECOND, newer);
    set(newer, FIRST, object);
    EXPECT(cycle_is_possible(test));
    free_object(object), free_object(newer);
    end_test(test);
    free_object(older);
}

TEST(objects_of_other_tests_start_no_search) {
    uint32_t scope = liveobj_scope_make(), test = begin_test("Module.Suite/queues()", "", scope);
    void *foreign = make_object_in(liveobj_scope_make()), *unscoped = make_object();
    set(foreign, FIRST, foreign);
    set(unscoped, FIRST, unscoped);
    EXPECT(!cycle_is_possible(test));
    void *object = make_object_in(scope);
    set(object, FIRST, unscoped);
    EXPECT(cycle_is_possible(test));
    free_object(object), free_object(unscoped), free_object(foreign);
    end_test(test);
}

TEST(a_test_without_a_scope_owns_all_objects_since_its_beginning) {
    void *before = make_object();
    set(before, FIRST, before);
    uint32_t test = begin_test("Module.Suite/test", "", 0);
    EXPECT(!cycle_is_possible(test));
    void *object = make_object();
    set(object, FIRST, object);
    EXPECT(cycle_is_possible(test));
    free_object(object), free_object(before);
    end_test(test);
}

TEST(the_partial_capture_contains_only_reachable_objects) {
    enum { OBJECT_BYTES = 48, STATE = 0, FLAGS = 4, READ = 1, PARTIAL = 8 };
    struct liveobj_buffer capture = {0};
    uint32_t scope = liveobj_scope_make(), test = begin_test("Module.Suite/shown()", "", scope);
    void *left = make_object_in(scope), *right = make_object(), *unrelated = make_object();
    set(left, FIRST, right);
    set(right, FIRST, left);
    EXPECT(liveobj_test_capture_to_memory(test, NULL, 0, &capture) == LIVEOBJ_TEST_CAPTURED);
    struct section graph = section_find(capture, "GRPH");
    EXPECT(section_find(capture, "OBJS").count == 2 * OBJECT_BYTES);
    EXPECT(section_word(graph, STATE) == READ && section_word(graph, FLAGS) & PARTIAL);
    EXPECT(!section_find(capture, "ROOT").bytes && section_find(capture, "END!").bytes);
    liveobj_buffer_free(capture);
    free_object(left), free_object(right), free_object(unrelated);
    end_test(test);
}

TEST(objects_whose_deinit_has_begun_start_no_search) {
    uint32_t scope = liveobj_scope_make(), test = begin_test("Module.Suite/dead()", "", scope);
    void *object = make_object_in(scope);
    set(object, FIRST, object);
    ((uint64_t *)object)[1] |= UINT64_C(1) << 32; // as the runtime marks it
    EXPECT(!cycle_is_possible(test));
    free_object(object);
    end_test(test);
}

TEST(the_search_is_inconclusive_beyond_the_object_limit) {
    enum { COUNT = 40000 };
    static void *objects[COUNT];
    uint32_t scope = liveobj_scope_make(), test = begin_test("Module.Suite/large()", "", scope);
    for (size_t i = 0; i < COUNT; i++)
        objects[i] = make_object_in(scope);
    EXPECT(cycle_check_of(test) == LIVEOBJ_TEST_INCONCLUSIVE);
    for (size_t i = 0; i < COUNT; i++)
        free_object(objects[i]);
    EXPECT(!cycle_is_possible(test));
    end_test(test);
}

TEST(an_unknown_test_has_no_survivors) {
    EXPECT(!cycle_is_possible(0) && !cycle_is_possible(UINT32_MAX));
}

int main(void) {
    start_recorder();
    run_tests();
    return EXPECT_STATUS();
}

#endif
