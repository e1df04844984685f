// tool.c - owns the tool's path.
//
// The tool is a Swift program. It runs in a process of its own, so that nothing of it (its
// allocations, its crashes, its Swift runtime) can be met in the program that is watched.

#define _GNU_SOURCE
#include "CSpawn.h"
#include "preload.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define TOOL_SECONDS 120

static char tool[PATH_MAX];

static bool try_beside(const char *path) {
    return liveobj_library_sibling(path, tool) && access(tool, X_OK) == 0;
}

static void find_by_library(void) {
    if (!try_beside("liveobjects") && !try_beside("../bin/liveobjects"))
        tool[0] = '\0';
}

void liveobj_tool_start(const struct liveobj_options *options) {
    if (!options->tool[0])
        find_by_library();
    else if (!realpath(options->tool, tool))
        strcpy(tool, options->tool); // the report will say that it cannot be run
}

const char *liveobj_tool_path(void) {
    return tool[0] ? tool : NULL;
}

static void complain(struct liveobj_spawn_result result) {
    char digits[LIVEOBJ_DIGITS];
    if (result.error)
        liveobj_message("cannot run ", tool, ": ",
                        result.error == ETIMEDOUT ? "it took too long" : strerror(result.error),
                        NULL);
    else if (WIFSIGNALED(result.status))
        liveobj_message(tool, " ended with signal ",
                        liveobj_text_digits(digits, (uint64_t)WTERMSIG(result.status)), NULL);
    else
        liveobj_message(tool, " failed with status ",
                        liveobj_text_digits(digits, (uint64_t)WEXITSTATUS(result.status)), NULL);
}

/// As its exit statuses are promised: 0, 1 for failing findings, 3 where nothing was watched.
static enum liveobj_verdict verdict(struct liveobj_spawn_result result) {
    int status = !result.error && WIFEXITED(result.status) ? WEXITSTATUS(result.status) : -1;
    if (status == 0 || status == 3)
        return LIVEOBJ_VERDICT_PASSING;
    if (status == 1)
        return LIVEOBJ_VERDICT_FAILING;
    complain(result);
    return LIVEOBJ_VERDICT_NONE;
}

enum liveobj_verdict liveobj_tool_report(const struct liveobj_options *options, int capture,
                                         int report) {
    char fail_on[16];
    liveobj_options_word(options, "failon", fail_on, sizeof fail_on);
    bool is_json = options->format == LIVEOBJ_FORMAT_JSON;
    char *arguments[] = {tool, "report",    "--own-run", is_json ? "--json" : "--text",
                         "-",  "--fail-on", fail_on,     "/proc/self/fd/0",
                         NULL};
    struct liveobj_spawn spawn = {
        .path = tool,
        .arguments = arguments,
        .environment = liveobj_environment(),
        .input = capture,
        .output = report,
        .errors = options->verbosity >= 2 ? liveobj_message_descriptor() : -1,
        .seconds = TOOL_SECONDS,
    };
    if (!spawn.environment || lseek(capture, 0, SEEK_SET) != 0)
        return LIVEOBJ_VERDICT_NONE;
    return verdict(liveobj_spawn_run(&spawn));
}
