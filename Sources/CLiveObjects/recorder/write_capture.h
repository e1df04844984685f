// write_capture.h - writes one capture: the order of its sections.

#pragma once

#include "CLiveObjects.h"
#include "capture/capture.h"
#include "records/thread.h"

#pragma GCC visibility push(hidden)

/// The parameters of `liveobj_capture`, for a thread whose guard is set.
struct liveobj_capture_request {
    uint64_t since;
    enum liveobj_contents contents;
    const struct liveobj_selection *selection; // NULL for all; only with references
    liveobj_write_fn write;
    void *context;
    const struct liveobj_caller_context *caller;
    struct liveobj_status status;
};
bool liveobj_capture_write(const struct liveobj_capture_request *request);
void liveobj_captures_after_fork_child(void);

#pragma GCC visibility pop
