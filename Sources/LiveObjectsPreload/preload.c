// preload.c - the constructor of the preload library. Owns the options of this process.
//
// The library is loaded into programs that did not ask for it. It needs libc alone and prints
// nothing on standard output. If anything in it fails, the program's own work and exit status are
// unchanged. Its folders:
//
//   program  the program: whether it is to be tracked, its environment, the libraries it unloads
//   safety   nothing interrupts a report, and nothing hangs in one
//   output   descriptors, messages on standard error, and the destination of the report
//   tests    the test library that runs, and test cases of Swift Testing
//   report   all ways in which a process ends, and the one report before that; the thread of
//            programs that run on
//
// Headers hide symbols. The only exported functions are `_exit`, `_Exit`, `syscall`, `prctl` and
// `dlclose`.
//
// The constructor runs after those of the libraries that the program is linked with, so that the
// Swift runtime is loaded, and before the program's own code.

#include "CLiveObjects.h"
#include "options.h"
#include "output/output.h"
#include "program/program.h"
#include "recorder/recorder.h"
#include "report/report.h"
#include "safety/safety.h"
#include "service/forwarding.h"
#include "tests/companion.h"
#include "text.h"

#include <dlfcn.h>
#include <string.h>

/// For a program that is also linked with LiveObjects: its copy of the recorder finds this symbol
/// by name and uses our recorder (recorder/forwarding.c) and its thread (service/forwarding.c).
extern const struct liveobj_preloaded liveobj_preloaded_table;
const struct liveobj_preloaded liveobj_preloaded_table = {&liveobj_recorder_table,
                                                          &liveobj_own_service_table};

static struct liveobj_options options;

static struct liveobj_settings settings_from_options(void) {
    static const enum liveobj_hook_mode ways[] = {
        [LIVEOBJ_CHOSEN_WAY_AUTO] = LIVEOBJ_HOOKS_NONE,
        [LIVEOBJ_CHOSEN_WAY_POINTERS] = LIVEOBJ_HOOKS_POINTERS,
        [LIVEOBJ_CHOSEN_WAY_SLOTS] = LIVEOBJ_HOOKS_GOT,
    };
    struct liveobj_settings settings = liveobj_settings_default();
    settings.hook_mode = ways[options.way];
    settings.stacks = options.stacks == LIVEOBJ_ON;
    settings.retains = strcmp(options.retains, "off") != 0;
    settings.retained_types = strcmp(options.retains, "all") != 0 ? options.retains : NULL;
    settings.malloc = options.malloc;
    settings.depth = (uint32_t)options.depth;
    settings.max_objects = options.maxobjects;
    settings.max_stack_bytes = options.maxstackbytes;
    settings.sample_bytes = options.sample;
    settings.budget_bytes = options.budget;
    return settings;
}

static bool drop_bytes(void *context, const void *bytes, size_t count) {
    (void)context, (void)bytes, (void)count;
    return true;
}

/// Reads the options. Problems are reported once, by the first tracked process of a run.
static void read_options(void) {
    struct liveobj_text problems;
    liveobj_text_start(&problems, liveobj_origin_has_begun() ? drop_bytes : liveobj_message_write,
                       NULL);
    liveobj_options_reset(&options);
    struct liveobj_signals saved = liveobj_signals_block();
    liveobj_options_parse(&options, liveobj_origin_options(), &problems);
    liveobj_signals_restore(&saved);
}

static void say_what_is_watched(void) {
    static const char *const ways[] = {"no hooks", "the runtime's hook pointers",
                                       "the GOT entries of the runtime's allocator"};
    static const char *const stacks[] = {"no stack traces", "stack traces by unwind tables"};
    struct liveobj_status status = liveobj_status();
    liveobj_message("watching ", liveobj_activation_program(), " by ", ways[status.hook_mode], ", ",
                    stacks[status.stacks], ", retains ",
                    status.retains ? "recorded" : "not recorded", NULL);
    if (options.verbosity < 2)
        return;
    const char *tool = liveobj_tool_path();
    if (tool)
        liveobj_message("reports go to ", options.output, ", made by ", tool, NULL);
    else
        liveobj_message("there will be no report: ", liveobj_tool_failure(), NULL);
}

static void start_recorder(int argument_count, char *const *arguments) {
    struct liveobj_settings settings = settings_from_options();
    enum liveobj_state state = liveobj_start(&settings);
    liveobj_environment_start();
    liveobj_output_start(&options);
    liveobj_tool_start(&options);
    liveobj_exit_start(&options);
    if (state == LIVEOBJ_STATE_TRACKING && options.verbosity >= 1)
        say_what_is_watched();
    if (state == LIVEOBJ_STATE_TRACKING)
        liveobj_service_start_with(&options);
    if (state == LIVEOBJ_STATE_TRACKING)
        liveobj_companion_start(&options, argument_count, arguments);
    // `liveobjects run` leaves this line to us. In programs that a tracked process starts, only the
    // report says it.
    if (state != LIVEOBJ_STATE_TRACKING && !liveobj_origin_has_begun())
        liveobj_report_say_unwatched();
}

static void watch_process(int argument_count, char *const *arguments) {
    liveobj_recorder_prepare();
    if (liveobj_status().state == LIVEOBJ_STATE_NO_RUNTIME)
        return;
    liveobj_message_start();
    read_options();
    start_recorder(argument_count, arguments);
    liveobj_origin_begin(liveobj_companion_runs_tests(argument_count, arguments));
}

/// Whether a test started this process to run tests in it: an exit test, or a test that asserts a
/// crash. Its end is part of that test, which may expect any output and any status.
static bool is_part_of_a_test(int argument_count, char *const *arguments) {
    return liveobj_origin_is_started_by_test() &&
           liveobj_companion_runs_tests(argument_count, arguments);
}

/// Whether another copy of the library, of any version, is loaded before this one: it records.
static bool is_second_copy(void) {
    // Not by RTLD_DEFAULT: a library that is linked with -Bsymbolic would find itself.
    void *program = dlopen(NULL, RTLD_LAZY);
    const struct liveobj_preloaded *first =
        program ? dlsym(program, "liveobj_preloaded_table") : NULL;
    return first && first->recorder != &liveobj_recorder_table;
}

__attribute__((constructor(101))) static void bind_own_calls(void) {
    liveobj_own_calls_bind(&liveobj_preloaded_table);
}

__attribute__((constructor)) static void preload(int argument_count, char **arguments) {
    if (liveobj_activation_is_toolchain_program() || is_second_copy())
        return;
    liveobj_origin_start();
    if (!liveobj_activation_is_wanted(argument_count, arguments) ||
        is_part_of_a_test(argument_count, arguments))
        return;
    watch_process(argument_count, arguments);
}
