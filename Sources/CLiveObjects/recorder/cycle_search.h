// cycle_search.h - whether objects that a test left behind may form a cycle.

#ifndef LIVEOBJ_CYCLE_SEARCH_H
#define LIVEOBJ_CYCLE_SEARCH_H

#include "CLiveObjects.h"
#include "capture/capture.h"
#include "capture/test_table.h"

#pragma GCC visibility push(hidden)

void liveobj_selection_end(struct liveobj_selection *selection);

/// Follows the words of the objects that a test left behind.
/// \param visited receives all objects that were visited, to be ended by the caller.
/// \returns LIVEOBJ_CYCLE_NONE if no word leads back to an object that it was reached from,
/// LIVEOBJ_CYCLE_INCONCLUSIVE if a limit was reached or memory could not be read, else
/// LIVEOBJ_CYCLE_POSSIBLE: a capture of the visited objects decides.
enum liveobj_cycle_check liveobj_cycle_search(const struct liveobj_kept_test *test,
                                              struct liveobj_selection *visited);

#pragma GCC visibility pop

#endif
