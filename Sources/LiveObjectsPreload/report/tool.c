// tool.c - owns the tool's path, and the reason why it made no report.
//
// The tool is a Swift program. It runs in a separate process, so that it cannot affect the tracked
// program: with its allocations, its crashes or its Swift runtime.

#include "CSpawn.h"
#include "options.h"
#include "os/deadline.h"
#include "output/output.h"
#include "program/program.h"
#include "report/report.h"
#include "text.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char tool[PATH_MAX];
static char baseline[PATH_MAX];
static char suppressions[PATH_MAX];
static char failure[PATH_MAX + 256];

static bool try_neighbor(const char *path) {
    return liveobj_library_sibling(path, tool) && access(tool, X_OK) == 0;
}

static void find_by_library(void) {
    if (!try_neighbor("liveobjects") && !try_neighbor("../../bin/liveobjects"))
        tool[0] = '\0';
}

/// The program may change its folder before the report. A file that does not exist keeps its name,
/// for the report to say that it cannot be read.
static void make_absolute(const char *path, char absolute[PATH_MAX]) {
    if (path[0] && !realpath(path, absolute))
        strcpy(absolute, path);
}

void liveobj_tool_start(const struct liveobj_options *options) {
    make_absolute(options->tool, tool);
    if (!tool[0])
        find_by_library();
    make_absolute(options->baseline, baseline);
    make_absolute(options->suppressions, suppressions);
}

const char *liveobj_tool_path(void) {
    return tool[0] ? tool : NULL;
}

const char *liveobj_tool_failure(void) {
    if (!tool[0])
        return "there is no liveobjects tool in the folder of the preload library or in ../../bin "
               "(`swift build --product liveobjects` builds it, tool=PATH names one)";
    return failure[0] ? failure : "the liveobjects tool could not make it";
}

static void note_failure(const char *before, const char *behind, const char *detail) {
    stpcpy(stpcpy(stpcpy(stpcpy(failure, before), tool), behind), detail);
}

static void note_end(struct liveobj_spawn_result result) {
    char digits[LIVEOBJ_DIGITS];
    if (result.error == ETIMEDOUT)
        note_failure("", " took too long", "");
    else if (result.error)
        note_failure("cannot run ", ": ", strerror(result.error));
    else if (WIFSIGNALED(result.status))
        note_failure("", " ended with signal ",
                     liveobj_text_digits(digits, (uint64_t)WTERMSIG(result.status)));
    else
        note_failure("", " failed with status ",
                     liveobj_text_digits(digits, (uint64_t)WEXITSTATUS(result.status)));
}

static bool is_empty(int descriptor) {
    struct stat status;
    return fstat(descriptor, &status) != 0 || status.st_size == 0;
}

/// The verdict by the tool's documented exit statuses: 0, 1 for failing findings, 3 if nothing was
/// tracked. A tool that wrote nothing made no report, whatever its exit status.
static enum liveobj_verdict verdict_of_status(struct liveobj_spawn_result result, int report) {
    int status = !result.error && WIFEXITED(result.status) ? WEXITSTATUS(result.status) : -1;
    if (status != 0 && status != 1 && status != 3)
        note_end(result);
    else if (is_empty(report))
        note_failure("", " wrote no report", "");
    else
        return status == 1 ? LIVEOBJ_VERDICT_FAILING : LIVEOBJ_VERDICT_PASSING;
    return LIVEOBJ_VERDICT_NONE;
}

static char **append_file(char **end, char *option, char *path) {
    if (!path[0])
        return end;
    *end++ = option;
    *end++ = path;
    return end;
}

enum liveobj_verdict liveobj_tool_report(const struct liveobj_options *options, int capture,
                                         int report, uint64_t deadline) {
    char fail_on[16];
    liveobj_options_word(options, "failon", fail_on, sizeof fail_on);
    bool is_json = options->format == LIVEOBJ_FORMAT_JSON;
    char *arguments[16] = {tool, "report",    "--own-run", is_json ? "--json" : "--text",
                           "-",  "--fail-on", fail_on};
    char **end = arguments + 7;
    end = append_file(end, "--baseline", baseline);
    end = append_file(end, "--suppressions", suppressions);
    if (options->verbosity >= 1)
        *end++ = "--verbose";
    *end = "/proc/self/fd/0";
    struct liveobj_spawn spawn = {
        .path = tool,
        .arguments = arguments,
        .environment = liveobj_environment(),
        .input = capture,
        .output = report,
        .errors = options->verbosity >= 2 ? liveobj_message_descriptor() : -1,
        .seconds = liveobj_seconds_to(deadline),
    };
    if (!spawn.environment || lseek(capture, 0, SEEK_SET) != 0)
        return LIVEOBJ_VERDICT_NONE;
    return verdict_of_status(liveobj_spawn_run(&spawn), report);
}
