// tool.h - finds and calls the `liveobjects` tool (CSpawn runs it).

#ifndef LIVEOBJ_PRELOAD_TOOL_H
#define LIVEOBJ_PRELOAD_TOOL_H

#pragma GCC visibility push(hidden)

struct liveobj_options;

/// Finds the tool: `tool=`, in the library's folder, or in ../bin.
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
enum liveobj_verdict liveobj_tool_report(const struct liveobj_options *options, int capture,
                                         int report);

#pragma GCC visibility pop

#endif
