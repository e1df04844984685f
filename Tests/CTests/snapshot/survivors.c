// Which objects of a test are held, without a capture.

#include "support/scoped_objects.h"

#include <stdlib.h>

#ifdef FAKE_RUNTIME_CAN_BE_WATCHED

enum { INSTANCES_LIMIT = 8 };

static void *volatile variable;

struct instances {
    struct liveobj_instance items[INSTANCES_LIMIT];
    size_t count;
};

static void add_instance(void *context, const struct liveobj_instance *instance) {
    struct instances *instances = context;
    if (instances->count < INSTANCES_LIMIT)
        instances->items[instances->count++] = *instance;
}

/// Ends the test and evaluates it. Frees what it left behind.
static enum liveobj_test_check check_at_end(uint32_t test) {
    struct instances instances = {0};
    struct liveobj_buffer capture = {0};
    end_test(test);
    liveobj_test_visit_instances(test, add_instance, &instances);
    EXPECT(instances.count > 0);
    liveobj_stack_overwrite();
    enum liveobj_test_check check =
        liveobj_test_capture_to_memory(test, instances.items, instances.count, &capture);
    EXPECT((check == LIVEOBJ_TEST_CAPTURED) == (capture.count > 0));
    liveobj_buffer_free(capture);
    for (size_t i = 0; i < instances.count; i++)
        free_object((void *)~instances.items[i].complement);
    variable = NULL;
    return check;
}

/// Not inlined: no copy of an address may stay in the frame of the test.
__attribute__((noinline)) static void leave_in_variable(void) {
    variable = make_object();
}

TEST(an_object_in_a_variable_is_held) {
    uint32_t test = begin_test("Module.Suite/held()", "", 0);
    leave_in_variable();
    EXPECT(check_at_end(test) == LIVEOBJ_TEST_CLEAN);
}

__attribute__((noinline)) static void leave_to_nothing(void) {
    make_object();
}

TEST(an_object_that_nothing_refers_to_is_captured) {
    uint32_t test = begin_test("Module.Suite/lost()", "", 0);
    leave_in_variable();
    leave_to_nothing();
    EXPECT(check_at_end(test) == LIVEOBJ_TEST_CAPTURED);
}

__attribute__((noinline)) static void leave_in_memory(void ***memory) {
    *memory = malloc(sizeof **memory);
    **memory = make_object();
}

TEST(an_object_in_memory_of_c_code_is_captured) {
    static void **memory;
    uint32_t test = begin_test("Module.Suite/memory()", "", 0);
    leave_in_memory(&memory);
    EXPECT(check_at_end(test) == LIVEOBJ_TEST_CAPTURED);
    free(memory);
}

__attribute__((noinline)) static void leave_to_a_word(void) {
    leave_in_variable();
    set(variable, FIRST, make_object());
}

TEST(an_object_that_a_word_of_a_held_one_leads_to_is_held) {
    uint32_t test = begin_test("Module.Suite/word()", "", 0);
    leave_to_a_word();
    EXPECT(check_at_end(test) == LIVEOBJ_TEST_CLEAN);
}

__attribute__((noinline)) static void leave_cycle(void) {
    void *first = make_object(), *second = make_object();
    set(first, FIRST, second);
    set(second, FIRST, first);
}

TEST(a_cycle_of_words_is_captured) {
    uint32_t test = begin_test("Module.Suite/cycle()", "", 0);
    leave_in_variable();
    leave_cycle();
    EXPECT(check_at_end(test) == LIVEOBJ_TEST_CAPTURED);
}

__attribute__((noinline)) static void leave_buffer(void) {
    leave_in_variable();
    set(variable, FIRST, swift_slowAlloc(BYTES, ALIGNMENT_MASK));
}

TEST(a_buffer_that_an_object_refers_to_is_no_reason_for_a_capture) {
    uint32_t test = begin_test("Module.Suite/buffer()", "", 0);
    leave_buffer();
    EXPECT(check_at_end(test) == LIVEOBJ_TEST_CLEAN);
}

TEST(objects_that_died_are_not_evaluated) {
    struct instances instances = {0};
    struct liveobj_buffer capture = {0};
    uint32_t test = begin_test("Module.Suite/dead()", "", 0);
    leave_to_nothing();
    liveobj_test_visit_instances(test, add_instance, &instances);
    end_test(test);
    EXPECT(instances.count == 1);
    free_object((void *)~instances.items[0].complement);
    EXPECT(liveobj_test_capture_to_memory(test, instances.items, instances.count, &capture) ==
           LIVEOBJ_TEST_CLEAN);
}

int main(void) {
    start_recorder();
    run_tests();
    return EXPECT_STATUS();
}

#endif
