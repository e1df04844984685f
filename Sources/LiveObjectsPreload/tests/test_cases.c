// test_cases.c - owns the task-local value that says which test case of Swift Testing runs.
//
// Swift Testing gives its own state of a test case to the tasks in it by a task-local value, and
// calls the runtime to bind it and to let it go, of which this file learns (testing_calls.c). When
// a test case begins, a value of ours is bound on top of the library's: child tasks and actors
// inherit it, and the recorder stores the scope in it with every object. Before the library's value
// goes, ours goes: task-local values lie in the task's own stack of memory, last in, first out.
//
// Between the two the library binds more on the same task (known issues, time limits). These are
// counted, on the task that began the case, the owner. Its child tasks bind values of their own.
//
// Outside of the recorder's hooks. A case's memory is never given back: a task that outlives the
// case still leads to it.

#include "tests/test_cases.h"
#include "CCompanion.h"
#include "CLiveObjects.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>

/// What our task-local value holds. The recorder reads the scope.
struct binding {
    uint32_t scope;
    uint32_t index; ///< of the case
};
_Static_assert(sizeof(struct binding) == sizeof(uint64_t), "it is bound as a UInt64");

/// A test case that runs, or has run.
struct test_case {
    const void *owner; ///< the task that began it; NULL when it has ended
    uint32_t scope;
    uint32_t pushes;    ///< what the library has bound on the owner since
    uint32_t is_failed; ///< atomic: set by tasks of the case
};

/// More than one process has (the table of tests has the same limit). Reserves address space only.
enum { CASES_LIMIT = 1 << 20 };
static struct test_case *cases;
static uint32_t case_count; // atomic

/// Stands in for a `TaskLocal` object: its address is the key, and it is never counted or freed.
static const struct {
    const void *metadata;
    uint64_t reference_counts;
} key = {NULL, 0x80000004FFFFFFFF};

static struct liveobj_task_runtime runtime;

static struct liveobj_testing_companion companion;

/// The companion asks the test for descriptions of its arguments, and these may use the library.
static __thread bool is_asking __attribute__((tls_model("initial-exec")));

// MARK: - Cases

/// The case that this task, or a task that it inherits from, runs in; NULL for none.
static struct test_case *bound_case(void) {
    const struct binding *binding = runtime.get(&key);
    return binding ? &cases[binding->index] : NULL;
}

/// \returns the scope of a case that begins here; 0 for none.
static uint32_t ask_companion(void) {
    if (is_asking)
        return 0;
    is_asking = true;
    uint32_t scope = companion.case_begin();
    is_asking = false;
    return scope;
}

static void begin_case(void) {
    const void *task = runtime.current();
    uint32_t scope = task ? ask_companion() : 0;
    if (scope == 0)
        return;
    // Relaxed: each index is taken once, and that is all there is to it.
    uint32_t index = __atomic_add_fetch(&case_count, 1, __ATOMIC_RELAXED);
    if (index >= CASES_LIMIT)
        return;
    cases[index] = (struct test_case){.owner = task, .scope = scope};
    struct binding binding = {scope, index};
    runtime.push(&key, &binding, runtime.word_type);
}

static void end_case(struct test_case *test_case) {
    bool is_failed = __atomic_load_n(&test_case->is_failed, __ATOMIC_RELAXED);
    // Relaxed: only the owner, which is here, asks more than whether it is NULL.
    __atomic_store_n(&test_case->owner, NULL, __ATOMIC_RELAXED);
    companion.case_end(test_case->scope, is_failed);
    runtime.pop();
}

static bool is_owner(const struct test_case *test_case) {
    const void *owner = __atomic_load_n(&test_case->owner, __ATOMIC_RELAXED);
    return owner && owner == runtime.current();
}

// MARK: - Values and failures of the library

void liveobj_test_cases_value_bound(void) {
    struct test_case *test_case = bound_case();
    if (!test_case)
        begin_case();
    else if (is_owner(test_case))
        test_case->pushes++;
}

void liveobj_test_cases_value_unbinding(void) {
    struct test_case *test_case = bound_case();
    if (test_case && is_owner(test_case) && test_case->pushes-- == 0)
        end_case(test_case);
}

void liveobj_test_cases_test_failed(void) {
    struct test_case *test_case = bound_case();
    if (test_case)
        __atomic_store_n(&test_case->is_failed, true, __ATOMIC_RELAXED);
}

// MARK: - Start

static bool make_cases(void) {
    void *memory = mmap(NULL, CASES_LIMIT * sizeof *cases, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    cases = memory == MAP_FAILED ? NULL : memory;
    return cases != NULL;
}

const char *liveobj_test_cases_start(const struct liveobj_testing_companion *functions) {
    companion = *functions;
    if (!make_cases())
        return "there is no memory for test cases";
    const char *problem = liveobj_testing_calls_replace(&runtime, functions);
    if (!problem)
        liveobj_scope_set_key(LIVEOBJ_SCOPE_TESTS, &key);
    return problem;
}
