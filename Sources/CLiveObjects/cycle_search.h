// cycle_search.h - whether what a test left behind could keep itself alive.

#ifndef LIVEOBJ_CYCLE_SEARCH_H
#define LIVEOBJ_CYCLE_SEARCH_H

#include "tests.h"

#pragma GCC visibility push(hidden)

/// What `liveobj_test_may_leave_cycle` says, for a thread whose guard is set.
bool liveobj_cycle_search_may_find(const struct liveobj_kept_test *test);

#pragma GCC visibility pop

#endif
