// What variables of the program hold, and what a test without a scope left behind.

#define _GNU_SOURCE
#include "CLiveObjects.h"
#include "metadata/types.h"
#include "records/records.h"
#include "records/thread.h"
#include "support/scoped_objects.h"

#include <pthread.h>
#include <sys/mman.h>

#ifdef FAKE_RUNTIME_CAN_BE_WATCHED

/// Variables of the program.
static void *volatile variable, *volatile other_variable;

static enum liveobj_root_search holding_of(void *const *objects, size_t count) {
    uintptr_t complements[8] = {0};
    for (size_t i = 0; i < count; i++)
        complements[i] = ~(uintptr_t)objects[i];
    return liveobj_search_roots(complements, count);
}

static bool are_held(void *const *objects, size_t count) {
    return holding_of(objects, count) == LIVEOBJ_ROOTS_REACH_ALL;
}

static bool is_held(void *object) {
    return are_held(&object, 1);
}

static void set_strong_count(void *object, uint64_t count) {
    enum { STRONG = 33, AS_MADE = 3 };
    ((uint64_t *)object)[1] = AS_MADE | (count - 1) << STRONG;
}

static void make_unowned_reference(void *object) {
    enum { UNOWNED = 1 };
    ((uint64_t *)object)[1] += 1 << UNOWNED;
}

static void what_a_variable_refers_to_is_held(void) {
    void *object = make_object();
    EXPECT(!is_held(object));
    variable = object;
    EXPECT(is_held(object));
    variable = (void *)((uintptr_t)object | UINT64_C(1) << 62 | 1); // flags in spare bits
    EXPECT(is_held(object));
    variable = (char *)object + sizeof(void *); // into it
    EXPECT(!is_held(object));
    variable = NULL;
    free_object(object);
}

static void so_is_what_objects_refer_to_that_a_variable_leads_to(void) {
    void *first = make_object(), *second = make_object(), *third = make_object();
    void *all[] = {first, second, third};
    set(first, SECOND, second);
    set(second, FIRST, third);
    EXPECT(!are_held(all, 3) && !is_held(third));
    variable = first;
    EXPECT(are_held(all, 3) && is_held(third));
    set(second, FIRST, NULL);
    EXPECT(are_held(all, 2) && !are_held(all, 3));
    variable = NULL;
    free_object(first), free_object(second), free_object(third);
}

static void an_object_with_more_strong_references_than_words_is_not_told_to_be(void) {
    void *object = variable = make_object();
    set_strong_count(object, 2);
    EXPECT(!is_held(object));
    other_variable = object;
    EXPECT(is_held(object));
    variable = other_variable = NULL;
    free_object(object);
}

static void a_word_too_many_may_keep_nothing_alive(void) {
    void *object = variable = make_object();
    other_variable = object; // a key of a table, say
    EXPECT(!is_held(object));
    variable = other_variable = NULL;
    free_object(object);
}

static void a_cycle_that_a_variable_only_points_to_is_not_told_to_be_held(void) {
    void *left = make_object(), *right = make_object(), *both[] = {left, right};
    set(left, FIRST, right);
    set(right, FIRST, left);
    EXPECT(!are_held(both, 2));
    variable = left;
    EXPECT(!are_held(both, 2));
    set_strong_count(left, 2); // now the variable is a reference
    EXPECT(are_held(both, 2));
    variable = NULL;
    free_object(left), free_object(right);
}

/// Whether the test made it or it was there before makes no difference.
static void what_is_held_by_an_object_that_is_not_is_not_told_to_be(void) {
    void *older = variable = make_object(), *newer = make_object();
    set(older, FIRST, newer);
    EXPECT(is_held(newer));
    set(newer, FIRST, older); // a cycle now, and the variable merely knows it
    EXPECT(!is_held(newer));
    set(newer, FIRST, NULL);
    make_unowned_reference(older);
    EXPECT(!is_held(newer));
    variable = NULL;
    free_object(older), free_object(newer);
}

