// cycle_search.h - whether what a test left behind could keep itself alive, and what that is.

#ifndef LIVEOBJ_CYCLE_SEARCH_H
#define LIVEOBJ_CYCLE_SEARCH_H

#include "CLiveObjects.h"
#include "capture/capture.h"
#include "capture/test_table.h"

#pragma GCC visibility push(hidden)

void liveobj_selection_end(struct liveobj_selection *selection);

/// Looks for a way of words that leads from what a test left behind back to itself.
/// \param met receives all objects that were met on the way, to be ended by the caller.
/// \returns LIVEOBJ_CYCLE_NONE if there is none, LIVEOBJ_CYCLE_INCONCLUSIVE if too much was met to
/// tell, else LIVEOBJ_CYCLE_POSSIBLE: for the caller to do so.
enum liveobj_cycle_check liveobj_cycle_search(const struct liveobj_kept_test *test,
                                              struct liveobj_selection *met);

#pragma GCC visibility pop

#endif
