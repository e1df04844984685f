// The beginnings and ends of test cases, with a fake runtime that has a stack of task-local values
// for each task, and a fake companion that records its calls.

#include "CCompanion.h"
#include "support/expect.h"
#include "support/fake_recorder.h"
#include "tests/test_cases.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// MARK: - The runtime

struct value {
    const void *key;
    uint64_t word;
};

struct task {
    struct task *parent; ///< whose values it sees below its own
    struct value values[8];
    size_t count;
};

static struct task *running;

void swift_task_localValuePush(const void *key, const void *value, const void *type);
void swift_task_localValuePop(void);
const void *swift_task_localValueGet(const void *key);
const void *swift_task_getCurrent(void);

const char uint64_metadata __asm__("$ss6UInt64VN") = 0;

void swift_task_localValuePush(const void *key, const void *value, const void *type) {
    (void)type;
    struct value *top = &running->values[running->count++];
    top->key = key;
    memcpy(&top->word, value, sizeof top->word);
}

void swift_task_localValuePop(void) {
    EXPECT(running->count > 0);
    running->count--;
}

const void *swift_task_localValueGet(const void *key) {
    for (const struct task *task = running; task; task = task->parent)
        for (size_t i = task->count; i > 0; i--)
            if (task->values[i - 1].key == key)
                return &task->values[i - 1].word;
    return NULL;
}

const void *swift_task_getCurrent(void) {
    return running;
}

// MARK: - The companion

static bool has_case; ///< whether a test case is bound where a value was
static uint32_t begun, ended;
static uint32_t ended_scope;
static bool ended_failed;

static void push(const void *key);
static void pop(void);
static const char state_key, other_key;

/// A description of the case's arguments uses the library.
static uint32_t case_begin(void) {
    push(&other_key), pop();
    return has_case ? 100 + ++begun : 0;
}

static void case_end(uint32_t scope, bool has_failed) {
    ended++;
    ended_scope = scope;
    ended_failed = has_failed;
    EXPECT(running->count >= 2); // the library's value is still bound, below ours
}

// MARK: - The test library

static const uint64_t word = 1;

static void push(const void *key) {
    typedef void (*push_fn)(const void *key, const void *value, const void *type);
    ((push_fn)(uintptr_t)fake_entry("swift_task_localValuePush"))(key, &word, NULL);
}

static void pop(void) {
    ((void (*)(void))(uintptr_t)fake_entry("swift_task_localValuePop"))();
}

static uint32_t bound_scope(void) {
    const uint32_t *scope = swift_task_localValueGet(fake_scope_key);
    return scope ? *scope : 0;
}

static void begin_case(struct task *task) {
    *task = (struct task){0};
    running = task;
    has_case = true;
    push(&state_key);
    has_case = false;
}

// MARK: - Tests

#define WITH_VALUE                                                                                 \
    "$ss9TaskLocalC9withValue_9operation9isolation4file4line"                                      \
    "qd__x_qd__yYaKXEScA_pSgYiSSSutYaKlF"

#define ENTRY_POINT                                                                                \
    "$s7Testing19__swiftPMEntryPoint7passings5NeverOAA25__CommandLineArguments_v0VSg_tYaF"

/// Swift's record of an asynchronous function, with its code behind it.
static const struct {
    int32_t distance;
    uint32_t context_bytes;
    char code[8];
} other_entry_point = {8, 64, ""}, other_with_value = {8, 64, ""};

TEST(without_the_entry_point_no_case_begins) {
    const struct liveobj_testing_companion companion = {.case_begin = case_begin,
                                                        .case_end = case_end};
    EXPECT(liveobj_test_cases_start(&companion) != NULL && fake_scope_key == NULL);
}

TEST(without_calls_of_the_library_no_case_begins) {
    const struct liveobj_testing_companion companion = {
        .case_begin = case_begin, .case_end = case_end, .entry_point = &other_entry_point};
    fake_entries_exist = false;
    EXPECT(liveobj_test_cases_start(&companion) != NULL && fake_scope_key == NULL);
    fake_entries_exist = true;
    EXPECT(liveobj_test_cases_start(&companion) == NULL && fake_scope_key != NULL);
    EXPECT(fake_entry(ENTRY_POINT "Tu") == &other_entry_point);
    EXPECT(fake_entry(ENTRY_POINT) == other_entry_point.code);
}

