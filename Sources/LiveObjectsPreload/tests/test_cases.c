// test_cases.c - owns the task-local value that says which test case of Swift Testing runs.
//
// Swift Testing gives its own state of a test case to the tasks in it by a task-local value, and
// calls the runtime to bind it and to let it go. In its image, and nowhere else, these two calls
// come here first; Swift Testing 6.0 makes them by one function of the runtime, in whose place the
// companion's stands, which calls this file before and after it. When a test case begins, a value
// of ours is bound on top of the library's: child tasks and actors inherit it, and the recorder
// stores the scope in it with every object. Before the library's value goes, ours goes: task-local
// values lie in the task's own stack of memory, last in, first out.
//
// Between the two the library binds more on the same task (known issues, time limits). These are
// counted, on the task that began the case, the owner. Its child tasks bind values of their own.
//
// Outside of the recorder's hooks. A case's memory is never given back: a task that outlives the
// case still leads to it.

#define _GNU_SOURCE
#include "tests/test_cases.h"
#include "CCompanion.h"
#include "CLiveObjects.h"
#include "runtime/image.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

static const char library[] = "libTesting.so";

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

typedef void (*push_fn)(const void *key, const void *value, const void *type);
typedef void (*pop_fn)(void);
static push_fn task_local_push;
static pop_fn task_local_pop;
static const void *(*task_local_get)(const void *key);
static const void *(*task_current)(void);
static const void *binding_type; // the metadata of UInt64

static struct liveobj_testing_companion companion;

/// The companion asks the test for descriptions of its arguments, and these may use the library.
static __thread bool is_asking __attribute__((tls_model("initial-exec")));

// MARK: - Cases

/// The case that this task, or a task that it inherits from, runs in; NULL for none.
static struct test_case *bound_case(void) {
    const struct binding *binding = task_local_get(&key);
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
    const void *task = task_current();
    uint32_t scope = task ? ask_companion() : 0;
    if (scope == 0)
        return;
    // Relaxed: each index is taken once, and that is all there is to it.
    uint32_t index = __atomic_add_fetch(&case_count, 1, __ATOMIC_RELAXED);
    if (index >= CASES_LIMIT)
        return;
    cases[index] = (struct test_case){.owner = task, .scope = scope};
    struct binding binding = {scope, index};
    task_local_push(&key, &binding, binding_type);
}

static void end_case(struct test_case *test_case) {
    bool is_failed = __atomic_load_n(&test_case->is_failed, __ATOMIC_RELAXED);
    // Relaxed: only the owner, which is here, asks more than whether it is NULL.
    __atomic_store_n(&test_case->owner, NULL, __ATOMIC_RELAXED);
    companion.case_end(test_case->scope, is_failed);
    task_local_pop();
}

static bool is_owner(const struct test_case *test_case) {
    const void *owner = __atomic_load_n(&test_case->owner, __ATOMIC_RELAXED);
    return owner && owner == task_current();
}

// MARK: - In the place of what the library calls

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

static void hook_push(const void *other_key, const void *value, const void *type) {
    task_local_push(other_key, value, type);
    liveobj_test_cases_value_bound();
}

static void hook_pop(void) {
    liveobj_test_cases_value_unbinding();
    task_local_pop();
}

/// Swift Testing writes its output about a test on one of the test's own tasks.
static void note_failure(const char *text, size_t count) {
    struct test_case *test_case = bound_case();
    if (test_case && liveobj_test_output_is_failure(text, count))
        __atomic_store_n(&test_case->is_failed, true, __ATOMIC_RELAXED);
}

/// Swift Testing writes its event stream (JSON) with it.
static size_t hook_fwrite(const void *bytes, size_t size, size_t count, FILE *file) {
    note_failure(bytes, size * count);
    return fwrite(bytes, size, count, file);
}

/// Swift Testing writes its output for the terminal with it.
static int hook_fputs(const char *text, FILE *file) {
    note_failure(text, strlen(text));
    return fputs(text, file);
}

// MARK: - Start

static bool find_runtime(void) {
    *(void **)&task_local_push = dlsym(RTLD_DEFAULT, "swift_task_localValuePush");
    *(void **)&task_local_pop = dlsym(RTLD_DEFAULT, "swift_task_localValuePop");
    *(void **)&task_local_get = dlsym(RTLD_DEFAULT, "swift_task_localValueGet");
    *(void **)&task_current = dlsym(RTLD_DEFAULT, "swift_task_getCurrent");
    binding_type = dlsym(RTLD_DEFAULT, "$ss6UInt64VN");
    return task_local_push && task_local_pop && task_local_get && task_current && binding_type;
}

static bool make_cases(void) {
    void *memory = mmap(NULL, CASES_LIMIT * sizeof *cases, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    cases = memory == MAP_FAILED ? NULL : memory;
    return cases != NULL;
}

static bool replace(const char *symbol, void *function) {
    return liveobj_images_replace_got_entries(library, symbol, function) > 0;
}

/// Swift's record of an asynchronous function (symbol with the suffix "Tu"). A caller allocates the
/// function's context, and then calls the code through the record or directly.
struct async_function {
    int32_t distance; ///< of the code, from here
    uint32_t context_bytes;
};

/// Whether Swift Testing binds its state of a test case by a function of the runtime's, as 6.0
/// does, and the companion has one for its place.
static bool replace_with_value(void) {
#define WITH_VALUE                                                                                 \
    "$ss9TaskLocalC9withValue_9operation9isolation4file4line"                                      \
    "qd__x_qd__yYaKXEScA_pSgYiSSSutYaKlF"
    const struct async_function *function = companion.with_value;
    if (!function || !replace(WITH_VALUE "Tu", (void *)(uintptr_t)function))
        return false;
    replace(WITH_VALUE, (char *)(uintptr_t)function + function->distance);
    return true;
}

/// Both or none. The library's calls as they are come first: that only shows whether there are any.
static bool replace_calls(void) {
    return replace("swift_task_localValuePush", *(void **)&task_local_push) &&
           replace("swift_task_localValuePop", *(void **)&task_local_pop) &&
           replace("swift_task_localValuePop", (void *)(uintptr_t)hook_pop) &&
           replace("swift_task_localValuePush", (void *)(uintptr_t)hook_push);
}

const char *liveobj_test_cases_start(const struct liveobj_testing_companion *functions) {
    companion = *functions;
    if (!make_cases())
        return "there is no memory for test cases";
    if (!find_runtime() || !(replace_with_value() || replace_calls()))
        return "this version of Swift Testing does not show where its tests begin and end";
    replace("fwrite", (void *)(uintptr_t)hook_fwrite);
    replace("fputs", (void *)(uintptr_t)hook_fputs);
    liveobj_scope_set_key(LIVEOBJ_SCOPE_TESTS, &key);
    return NULL;
}
