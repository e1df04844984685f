// test_cases.h - which test case of Swift Testing runs, and whether it has failed.

#pragma once

#pragma GCC visibility push(hidden)

struct liveobj_testing_companion;

/// Starts calling the companion where Swift Testing's test cases begin and end. Objects allocated
/// in a test case have its scope. While the process has one thread.
/// \returns NULL, or one sentence about why it failed.
const char *liveobj_test_cases_start(const struct liveobj_testing_companion *companion);
/// Call on a task after Swift Testing has bound a task-local value, and before it unbinds one.
void liveobj_test_cases_value_bound(void);
void liveobj_test_cases_value_unbinding(void);
/// Call on a task that has recorded an issue that fails its test.
void liveobj_test_cases_test_failed(void);

// MARK: - testing_calls.c

/// The runtime's functions for tasks and their values.
struct liveobj_task_runtime {
    void (*push)(const void *key, const void *value, const void *type);
    void (*pop)(void);
    const void *(*get)(const void *key);
    const void *(*current)(void);
    const void *word_type; ///< the metadata of UInt64
};

/// Has Swift Testing and the program call the functions above, by the companion's where necessary.
/// \param runtime Set to the runtime's functions, where they are found.
/// \returns NULL, or one sentence about why it failed.
const char *liveobj_testing_calls_replace(struct liveobj_task_runtime *runtime,
                                          const struct liveobj_testing_companion *companion);

#pragma GCC visibility pop
