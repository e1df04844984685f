// test_instances.h - the live instances that were allocated while a test ran, without a capture.

#ifndef LIVEOBJ_TEST_INSTANCES_H
#define LIVEOBJ_TEST_INSTANCES_H

#include "CLiveObjects.h"
#include "capture/test_table.h"

#pragma GCC visibility push(hidden)

/// See `liveobj_test_visit_instances`.
void liveobj_test_instances_visit(const struct liveobj_kept_test *test,
                                  liveobj_visit_instance_fn visit, void *context);

#pragma GCC visibility pop

#endif
