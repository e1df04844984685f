// report.c - owns nothing that outlives the report.
//
// The report is finished in files without names and copied to the output in one go: a tool that
// dies half-way leaves no half report, and other processes wait for a copy, not for an analysis.

#define _GNU_SOURCE
#include "preload.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/// How long one step that may need locks can take. A million objects take 60 ms.
#define STEP_SECONDS 30

/// The capture of everything live, as a file; -1 if it cannot be had.
static int make_capture(void) {
    struct liveobj_destination file = {liveobj_descriptor_make_nameless("liveobjects-capture"), 0};
    if (file.descriptor < 0 || liveobj_capture(0, liveobj_destination_write, &file))
        return file.descriptor;
    close(file.descriptor);
    return -1;
}

static void write_capture(void) {
    struct liveobj_destination output = {liveobj_output_open(), 0};
    if (output.descriptor < 0)
        return;
    if (!liveobj_capture(0, liveobj_destination_write, &output) && !output.error)
        liveobj_message("the capture is incomplete: there was no memory for it", NULL);
    liveobj_output_close(output.descriptor, output.error);
}

static void write_copy(int report) {
    int output = liveobj_output_open();
    if (output >= 0)
        liveobj_output_close(output, liveobj_descriptor_copy(report, output));
}

static void write_fallback(const struct liveobj_options *options, const char *why) {
    int output = liveobj_output_open();
    if (output >= 0)
        liveobj_output_close(output, liveobj_fallback_report_write(options, why, output));
}

// MARK: - With the tool

/// A tool that wrote nothing made no report, whatever its exit status says.
static bool is_empty(int descriptor) {
    struct stat status;
    return fstat(descriptor, &status) != 0 || status.st_size == 0;
}

static enum liveobj_verdict analyse(const struct liveobj_options *options, int capture) {
    int report = liveobj_descriptor_make_nameless("liveobjects-report");
    if (report < 0)
        return LIVEOBJ_VERDICT_NONE;
    enum liveobj_verdict verdict = liveobj_tool_report(options, capture, report);
    if (verdict != LIVEOBJ_VERDICT_NONE && is_empty(report))
        verdict = LIVEOBJ_VERDICT_NONE;
    if (verdict != LIVEOBJ_VERDICT_NONE)
        write_copy(report);
    close(report);
    return verdict;
}

static enum liveobj_verdict write_with_tool(const struct liveobj_options *options, int status) {
    liveobj_guard_arm(STEP_SECONDS, status);
    int capture = make_capture();
    liveobj_guard_disarm(); // the tool has a limit of its own
    if (capture < 0)
        return LIVEOBJ_VERDICT_NONE;
    enum liveobj_verdict verdict = analyse(options, capture);
    close(capture);
    return verdict;
}

// MARK: - The report

static const char *why_no_tool(void) {
    return liveobj_tool_path()
               ? "no findings: the liveobjects tool could not make the report"
               : "no findings: there is no liveobjects tool beside the preload library; "
                 "`swift build --product liveobjects` makes it, tool=PATH names one";
}

static enum liveobj_verdict write_report(const struct liveobj_options *options, int status) {
    bool is_watched = liveobj_status().state == LIVEOBJ_STATE_TRACKING;
    enum liveobj_verdict verdict = LIVEOBJ_VERDICT_NONE;
    if (is_watched && options->format != LIVEOBJ_FORMAT_CAPTURE && liveobj_tool_path())
        verdict = write_with_tool(options, status);
    if (verdict != LIVEOBJ_VERDICT_NONE)
        return verdict;
    liveobj_guard_arm(STEP_SECONDS, status);
    if (options->format == LIVEOBJ_FORMAT_CAPTURE)
        write_capture();
    else
        write_fallback(options, is_watched ? why_no_tool() : liveobj_status().reason);
    liveobj_guard_disarm();
    return verdict;
}

/// What was said at the start, on standard error, need not be said there again.
static bool is_said_already(const struct liveobj_options *options) {
    return liveobj_status().state != LIVEOBJ_STATE_TRACKING &&
           options->format == LIVEOBJ_FORMAT_TEXT && liveobj_output_is_standard_error();
}

bool liveobj_report_write(const struct liveobj_options *options, int exit_status) {
    if (is_said_already(options))
        return false;
    struct liveobj_signals saved = liveobj_signals_block();
    liveobj_ignore_begin();
    enum liveobj_verdict verdict = write_report(options, exit_status);
    liveobj_ignore_end();
    liveobj_signals_restore(&saved);
    return verdict == LIVEOBJ_VERDICT_FAILING;
}
