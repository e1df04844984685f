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

void liveobj_selection_end(struct liveobj_selection *selection);

/// Follows the words of the objects that a test left behind.
/// \param visited receives all objects that were visited, to be ended by the caller.
/// \returns LIVEOBJ_TEST_CLEAN if no word leads back to an object that it was reached from,
/// LIVEOBJ_TEST_INCONCLUSIVE if a limit was reached or memory could not be read, else
/// LIVEOBJ_TEST_CAPTURED: a capture of the visited objects decides.
enum liveobj_test_check liveobj_cycle_search(const struct liveobj_recorded_test *test,
                                             struct liveobj_selection *visited);

/// See `liveobj_test_visit_instances`.
void liveobj_test_instances_visit(const struct liveobj_recorded_test *test,
                                  liveobj_visit_instance_fn visit, void *context);

#pragma GCC visibility pop
