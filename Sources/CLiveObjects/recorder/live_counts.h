// live_counts.h - how many objects of which types are alive, without a capture.

#ifndef LIVEOBJ_LIVE_COUNTS_H
#define LIVEOBJ_LIVE_COUNTS_H

#include "CLiveObjects.h"
#include "capture/test_table.h"

#include <stdint.h>

#pragma GCC visibility push(hidden)

/// `liveobj_live_count`, `liveobj_visit_types` and `liveobj_test_visit_instances`, for a thread
/// whose guard is set.
uint64_t liveobj_census_count(uint64_t since);
void liveobj_census_visit(uint64_t since, liveobj_visit_type_fn visit, void *context);
void liveobj_census_visit_test(const struct liveobj_kept_test *test,
                               liveobj_visit_instance_fn visit, void *context);

#pragma GCC visibility pop

#endif
