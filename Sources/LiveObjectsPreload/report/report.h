// report.h - all ways in which a process ends, and the one report before that: capture -> tool ->
// output. And what happens while it runs.

#pragma once

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

struct liveobj_options;

// MARK: - exit.c

/// Makes the process write the report when it ends: once, and not in forked children.
void liveobj_exit_start(const struct liveobj_options *options);

// MARK: - service.c

/// With `snapshots=on`, `every` or `budget`: starts the recorder's thread for programs that run on.
/// In the constructor.
void liveobj_service_start_with(const struct liveobj_options *options);

/// Ends it, before the process ends or restricts its system calls.
void liveobj_service_end(void);

// MARK: - timers.c

/// Stops the program's timers, so that none expires during a report. At most once before they are
/// restarted.
void liveobj_timers_stop(void);
void liveobj_timers_restart(void);

// MARK: - report.c

struct liveobj_report_result {
    bool is_failing;   ///< there are findings that `failon` counts
    bool is_abandoned; ///< a step was abandoned: the locks that it held are never released
};

/// Prints that nothing is tracked, and why, unless that was printed before.
void liveobj_report_say_unwatched(void);

/// Writes the report. Call with all signals blocked.
struct liveobj_report_result liveobj_report_write(const struct liveobj_options *options);

// MARK: - tool.c: the `liveobjects` tool (CSpawn runs it)

/// Finds the tool: `tool=`, in the library's folder, or in ../../bin.
void liveobj_tool_start(const struct liveobj_options *options);

/// The tool's path; NULL if there is no executable tool.
const char *liveobj_tool_path(void);

/// Why the tool made no report.
const char *liveobj_tool_failure(void);

/// The result of the tool.
enum liveobj_verdict {
    LIVEOBJ_VERDICT_NONE,    ///< no report was made
    LIVEOBJ_VERDICT_PASSING, ///< a report was made
    LIVEOBJ_VERDICT_FAILING, ///< a report was made, with findings that `failon` counts
};

/// Turns the capture in one descriptor into a report in the other.
/// \param deadline When the tool is ended.
enum liveobj_verdict liveobj_tool_report(const struct liveobj_options *options, int capture,
                                         int report, uint64_t deadline);

// MARK: - saved_capture.c: if no tool can make a report

/// Copies a capture to a separate file, and prints one line with its path.
/// \param why Why there is no report.
void liveobj_capture_save(int capture, const char *why);
/// Removes the file if it is incomplete.
void liveobj_capture_discard(void);

#pragma GCC visibility pop
