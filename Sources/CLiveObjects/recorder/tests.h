// tests.h - the journal of tests, and what a test left behind.

#pragma once

#include "CLiveObjects.h"
#include "capture/capture.h"
#include "capture/test_table.h"

#pragma GCC visibility push(hidden)

// MARK: - test_journal.c

void liveobj_journal_start(const struct liveobj_status *status, liveobj_write_fn write,
                           void *context);

// Each of these writes to the journal, if there is one.
void liveobj_journal_begin(uint32_t number);
void liveobj_journal_close(uint32_t number);
void liveobj_journal_section(const void *section, size_t count);

// MARK: - test_objects.c

struct liveobj_capture_request;
/// See `liveobj_test_capture`.
/// \param request Is completed.
enum liveobj_test_check liveobj_survivors_capture(const struct liveobj_survivors *survivors,
                                                  struct liveobj_capture_request *request);

/// See `liveobj_test_visit_instances`.
void liveobj_test_instances_visit(const struct liveobj_recorded_test *test,
                                  liveobj_visit_instance_fn visit, void *context);

#pragma GCC visibility pop
