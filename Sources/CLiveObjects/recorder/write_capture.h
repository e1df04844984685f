// write_capture.h - writes one capture: the order of its sections.

#pragma once

#include "CLiveObjects.h"
#include "capture/capture.h"
#include "records/thread.h"

#pragma GCC visibility push(hidden)

/// Receives the types of a capture of counts, and their counts by id.
typedef void (*liveobj_visit_counts_fn)(void *context, const struct liveobj_type_table *types,
                                        const struct liveobj_type_counts *counts);

/// The parameters of `liveobj_capture`, for a thread whose guard is set.
struct liveobj_capture_request {
    uint64_t since;
    enum liveobj_contents contents;
    const struct liveobj_selection *selection; // NULL for all; only with references
    const struct liveobj_survivors *survivors; // NULL for none
    bool *is_held; // receives whether all of them are: then there is no graph. NULL without any
    liveobj_write_fn write;
    void *context;
    const struct liveobj_caller_context *caller;
    struct liveobj_status status;
    liveobj_visit_counts_fn visit_counts; // NULL for none; only of counts
    void *visit_context;
};
bool liveobj_capture_write(const struct liveobj_capture_request *request);
void liveobj_captures_after_fork_child(void);

// MARK: - recorder.c

/// `liveobj_capture` of counts, which also calls `visit`.
bool liveobj_recorder_count(liveobj_write_fn write, void *context, liveobj_visit_counts_fn visit,
                            void *visit_context);

#pragma GCC visibility pop