/// As the runtime makes it for weak references: its first word is the object.
static void a_side_table_holds_nothing(void) {
    void *object = make_object();
    void **side_table = variable = swift_slowAlloc(BYTES, ALIGNMENT_MASK);
    *side_table = object;
    EXPECT(!is_held(object));
    variable = NULL;
    swift_slowDealloc(side_table, BYTES, ALIGNMENT_MASK);
    free_object(object);
}

static void nor_is_one_with_unowned_references_or_a_side_table(void) {
    void *object = variable = make_object();
    make_unowned_reference(object);
    EXPECT(!is_held(object));
    ((uint64_t *)object)[1] = UINT64_C(1) << 63 | (uintptr_t)&other_variable >> 3;
    EXPECT(!is_held(object));
    variable = NULL;
    free_object(object);
}

static void what_stacks_and_memory_of_c_hold_takes_a_capture(void) {
    void *volatile on_stack = make_object();
    void **in_c = malloc(sizeof *in_c);
    *in_c = make_object();
    EXPECT(!is_held(on_stack) && !is_held(*in_c));
    free_object(on_stack), free_object(*in_c);
    free(in_c);
}

static void what_was_released_meanwhile_counts_as_held(void) {
    void *object = make_object();
    free_object(object);
    EXPECT(is_held(object) && are_held(NULL, 0));
}

static void beyond_a_hundred_thousand_objects_only_a_capture_tells(void) {
    enum { COUNT = 140000 };
    static void *last;
    void *first = make_object();
    last = variable = first;
    for (size_t i = 1; i < COUNT; i++) {
        void *next = make_object();
        set(last, FIRST, next);
        last = next;
    }
    last = NULL;
    EXPECT(holding_of(&first, 1) == LIVEOBJ_ROOTS_LIMIT_EXCEEDED);
    for (void *object = first, *next; object; object = next) {
        next = ((void **)object)[2];
        free_object(object);
    }
    variable = NULL;
}

/// Variables at the begin, at the end and behind the end of what is read at once.
static void variables_are_found_wherever_they_lie(void) {
    enum { WORDS = 3 << 13, BLOCK = 1 << 13 };
    static void *volatile many[WORDS] __attribute__((aligned(1 << 16)));
    static const size_t places[] = {0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK, WORDS - 1};
    void *object = make_object();
    for (size_t i = 0; i < WORDS; i++)
        many[i] = (void *)1; // so that all of it is in memory
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        many[places[i]] = object;
        EXPECT(is_held(object));
        many[places[i]] = (void *)1;
    }
    free_object(object);
}

static void pages_of_variables_that_cannot_be_read_are_left_out(void) {
    enum { PAGE = 4096 };
    static char guarded[3 * PAGE] __attribute__((aligned(PAGE)));
    memset(guarded, 1, sizeof guarded); // in memory
    void *object = variable = make_object();
    EXPECT(mprotect(guarded + PAGE, PAGE, PROT_NONE) == 0);
    EXPECT(is_held(object));
    EXPECT(mprotect(guarded + PAGE, PAGE, PROT_READ | PROT_WRITE) == 0);
    variable = NULL;
    free_object(object);
}

/// Of a large block the allocator keeps nothing; where nobody sees `free`, it stays recorded.
static void a_block_that_is_no_memory_any_more_is_survived(void) {
    enum { PAGE = 4096, PAGES = 3 };
    char *block = aligned_alloc(PAGE, PAGES * PAGE);
    struct liveobj_object record = {
        .address = (uintptr_t)block, .bytes = PAGES * PAGE, .sequence = liveobj_mark()};
    record.metadata = LIVEOBJ_METADATA_RAW_BUFFER;
    liveobj_records_insert(liveobj_tls.thread, record);
    void *object = variable = make_object();
    other_variable = block;
    EXPECT(mprotect(block, PAGES * PAGE, PROT_NONE) == 0);
    EXPECT(is_held(object));
    EXPECT(mprotect(block, PAGES * PAGE, PROT_READ | PROT_WRITE) == 0);
    liveobj_records_remove(liveobj_tls.thread, liveobj_records_slot((uintptr_t)block));
    variable = other_variable = NULL;
    free(block);
    free_object(object);
}

