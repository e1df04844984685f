// What a test left behind that may keep itself alive, and the capture of it.

#define _GNU_SOURCE
#include "support/capture_sections.h"
#include "support/scoped_objects.h"

#ifdef FAKE_RUNTIME_CAN_BE_WATCHED

static bool take_nothing(void *context, const void *bytes, size_t count) {
    (void)context, (void)bytes, (void)count;
    return true;
}

static enum liveobj_cycle_check remains_of(uint32_t test) {
    return liveobj_test_capture(test, take_nothing, NULL);
}

static bool may_leave_cycle(uint32_t test) {
    enum liveobj_cycle_check remains = remains_of(test);
    EXPECT(remains != LIVEOBJ_CYCLE_INCONCLUSIVE);
    return remains == LIVEOBJ_CYCLE_POSSIBLE;
}

static void what_leads_nowhere_is_no_cycle(void) {
    uint32_t scope = liveobj_scope_make(), test = begin_test("Module.Suite/values()", "", scope);
    EXPECT(!may_leave_cycle(test));
    void *top = make_object_in(scope), *left = make_object_in(scope);
    void *right = make_object_in(scope), *bottom = make_object_in(scope);
    set(top, FIRST, left);
    set(top, SECOND, right);
    set(left, FIRST, bottom);
    set(right, FIRST, bottom); // met twice, from different sides
    EXPECT(!may_leave_cycle(test));
    set(bottom, SECOND, (void *)((uintptr_t)top | UINT64_C(0xf) << 60 | 5)); // flags in spare bits
    EXPECT(may_leave_cycle(test));
    free_object(bottom);
    EXPECT(!may_leave_cycle(test));
    free_object(top), free_object(left), free_object(right);
    end_test(test);
}

static void an_object_that_refers_to_itself_is_a_cycle(void) {
    uint32_t scope = liveobj_scope_make(), test = begin_test("Module.Suite/own()", "", scope);
    void *object = make_object_in(scope);
    set(object, SECOND, object);
    EXPECT(may_leave_cycle(test));
    end_test(test);
    free_object(object);
}

static void a_cycle_may_lead_through_newer_objects_of_no_test_only(void) {
    void *older = make_object();
    uint32_t scope = liveobj_scope_make(), test = begin_test("Module.Suite/older()", "", scope);
    void *object = make_object_in(scope), *newer = make_object();
    set(older, FIRST, object);
    set(object, FIRST, older);
    EXPECT(!may_leave_cycle(test));
    set(object, SECOND, newer);
    set(newer, FIRST, object);
    EXPECT(may_leave_cycle(test));
    free_object(object), free_object(newer);
    end_test(test);
    free_object(older);
}

static void objects_of_no_test_or_another_one_start_no_search(void) {
    uint32_t scope = liveobj_scope_make(), test = begin_test("Module.Suite/queues()", "", scope);
    void *foreign = make_object_in(liveobj_scope_make()), *unscoped = make_object();
    set(foreign, FIRST, foreign);
    set(unscoped, FIRST, unscoped);
    EXPECT(!may_leave_cycle(test));
    void *object = make_object_in(scope);
    set(object, FIRST, unscoped);
    EXPECT(may_leave_cycle(test));
    free_object(object), free_object(unscoped), free_object(foreign);
    end_test(test);
}

static void a_test_without_a_scope_has_all_objects_since_it_began(void) {
    void *before = make_object();
    set(before, FIRST, before);
    uint32_t test = begin_test("Module.Suite/test", "", 0);
    EXPECT(!may_leave_cycle(test));
    void *object = make_object();
    set(object, FIRST, object);
    EXPECT(may_leave_cycle(test));
    free_object(object), free_object(before);
    end_test(test);
}

static void the_capture_shows_what_can_be_reached_and_nothing_else(void) {
    enum { OBJECT_BYTES = 48, STATE = 0, FLAGS = 4, READ = 1, PARTIAL = 8 };
    struct liveobj_buffer capture = {0};
    uint32_t scope = liveobj_scope_make(), test = begin_test("Module.Suite/shown()", "", scope);
    void *left = make_object_in(scope), *right = make_object(), *unrelated = make_object();
    set(left, FIRST, right);
    set(right, FIRST, left);
    EXPECT(liveobj_test_capture_to_memory(test, &capture) == LIVEOBJ_CYCLE_POSSIBLE);
    struct section graph = section_find(capture, "GRPH");
    EXPECT(section_find(capture, "OBJS").count == 2 * OBJECT_BYTES);
    EXPECT(section_word(graph, STATE) == READ && section_word(graph, FLAGS) & PARTIAL);
    EXPECT(!section_find(capture, "ROOT").bytes && section_find(capture, "END!").bytes);
    liveobj_buffer_free(capture);
    free_object(left), free_object(right), free_object(unrelated);
    end_test(test);
}

static void objects_whose_deinit_has_begun_start_no_search(void) {
    uint32_t scope = liveobj_scope_make(), test = begin_test("Module.Suite/dead()", "", scope);
    void *object = make_object_in(scope);
    set(object, FIRST, object);
    ((uint64_t *)object)[1] |= UINT64_C(1) << 32; // as the runtime marks it
    EXPECT(!may_leave_cycle(test));
    free_object(object);
    end_test(test);
}

static void beyond_tens_of_thousands_of_objects_the_search_gives_up(void) {
    enum { COUNT = 40000 };
    static void *objects[COUNT];
    uint32_t scope = liveobj_scope_make(), test = begin_test("Module.Suite/large()", "", scope);
    for (size_t i = 0; i < COUNT; i++)
        objects[i] = make_object_in(scope);
    EXPECT(remains_of(test) == LIVEOBJ_CYCLE_INCONCLUSIVE);
    for (size_t i = 0; i < COUNT; i++)
        free_object(objects[i]);
    EXPECT(!may_leave_cycle(test));
    end_test(test);
}

static void what_is_no_test_leaves_nothing(void) {
    EXPECT(!may_leave_cycle(0) && !may_leave_cycle(UINT32_MAX));
}

int main(void) {
    start_recorder();
    what_leads_nowhere_is_no_cycle();
    an_object_that_refers_to_itself_is_a_cycle();
    a_cycle_may_lead_through_newer_objects_of_no_test_only();
    objects_of_no_test_or_another_one_start_no_search();
    a_test_without_a_scope_has_all_objects_since_it_began();
    the_capture_shows_what_can_be_reached_and_nothing_else();
    objects_whose_deinit_has_begun_start_no_search();
    beyond_tens_of_thousands_of_objects_the_search_gives_up();
    what_is_no_test_leaves_nothing();
    return EXPECT_STATUS();
}

#else

int main(void) {
    return 0; // nothing can be watched here
}

#endif
