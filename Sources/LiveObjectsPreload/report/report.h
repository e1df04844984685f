// report.h - capture -> tool -> output.

#ifndef LIVEOBJ_PRELOAD_REPORT_H
#define LIVEOBJ_PRELOAD_REPORT_H

#include <stdbool.h>

#pragma GCC visibility push(hidden)

struct liveobj_options;

struct liveobj_report_result {
    bool is_failing;   ///< there are findings that `failon` counts
    bool is_abandoned; ///< a step was abandoned: the locks that it held are never released
};

/// Prints that nothing is tracked, and why, unless that was printed before.
void liveobj_report_say_unwatched(void);

/// Writes the report. Call with all signals blocked.
struct liveobj_report_result liveobj_report_write(const struct liveobj_options *options);

#pragma GCC visibility pop

#endif
