// recorder.h - the recorder of this copy of the library: the implementation of the public
// functions.
//
// The functions are listed once, so that the hand-over table, its entries and the public functions
// cannot disagree:
//   FUNCTION(result, name, parameters, arguments)
//   PROCEDURE(name, parameters, arguments)         a function without a result

#pragma once

#include "CLiveObjects.h"

#pragma GCC visibility push(hidden)

#define LIVEOBJ_FUNCTIONS(FUNCTION, PROCEDURE)                                                     \
    FUNCTION(enum liveobj_state, start, (const struct liveobj_settings *settings), (settings))     \
    PROCEDURE(stop, (void), ())                                                                    \
    FUNCTION(struct liveobj_status, status, (void), ())                                            \
    FUNCTION(uint64_t, mark, (void), ())                                                           \
    FUNCTION(uint32_t, scope_make, (void), ())                                                     \
    PROCEDURE(scope_set_key, (enum liveobj_scope_owner owner, const void *key), (owner, key))      \
    FUNCTION(uint32_t, test_begin, (const struct liveobj_test *test), (test))                      \
    PROCEDURE(test_end, (uint32_t test, enum liveobj_test_outcome outcome), (test, outcome))       \
    FUNCTION(enum liveobj_test_check, test_capture,                                                \
             (uint32_t test, const struct liveobj_instance *instances, size_t count,               \
              liveobj_write_fn write, void *context),                                              \
             (test, instances, count, write, context))                                             \
    FUNCTION(uint32_t, test_current, (void), ())                                                   \
    PROCEDURE(ignore_begin, (void), ())                                                            \
    PROCEDURE(ignore_end, (void), ())                                                              \
    FUNCTION(                                                                                      \
        bool, capture,                                                                             \
        (uint64_t since, enum liveobj_contents contents, liveobj_write_fn write, void *context),   \
        (since, contents, write, context))                                                         \
    PROCEDURE(test_add_finding, (uint32_t test, const void *finding, size_t count),                \
              (test, finding, count))                                                              \
    PROCEDURE(test_close, (uint32_t test, enum liveobj_test_outcome outcome, bool is_evaluated),   \
              (test, outcome, is_evaluated))                                                       \
    PROCEDURE(scope_mark_known_issue, (uint32_t scope), (scope))                                   \
    PROCEDURE(test_visit_instances,                                                                \
              (uint32_t test, liveobj_visit_instance_fn visit, void *context),                     \
              (test, visit, context))                                                              \
    FUNCTION(bool, declares_type, (const char *text), (text))

#define LIVEOBJ_DECLARE_FUNCTION(result, name, parameters, arguments)                              \
    result liveobj_recorder_##name parameters;
#define LIVEOBJ_DECLARE_PROCEDURE(name, parameters, arguments)                                     \
    void liveobj_recorder_##name parameters;
LIVEOBJ_FUNCTIONS(LIVEOBJ_DECLARE_FUNCTION, LIVEOBJ_DECLARE_PROCEDURE)
#undef LIVEOBJ_DECLARE_FUNCTION
#undef LIVEOBJ_DECLARE_PROCEDURE

/// Finds the Swift runtime, and tests and repairs its hook path. Call once, as early as possible.
void liveobj_recorder_prepare(void);
/// Notes, in the recorder's own work, whether the program called from a signal handler with a stack
/// of its own. Makes a system call.
void liveobj_recorder_note_signal_stack(void);
/// Ends all recording in this process, for a reason that outlives it. Makes no system call.
void liveobj_recorder_give_up(const char *reason);
/// Call after a call that may unload libraries (unloads.h).
void liveobj_recorder_note_unloads(void);
/// Measures the memory that counts against the budget without being counted when it is taken.
/// Called about once a second. Does nothing without a budget.
void liveobj_recorder_measure_memory(void);

/// The functions above, for another copy of the recorder in the same process (forwarding.c).
struct liveobj_table;
extern const struct liveobj_table liveobj_recorder_table;

#pragma GCC visibility pop
