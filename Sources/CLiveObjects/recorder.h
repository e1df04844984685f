// recorder.h - the recorder of this copy of the library: what the public functions end in.
//
// One list, so that the hand-over table, its entries and the public functions cannot disagree.
//   FUNCTION(result, name, parameters, arguments)
//   PROCEDURE(name, parameters, arguments)         one without a result

#ifndef LIVEOBJ_RECORDER_H
#define LIVEOBJ_RECORDER_H

#include "CLiveObjects.h"

#pragma GCC visibility push(hidden)

#define LIVEOBJ_FUNCTIONS(FUNCTION, PROCEDURE)                                                     \
    FUNCTION(enum liveobj_state, start, (const struct liveobj_settings *settings), (settings))     \
    PROCEDURE(stop, (void), ())                                                                    \
    FUNCTION(struct liveobj_status, status, (void), ())                                            \
    FUNCTION(uint64_t, mark, (void), ())                                                           \
    FUNCTION(uint64_t, live_count, (uint64_t since), (since))                                      \
    FUNCTION(uint32_t, scope_make, (void), ())                                                     \
    PROCEDURE(scope_set_key, (enum liveobj_scope_owner owner, const void *key), (owner, key))      \
    FUNCTION(uint32_t, test_begin, (const struct liveobj_test *test), (test))                      \
    PROCEDURE(test_end, (uint32_t test, enum liveobj_test_outcome outcome), (test, outcome))       \
    FUNCTION(enum liveobj_remains, test_capture,                                                   \
             (uint32_t test, liveobj_write_fn write, void *context), (test, write, context))       \
    FUNCTION(uint32_t, test_current, (void), ())                                                   \
    PROCEDURE(ignore_begin, (void), ())                                                            \
    PROCEDURE(ignore_end, (void), ())                                                              \
    FUNCTION(                                                                                      \
        bool, capture,                                                                             \
        (uint64_t since, enum liveobj_contents contents, liveobj_write_fn write, void *context),   \
        (since, contents, write, context))                                                         \
    PROCEDURE(visit_types, (uint64_t since, liveobj_visit_type_fn visit, void *context),           \
              (since, visit, context))                                                             \
    PROCEDURE(test_found, (uint32_t test, const void *finding, size_t count),                      \
              (test, finding, count))                                                              \
    PROCEDURE(test_close,                                                                          \
              (uint32_t test, enum liveobj_test_outcome outcome, bool is_evaluated),               \
              (test, outcome, is_evaluated))                                                       \
    PROCEDURE(scope_know, (uint32_t scope), (scope))                                               \
    FUNCTION(bool, scope_set_task, (uint32_t scope), (scope))                                      \
    PROCEDURE(test_visit_instances,                                                                \
              (uint32_t test, liveobj_visit_instance_fn visit, void *context),                     \
              (test, visit, context))                                                              \
    FUNCTION(enum liveobj_holding, objects_holding, (const uintptr_t *objects, size_t count),      \
             (objects, count))

#define LIVEOBJ_DECLARE_FUNCTION(result, name, parameters, arguments)                              \
    result liveobj_recorder_##name parameters;
#define LIVEOBJ_DECLARE_PROCEDURE(name, parameters, arguments)                                     \
    void liveobj_recorder_##name parameters;
LIVEOBJ_FUNCTIONS(LIVEOBJ_DECLARE_FUNCTION, LIVEOBJ_DECLARE_PROCEDURE)
#undef LIVEOBJ_DECLARE_FUNCTION
#undef LIVEOBJ_DECLARE_PROCEDURE

#pragma GCC visibility pop

#endif