TEST(a_case_begins_and_ends_with_push_and_pop) {
    struct task task;
    begin_case(&task);
    EXPECT(bound_scope() == 100 + begun && task.count == 2);
    pop();
    EXPECT(ended == begun && ended_scope == 100 + begun && !ended_failed);
    EXPECT(bound_scope() == 0 && task.count == 0);
}

TEST(without_a_case_no_scope_is_bound) {
    struct task task = {0};
    uint32_t before = begun;
    running = &task;
    push(&state_key);
    EXPECT(task.count == 1 && begun == before);
    pop();
    EXPECT(task.count == 0 && ended == begun);
}

TEST(values_bound_inside_a_case_do_not_end_it) {
    struct task task;
    uint32_t before = ended;
    begin_case(&task);
    push(&other_key), push(&state_key);
    EXPECT(task.count == 4);
    pop(), pop();
    EXPECT(ended == before && task.count == 2);
    push(&other_key), pop();
    EXPECT(ended == before && bound_scope() != 0);
    pop();
    EXPECT(ended == before + 1 && task.count == 0);
}

TEST(child_tasks_inherit_the_case_and_do_not_end_it) {
    struct task task, child;
    uint32_t before = ended;
    begin_case(&task);
    uint32_t scope = bound_scope();
    child = (struct task){.parent = &task};
    running = &child;
    EXPECT(bound_scope() == scope);
    push(&other_key), pop();
    push(&state_key), push(&other_key), pop(), pop();
    EXPECT(ended == before && child.count == 0);
    running = &task;
    pop();
    EXPECT(ended == before + 1 && ended_scope == scope);
}

TEST(cases_on_several_tasks_overlap) {
    struct task first, second;
    begin_case(&first);
    uint32_t scope = bound_scope();
    begin_case(&second);
    EXPECT(bound_scope() != scope);
    running = &first;
    pop();
    EXPECT(ended_scope == scope && first.count == 0);
    running = &second;
    pop();
    EXPECT(ended_scope != scope && second.count == 0);
}

/// The task has copied the values, and the case's own task has ended.
TEST(a_task_that_outlives_the_case_does_not_end_it) {
    struct task task, late;
    begin_case(&task);
    late = task;
    pop();
    uint32_t before = ended;
    running = &late;
    push(&other_key), pop();
    liveobj_test_cases_test_failed();
    EXPECT(ended == before && late.count == 2);
}

TEST(a_failure_in_a_task_of_a_case_fails_it) {
    struct task task, child;
    begin_case(&task);
    child = (struct task){.parent = &task};
    running = &child;
    liveobj_test_cases_test_failed();
    running = &task;
    pop();
    EXPECT(ended_failed);
    begin_case(&task);
    pop();
    EXPECT(!ended_failed);
}

/// As that function calls.
TEST(a_case_begins_and_ends_with_the_binding_function) {
    struct task task = {0};
    running = &task;
    swift_task_localValuePush(&state_key, &word, NULL);
    has_case = true;
    liveobj_test_cases_value_bound();
    has_case = false;
    EXPECT(bound_scope() == 100 + begun && task.count == 2);
    liveobj_test_cases_value_bound();
    liveobj_test_cases_value_unbinding();
    EXPECT(bound_scope() == 100 + begun);
    liveobj_test_cases_value_unbinding();
    EXPECT(ended == begun && bound_scope() == 0 && task.count == 1);
}

/// Swift Testing 6.0.
TEST(the_binding_function_of_the_library_is_replaced) {
    struct liveobj_testing_companion companion = {.case_begin = case_begin,
                                                  .case_end = case_end,
                                                  .with_value = &other_with_value,
                                                  .entry_point = &other_entry_point};
    EXPECT(liveobj_test_cases_start(&companion) == NULL);
    EXPECT(fake_entry(WITH_VALUE "Tu") == &other_with_value &&
           fake_entry(WITH_VALUE) == other_with_value.code);
}
