// testing_calls.c - replaces what Swift Testing and the test binary call: the functions that show
// where test cases begin, end and fail.
//
// In Swift Testing's image, and nowhere else, the two calls that bind and unbind a task-local value
// come here first. Swift Testing 6.0 makes them by one function of the runtime, in whose place the
// companion's stands, which calls test_cases.c before and after it. The test binary runs its tests
// by the companion's entry point instead of the library's for SwiftPM, and the companion learns
// from the library's events which test has failed.

#include "CCompanion.h"
#include "runtime/image.h"
#include "tests/test_cases.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

static const char library[] = "libTesting.so";
static const char executable[] = "exe"; // its name in /proc, which is that of the image (image.c)

static struct liveobj_task_runtime runtime;

static bool find_runtime(void) {
    *(void **)&runtime.push = dlsym(RTLD_DEFAULT, "swift_task_localValuePush");
    *(void **)&runtime.pop = dlsym(RTLD_DEFAULT, "swift_task_localValuePop");
    *(void **)&runtime.get = dlsym(RTLD_DEFAULT, "swift_task_localValueGet");
    *(void **)&runtime.current = dlsym(RTLD_DEFAULT, "swift_task_getCurrent");
    runtime.word_type = dlsym(RTLD_DEFAULT, "$ss6UInt64VN");
    return runtime.push && runtime.pop && runtime.get && runtime.current && runtime.word_type;
}

// MARK: - In the place of what the library calls

static void hook_push(const void *key, const void *value, const void *type) {
    runtime.push(key, value, type);
    liveobj_test_cases_value_bound();
}

static void hook_pop(void) {
    liveobj_test_cases_value_unbinding();
    runtime.pop();
}

static bool replace_call(const char *symbol, void *function) {
    return liveobj_images_replace_got_entries(library, symbol, function) > 0;
}

/// Replaces both or none: the first two replacements change nothing, and show whether all calls are
/// there.
static bool replace_calls(void) {
    return replace_call("swift_task_localValuePush", *(void **)&runtime.push) &&
           replace_call("swift_task_localValuePop", *(void **)&runtime.pop) &&
           replace_call("swift_task_localValuePop", (void *)(uintptr_t)hook_pop) &&
           replace_call("swift_task_localValuePush", (void *)(uintptr_t)hook_push);
}

// MARK: - Asynchronous functions

/// Swift's record of an asynchronous function (symbol with the suffix "Tu"). A caller allocates the
/// function's context, and then calls the code through the record or directly.
struct async_function {
    int32_t distance; ///< of the code, from here
    uint32_t context_bytes;
};

/// Replaces a function in an image that calls it.
/// \param replacement NULL in a companion that has none.
static bool replace_async(const char *image, const char *record, const char *code,
                          const struct async_function *replacement) {
    void *entry = (void *)(uintptr_t)replacement;
    if (!entry || !liveobj_images_replace_got_entries(image, record, entry))
        return false;
    liveobj_images_replace_got_entries(image, code, (char *)entry + replacement->distance);
    return true;
}

/// Whether Swift Testing binds its state of a test case by a function of the runtime's, as 6.0
/// does.
static bool replace_with_value(const void *function) {
#define WITH_VALUE                                                                                 \
    "$ss9TaskLocalC9withValue_9operation9isolation4file4line"                                      \
    "qd__x_qd__yYaKXEScA_pSgYiSSSutYaKlF"
    return replace_async(library, WITH_VALUE "Tu", WITH_VALUE, function);
}

static bool replace_entry_point(const void *function) {
#define ENTRY_POINT                                                                                \
    "$s7Testing19__swiftPMEntryPoint7passings5NeverOAA25__CommandLineArguments_v0VSg_tYaF"
    return replace_async(executable, ENTRY_POINT "Tu", ENTRY_POINT, function);
}

const char *liveobj_testing_calls_replace(struct liveobj_task_runtime *found,
                                          const struct liveobj_testing_companion *companion) {
    static const char no_borders[] =
        "this version of Swift Testing does not show where its tests begin and end";
    if (!find_runtime())
        return no_borders;
    *found = runtime;
    // Before the others: without outcomes, no case may begin.
    if (!replace_entry_point(companion->entry_point))
        return "the program does not run its tests by the entry point for SwiftPM, and so does not "
               "show which tests fail";
    return replace_with_value(companion->with_value) || replace_calls() ? NULL : no_borders;
}
