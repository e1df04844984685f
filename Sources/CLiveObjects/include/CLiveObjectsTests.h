// CLiveObjectsTests.h - tests, and the objects that each left behind. A part of CLiveObjects.h,
// which includes it.

#pragma once

#include "CLiveObjects.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(hidden)

// MARK: - Tests

enum liveobj_test_library {
    LIVEOBJ_TEST_XCTEST = 1,
    LIVEOBJ_TEST_TESTING = 2,
};

enum liveobj_test_outcome {
    LIVEOBJ_TEST_RUNNING = 0,
    LIVEOBJ_TEST_PASSED = 1,
    /// Failed for another reason than a leak. The objects that it left behind are not evaluated.
    LIVEOBJ_TEST_FAILED = 2,
    LIVEOBJ_TEST_SKIPPED = 3,
    /// Failed because of a leak.
    LIVEOBJ_TEST_LEAKED = 4,
};

/// One run of a test, or of one case of a parameterised test.
struct liveobj_test {
    enum liveobj_test_library library;
    /// As `swift test list` prints it.
    const char *id;
    /// The arguments of a parameterised case; empty for other tests.
    const char *arguments;
    /// Where the test is declared; empty and 0 if unknown.
    const char *file;
    uint32_t line;
    /// The scope of its objects; 0 if all objects allocated while it runs are its own.
    uint32_t scope;
};

/// Declares that each test will be announced. From then on a capture without tests means that none
/// ran, and what Swift's libraries free is cleared: later uses of the memory then have no addresses
/// of objects. For the preload library, once a companion is loaded.
/// \param journal Receives a record when a test begins, when it is closed and when it fails because
/// of a leak, so that a process that crashes later leaves them behind. Each record is one call,
/// from any thread, several at a time. After it has returned false it is not called again. NULL for
/// none.
void liveobj_tests_watch(liveobj_write_fn journal, void *context);

/// Records the beginning of a test. The strings are copied.
/// \returns The number of the test, from 1; 0 if there is no memory for it: its objects belong to
/// no test then.
uint32_t liveobj_test_begin(const struct liveobj_test *test);

/// Records the end of a test: objects allocated later are not its own. Another call only changes
/// the outcome. \param test 0 is ignored.
void liveobj_test_end(uint32_t test, enum liveobj_test_outcome outcome);

/// Records the final outcome of a test. Ends the test if it has not ended.
/// \param test 0 is ignored.
/// \param is_evaluated Whether all objects that it left behind were evaluated.
void liveobj_test_close(uint32_t test, enum liveobj_test_outcome outcome, bool is_evaluated);

/// Records that a test fails because of a leak; it may go on. If it then ends as failed, its
/// outcome is LIVEOBJ_TEST_LEAKED. Captures of all objects have the finding from now on, so that a
/// report agrees with the failure. \param test 0 is ignored. \param finding As LiveObjectsAnalysis
/// encodes it; copied. \param count 0 if only the failure is known.
void liveobj_test_add_finding(uint32_t test, const void *finding, size_t count);

/// Marks the objects that a scope and its descendants have left behind so far as a known issue: an
/// assertion reported them, and the test expects that. Objects allocated later are not marked.
/// \param scope 0 is ignored.
void liveobj_scope_mark_known_issue(uint32_t scope);

/// The test that runs on the calling task or thread: that of the innermost bound scope; else, of
/// the running tests without a scope, the one that began last; 0 for none. For assertions and
/// `liveobj_test_add_finding`.
uint32_t liveobj_test_current(void);

/// Whether a test binary was started to list its tests, and will run none.
/// \param arguments Its name first.
bool liveobj_arguments_only_list_tests(int count, char *const *arguments);

// MARK: - What a test left behind

/// A live object, without a capture.
struct liveobj_instance {
    uintptr_t complement; // of its address, so that a stored copy is not a reference
    uint64_t sequence;
    uint32_t stack; // as in captures
    bool is_buffer; // raw memory
};

typedef void (*liveobj_visit_instance_fn)(void *context, const struct liveobj_instance *instance);
/// Calls `visit` for each live object that was made while a test without a scope ran, but for those
/// whose deinit has begun. Cost: one pass over all records, about a nanosecond each.
void liveobj_test_visit_instances(uint32_t test, liveobj_visit_instance_fn visit, void *context);

/// What is known of the objects that a test left behind.
enum liveobj_test_check {
    /// Without instances: no pointer path leads from the test's objects back to them. Of instances:
    /// no cycle keeps any of them, and variables or stacks in use hold them all.
    LIVEOBJ_TEST_CLEAN = 0,
    /// There is a capture. Without instances it has all objects on such paths. A cycle in it whose
    /// retains are all balanced is a leak. Other holders of an object are not in it.
    LIVEOBJ_TEST_CAPTURED = 1,
    /// A limit was reached, or memory could not be read or mapped: take a capture of the whole
    /// heap.
    LIVEOBJ_TEST_INCONCLUSIVE = 2,
};

/// Captures what decides whether the objects leak that a test left behind.
///
/// Without instances: the live objects of its scope and of those opened in it (or, without a scope,
/// allocated since it began), and those reachable from them, with references. Older objects, those
/// of other tests and tasks are left out. Cost: one pass over all records, about a nanosecond each;
/// if a cycle is possible, a snapshot process, and a pass over the words of all objects.
///
/// With instances, the whole heap, unless something holds them all. Cost: a snapshot process, and a
/// pass over the objects that they and the roots lead to, or over all.
///
/// \param instances Objects that were allocated while the test ran. NULL for none.
/// \returns LIVEOBJ_TEST_CAPTURED if `write` was given a whole capture.
enum liveobj_test_check liveobj_test_capture(uint32_t test,
                                             const struct liveobj_instance *instances, size_t count,
                                             liveobj_write_fn write, void *context);

/// `liveobj_test_capture` into memory of its own.
/// \param buffer is set if the result is LIVEOBJ_TEST_CAPTURED.
enum liveobj_test_check liveobj_test_capture_to_memory(uint32_t test,
                                                       const struct liveobj_instance *instances,
                                                       size_t count, struct liveobj_buffer *buffer);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif
