// companion.c - loads the companion of the test library. Owns the data that companions get of their
// host.
//
// A companion fits one version of Swift, because test libraries have no stable interface. In an
// installation each version has a folder, `swift-6.3`, next to the preload library; in a build the
// companion is next to the library itself.
//
// With a companion, each test is announced. If it cannot be loaded, the process is still tracked,
// and its report covers the process as a whole.
//
// Runs in the constructor: the test library is initialised, and none of its tests has begun.

#include "tests/companion.h"
#include "CCompanion.h"
#include "CLiveObjects.h"
#include "options.h"
#include "output/output.h"
#include "program/program.h"
#include "tests/test_cases.h"
#include "text.h"

#include <dlfcn.h>
#include <limits.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/// A test library, and its companion.
struct library {
    const char *name;
    const char *symbol; ///< defined by every version of the library, and by no other library
    const char *product;
    const char *start;
};

static const struct library xctest = {"XCTest", "$s6XCTest0A17ObservationCenterCMa",
                                      "LiveObjectsXCTestCompanion", LIVEOBJ_XCTEST_COMPANION_START};
static const struct library testing = {"Swift Testing", "swt_abiv0_getEntryPoint",
                                       "LiveObjectsTestingCompanion",
                                       LIVEOBJ_TESTING_COMPANION_START};

// MARK: - The host

static struct liveobj_companion_host host = {
    .version = LIVEOBJ_COMPANION_VERSION,
    .value_bound = liveobj_test_cases_value_bound,
    .value_unbinding = liveobj_test_cases_value_unbinding,
    .test_failed = liveobj_test_cases_test_failed,
};

static void describe_host(const struct liveobj_options *options) {
    static char fail_on[16];
    host.fail_on = liveobj_options_word(options, "failon", fail_on, sizeof fail_on);
    host.baseline = options->baseline;
    host.suppressions = options->suppressions;
}

// MARK: - Which test library runs

/// The value of `--testing-library` among a test binary's arguments; NULL if it is missing.
/// SwiftPM's runner accepts no other spelling.
static const char *chosen_library(int count, char *const *arguments) {
    for (int i = 1; i + 1 < count; i++)
        if (strcmp(arguments[i], "--testing-library") == 0)
            return arguments[i + 1];
    return NULL;
}

/// The library whose tests run. A SwiftPM test binary is linked with both, and runs the tests of
/// one.
static const struct library *running_library(int count, char *const *arguments) {
    const char *chosen = chosen_library(count, arguments);
    bool has_xctest = dlsym(RTLD_DEFAULT, xctest.symbol) != NULL;
    bool has_testing = dlsym(RTLD_DEFAULT, testing.symbol) != NULL;
    bool wants_testing = chosen ? strcasecmp(chosen, "swift-testing") == 0 : !has_xctest;
    if (wants_testing)
        return has_testing ? &testing : NULL;
    return has_xctest ? &xctest : NULL;
}

bool liveobj_companion_runs_tests(int argument_count, char *const *arguments) {
    return running_library(argument_count, arguments) != NULL;
}

// MARK: - Loading

/// The text of dlerror, without the path, which the message already contains.
static const char *load_error(const char *path) {
    const char *error = dlerror();
    size_t length = strlen(path);
    if (!error)
        return "unknown error";
    bool names_path = strncmp(error, path, length) == 0 && strncmp(error + length, ": ", 2) == 0;
    return names_path ? error + length + 2 : error;
}

static char *append_number(char *end, uint32_t number) {
    char digits[LIVEOBJ_DIGITS];
    return stpcpy(end, liveobj_text_digits(digits, number));
}

/// The version of the Swift runtime, which is that of the test library too: "6.3".
static const char *swift_version(void) {
    static char text[2 * LIVEOBJ_DIGITS];
    // `_SwiftStdlibVersion.current`, 0x060301 for 6.3.1. Without parameters, Swift calls as C does.
    uint32_t (*current)(void) =
        (uint32_t(*)(void))dlsym(RTLD_DEFAULT, "$sSo19_SwiftStdlibVersionasE7currentABvgZ");
    if (!current)
        return "(unknown version)";
    append_number(stpcpy(append_number(text, current() >> 16), "."), current() >> 8 & 0xff);
    return text;
}

static bool find_in(const char *folder, const struct library *library, char path[PATH_MAX]) {
    char file[128];
    stpcpy(stpcpy(stpcpy(stpcpy(file, folder), "lib"), library->product), ".so");
    return liveobj_library_sibling(file, path) && access(path, R_OK) == 0;
}

static bool find_companion(const struct library *library, char path[PATH_MAX]) {
    char folder[64];
    stpcpy(stpcpy(stpcpy(folder, "swift-"), swift_version()), "/");
    return find_in(folder, library, path) || find_in("", library, path);
}

/// Loads and starts a companion. Fails to load if it was built with another toolchain than the
/// program, because symbols are missing.
static const char *start_companion(const struct library *library,
                                   struct liveobj_testing_companion *result) {
    static char path[PATH_MAX];
    if (!find_companion(library, path))
        return "there is none in the folder of the preload library";
    void *companion = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!companion)
        return load_error(path);
    liveobj_companion_start_fn start = (liveobj_companion_start_fn)dlsym(companion, library->start);
    if (start)
        liveobj_own_calls_bind((const void *)start);
    return start ? start(&host, result) : "it was built without the test library";
}

static void warn_of_companion(const struct library *library, const char *problem) {
    liveobj_message("leaks are reported for the process, not for each test of ", library->name,
                    ": lib", library->product, ".so for Swift ", swift_version(),
                    " cannot be used: ", problem,
                    "; build LiveObjects with that Swift: `scripts/install PREFIX`, or "
                    "`swift build --product ",
                    library->product, "`", NULL);
}

static const char *start_library(const struct library *library) {
    struct liveobj_testing_companion result = {0};
    const char *problem = start_companion(library, &result);
    return problem || library != &testing ? problem : liveobj_test_cases_start(&result);
}

/// Whether malloc is initialised. A preloaded allocator that comes before this library is
/// initialised after it. Swift asks it for the sizes of blocks, and writes beyond their ends if the
/// answers are wrong.
static bool is_allocator_initialised(void) {
    enum { BYTES = 24 };
    void *memory = malloc(BYTES);
    bool is_initialised = memory && malloc_usable_size(memory) >= BYTES;
    free(memory);
    return is_initialised;
}

void liveobj_companion_start(const struct liveobj_options *options, int argument_count,
                             char *const *arguments) {
    const struct library *library = running_library(argument_count, arguments);
    if (!library)
        return;
    if (!is_allocator_initialised()) {
        liveobj_message("leaks are reported for the process, not for each test of ", library->name,
                        ": the allocator in LD_PRELOAD is not initialised yet; put "
                        "libLiveObjectsPreload.so before it",
                        NULL);
        return;
    }
    describe_host(options);
    liveobj_ignore_begin();
    const char *problem = start_library(library);
    liveobj_ignore_end();
    if (problem) {
        warn_of_companion(library, problem);
        return;
    }
    liveobj_tests_watch(liveobj_output_is_own_capture() ? liveobj_output_journal : NULL, NULL);
    if (options->verbosity >= 1)
        liveobj_message("watching each test of ", library->name, NULL);
}
