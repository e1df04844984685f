// tests.c - owns the table of the tests that this process has run.
//
// Two arenas that only grow: the tests, and the bytes of their strings. A lock is held to append;
// whoever reads sees what was complete when it looked. Outside of hooks, from any thread.

#if defined(__linux__)

#define _GNU_SOURCE
#include "tests.h"
#include "records.h"
#include "scopes.h"

#include <string.h>

/// More than any process runs; address space only.
enum { TESTS_LIMIT = 1 << 20, TEXT_BYTES = 1 << 28 };

/// Three strings of a test fit into one record of a capture.
enum { STRING_BYTES = 16 * 1024 };

static struct {
    struct liveobj_lock lock;
    struct liveobj_kept_test *items; // by number; 0 is not used
    char *text;
    size_t text_used;
    uint32_t count; // atomic: those below are complete
    bool are_watched;
} tests;

static bool make_room_locked(void) {
    if (!tests.items)
        tests.items = liveobj_os_map(TESTS_LIMIT * sizeof *tests.items);
    if (!tests.text)
        tests.text = liveobj_os_map(TEXT_BYTES);
    return tests.items && tests.text && tests.count + 1 < TESTS_LIMIT;
}

static const char *keep_locked(const char *text) {
    size_t length = text ? strnlen(text, STRING_BYTES) : 0;
    if (length == 0 || length >= TEXT_BYTES - tests.text_used)
        return "";
    char *kept = tests.text + tests.text_used; // zeroed memory: the string ends by itself
    tests.text_used += length + 1;
    return memcpy(kept, text, length);
}

static uint32_t append_locked(const struct liveobj_test *test) {
    if (!make_room_locked())
        return 0;
    uint32_t number = tests.count + 1;
    tests.items[number] = (struct liveobj_kept_test){
        .library = test->library,
        .outcome = LIVEOBJ_TEST_RUNNING,
        .scope = test->scope,
        .line = test->line,
        .id = keep_locked(test->id),
        .arguments = keep_locked(test->arguments),
        .file = keep_locked(test->file),
        .first = liveobj_sequence_mark(),
    };
    // Release: whoever finds the number finds the test.
    __atomic_store_n(&tests.count, number, __ATOMIC_RELEASE);
    return number;
}

uint32_t liveobj_tests_begin(const struct liveobj_test *test) {
    if (!liveobj_lock_acquire(&tests.lock))
        return 0;
    uint32_t number = append_locked(test);
    liveobj_lock_release(&tests.lock);
    return number;
}

void liveobj_tests_end(uint32_t test, enum liveobj_test_outcome outcome) {
    if (test == 0 || test > liveobj_tests_count())
        return;
    struct liveobj_kept_test *kept = &tests.items[test];
    bool has_leaked = outcome == LIVEOBJ_TEST_FAILED && LIVEOBJ_GET(kept->has_leaked);
    LIVEOBJ_SET(kept->outcome, has_leaked ? LIVEOBJ_TEST_LEAKED : outcome);
    if (!LIVEOBJ_GET(kept->end))
        LIVEOBJ_SET(kept->end, liveobj_sequence_mark());
}

void liveobj_tests_leaked(uint32_t test) {
    if (test > 0 && test <= liveobj_tests_count())
        LIVEOBJ_SET(tests.items[test].has_leaked, true);
}

uint32_t liveobj_tests_count(void) {
    // Acquire: pairs with the release above.
    return __atomic_load_n(&tests.count, __ATOMIC_ACQUIRE);
}

void liveobj_tests_watch(void) {
    LIVEOBJ_SET(tests.are_watched, true);
}

bool liveobj_tests_are_watched(void) {
    return LIVEOBJ_GET(tests.are_watched);
}

struct liveobj_kept_test liveobj_tests_get(uint32_t test) {
    const struct liveobj_kept_test *kept = &tests.items[test];
    struct liveobj_kept_test result = *kept;
    result.outcome = LIVEOBJ_GET(kept->outcome);
    result.end = LIVEOBJ_GET(kept->end);
    return result;
}

uint32_t liveobj_tests_of_scope(uint32_t scope) {
    for (uint32_t test = scope ? liveobj_tests_count() : 0; test > 0; test--)
        if (tests.items[test].scope && liveobj_scope_is_within(scope, tests.items[test].scope))
            return test;
    return 0;
}

uint32_t liveobj_tests_running(void) {
    for (uint32_t test = liveobj_tests_count(); test > 0; test--)
        if (!tests.items[test].scope && !LIVEOBJ_GET(tests.items[test].end))
            return test;
    return 0;
}

// MARK: - Fork

void liveobj_tests_visit_locks(liveobj_lock_visit_fn visit, void *context) {
    visit(context, &tests.lock);
}

#endif