static void without_a_recorder_nothing_is_shown(void) {
    EXPECT(holding_of(NULL, 0) == LIVEOBJ_ROOTS_INCONCLUSIVE);
}

static void *volatile moving;
static bool is_moving; // atomic

static void *move(void *unused) {
    while (__atomic_load_n(&is_moving, __ATOMIC_RELAXED)) {
        void *object = make_object();
        set(object, FIRST, moving);
        moving = object;
        set(object, FIRST, NULL);
        moving = NULL;
        free_object(object);
    }
    return unused;
}

static void another_thread_may_change_everything_meanwhile(void) {
    enum { TIMES = 50 };
    pthread_t thread;
    void *object = variable = make_object();
    __atomic_store_n(&is_moving, true, __ATOMIC_RELAXED);
    EXPECT(pthread_create(&thread, NULL, move, NULL) == 0);
    for (int i = 0; i < TIMES; i++)
        EXPECT(is_held(object));
    __atomic_store_n(&is_moving, false, __ATOMIC_RELAXED);
    pthread_join(thread, NULL);
    variable = NULL;
    free_object(object);
}

// MARK: - Instances

struct seen {
    size_t count;
    struct liveobj_instance last;
};

static void note(void *context, const struct liveobj_instance *instance) {
    struct seen *seen = context;
    seen->count++;
    seen->last = *instance;
}

static struct seen instances_of(uint32_t test) {
    struct seen seen = {0};
    liveobj_test_visit_instances(test, note, &seen);
    return seen;
}

static void a_test_left_behind_what_was_made_while_it_ran(void) {
    void *before = make_object();
    uint32_t test = begin_test("Module.Suite/test", "", 0);
    EXPECT(instances_of(test).count == 0);
    void *object = make_object(), *buffer = swift_slowAlloc(BYTES, ALIGNMENT_MASK);
    struct seen seen = instances_of(test);
    EXPECT(seen.count == 1 && ~seen.last.complement == (uintptr_t)object && seen.last.sequence > 0);
    end_test(test);
    void *later = make_object();
    EXPECT(instances_of(test).count == 1);
    ((uint64_t *)object)[1] |= UINT64_C(1) << 32; // its deinit has begun
    EXPECT(instances_of(test).count == 0);
    free_object(before), free_object(object), free_object(buffer), free_object(later);
}

static void what_is_no_test_left_nothing_behind(void) {
    EXPECT(instances_of(0).count == 0 && instances_of(UINT32_MAX).count == 0);
}

int main(void) {
    without_a_recorder_nothing_is_shown();
    start_recorder();
    what_a_variable_refers_to_is_held();
    so_is_what_objects_refer_to_that_a_variable_leads_to();
    an_object_with_more_strong_references_than_words_is_not_told_to_be();
    a_word_too_many_may_keep_nothing_alive();
    a_cycle_that_a_variable_only_points_to_is_not_told_to_be_held();
    what_is_held_by_an_object_that_is_not_is_not_told_to_be();
    a_side_table_holds_nothing();
    nor_is_one_with_unowned_references_or_a_side_table();
    what_stacks_and_memory_of_c_hold_takes_a_capture();
    what_was_released_meanwhile_counts_as_held();
    beyond_a_hundred_thousand_objects_only_a_capture_tells();
    variables_are_found_wherever_they_lie();
    pages_of_variables_that_cannot_be_read_are_left_out();
    a_block_that_is_no_memory_any_more_is_survived();
    another_thread_may_change_everything_meanwhile();
    a_test_left_behind_what_was_made_while_it_ran();
    what_is_no_test_left_nothing_behind();
    return EXPECT_STATUS();
}

#else

int main(void) {
    return 0; // nothing can be watched here
}

#endif
