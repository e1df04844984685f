// test_table.c - the table of the tests that this process has run.
//
// Owns three arenas that only grow: the tests, the bytes of their strings, and the findings of
// failed tests. A lock is held to append. Readers see what was complete when they began. Outside of
// hooks, from any thread.

#if defined(__linux__)

#include "capture/test_table.h"
#include "capture/stream.h"
#include "os/arena.h"
#include "os/compiler.h"
#include "records/scopes.h"
#include "records/thread.h"

#include <string.h>

/// More than any process needs; address space only.
enum { TESTS_LIMIT = 1 << 20, TEXT_BYTES = 1 << 28, FINDINGS_BYTES = 1 << 26 };

/// Three strings of this size, those of one test, fit into one record of a capture.
enum { STRING_BYTES = 16 * 1024 };

static struct {
    struct liveobj_lock lock;
    struct liveobj_arena item_arena;
    struct liveobj_arena text;
    struct liveobj_recorded_test *items; // by number; 0 is not used
    size_t text_used;
    uint32_t count;          // atomic: the tests up to this number are complete
    unsigned char *findings; // atomic: mapped with the first finding
    size_t findings_used;    // atomic: the sections in these bytes are complete
    bool are_watched;        // atomic
} tests;

static bool start_arenas_locked(void) {
    if (!liveobj_arena_start(&tests.item_arena, TESTS_LIMIT * sizeof *tests.items) ||
        !liveobj_arena_start(&tests.text, TEXT_BYTES))
        return false;
    tests.items = (struct liveobj_recorded_test *)(void *)tests.item_arena.start;
    return true;
}

static bool make_test_room_locked(void) {
    return (tests.items || start_arenas_locked()) && tests.count + 1 < TESTS_LIMIT &&
           liveobj_arena_grow(&tests.item_arena, (tests.count + 2) * sizeof *tests.items);
}

static const char *copy_text_locked(const char *text) {
    size_t length = text ? strnlen(text, STRING_BYTES) : 0;
    if (length == 0 || !liveobj_arena_grow(&tests.text, tests.text_used + length + 1))
        return "";
    char *copy = (char *)tests.text.start +
                 tests.text_used; // the arena is zeroed, so the string is terminated
    tests.text_used += length + 1;
    return memcpy(copy, text, length);
}

static uint32_t append_test_locked(const struct liveobj_test *test) {
    if (!make_test_room_locked())
        return 0;
    uint32_t number = tests.count + 1;
    tests.items[number] = (struct liveobj_recorded_test){
        .library = test->library,
        .outcome = LIVEOBJ_TEST_RUNNING,
        .scope = test->scope,
        .line = test->line,
        .id = copy_text_locked(test->id),
        .arguments = copy_text_locked(test->arguments),
        .file = copy_text_locked(test->file),
        .first = liveobj_sequence_mark(),
    };
    // Release: a reader of the number can read the test.
    __atomic_store_n(&tests.count, number, __ATOMIC_RELEASE);
    return number;
}

uint32_t liveobj_tests_begin(const struct liveobj_test *test) {
    uint32_t number = 0;
    if (liveobj_lock_acquire(&tests.lock)) {
        number = append_test_locked(test);
        liveobj_lock_release(&tests.lock);
    }
    if (!number) // an empty table no longer means that no test ran
        liveobj_tests_set_watched(false);
    return number;
}

void liveobj_tests_end(uint32_t test, enum liveobj_test_outcome outcome) {
    if (test == 0 || test > liveobj_tests_count())
        return;
    struct liveobj_recorded_test *recorded = &tests.items[test];
    bool has_leaked = outcome == LIVEOBJ_TEST_FAILED && LIVEOBJ_LOAD_RELAXED(recorded->has_leaked);
    LIVEOBJ_STORE_RELAXED(recorded->outcome, has_leaked ? LIVEOBJ_TEST_LEAKED : outcome);
    if (!LIVEOBJ_LOAD_RELAXED(recorded->end))
        LIVEOBJ_STORE_RELAXED(recorded->end, liveobj_sequence_mark());
}

void liveobj_tests_close(uint32_t test, enum liveobj_test_outcome outcome, bool is_evaluated) {
    if (test == 0 || test > liveobj_tests_count())
        return;
    liveobj_tests_end(test, outcome);
    LIVEOBJ_STORE_RELAXED(tests.items[test].is_evaluated, is_evaluated);
}

uint32_t liveobj_tests_count(void) {
    // Acquire: pairs with the release above.
    return __atomic_load_n(&tests.count, __ATOMIC_ACQUIRE);
}

struct liveobj_recorded_test liveobj_tests_get(uint32_t test) {
    const struct liveobj_recorded_test *recorded = &tests.items[test];
    struct liveobj_recorded_test result = *recorded;
    result.outcome = LIVEOBJ_LOAD_RELAXED(recorded->outcome);
    result.end = LIVEOBJ_LOAD_RELAXED(recorded->end);
    result.is_evaluated = LIVEOBJ_LOAD_RELAXED(recorded->is_evaluated);
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
        if (!tests.items[test].scope && !LIVEOBJ_LOAD_RELAXED(tests.items[test].end))
            return test;
    return 0;
}

// MARK: - Findings

/// \returns the address of the stored section. NULL if there is no room: then only the evaluation
/// at the end of the process reports the finding.
static const void *store_section_locked(uint32_t test, const void *finding, size_t count,
                                        size_t bytes) {
    unsigned char *arena = tests.findings ? tests.findings : liveobj_os_map(FINDINGS_BYTES);
    __atomic_store_n(&tests.findings, arena, __ATOMIC_RELEASE);
    if (!arena || bytes > FINDINGS_BYTES - tests.findings_used)
        return NULL;
    unsigned char *section =
        arena + tests.findings_used; // zeroed memory, so the padding is already there
    struct liveobj_section_header header = {{'F', 'I', 'N', 'D'}, 0, sizeof test + count};
    memcpy(section, &header, sizeof header);
    memcpy(section + sizeof header, &test, sizeof test);
    memcpy(section + sizeof header + sizeof test, finding, count);
    // Release: a reader of the count can read the section.
    __atomic_store_n(&tests.findings_used, tests.findings_used + bytes, __ATOMIC_RELEASE);
    return section;
}

static size_t section_bytes(uint64_t payload) {
    return sizeof(struct liveobj_section_header) + ((payload + 7) & ~(uint64_t)7);
}

struct liveobj_recorded_findings liveobj_tests_add_finding(uint32_t test, const void *finding,
                                                           size_t count) {
    struct liveobj_recorded_findings none = {0};
    if (test == 0 || test > liveobj_tests_count())
        return none;
    LIVEOBJ_STORE_RELAXED(tests.items[test].has_leaked, true);
    if (count == 0 || count > FINDINGS_BYTES)
        return none;
    size_t bytes = section_bytes(sizeof test + count);
    if (!liveobj_lock_acquire(&tests.lock))
        return none; // in a signal handler that interrupted the holder of the lock
    const void *section = store_section_locked(test, finding, count, bytes);
    liveobj_lock_release(&tests.lock);
    return section ? (struct liveobj_recorded_findings){section, bytes, 1} : none;
}

struct liveobj_recorded_findings liveobj_tests_findings(void) {
    // Acquire: pairs with the releases above. Before the address, which is stored before the first
    // count; an initializer's parts are evaluated in any order.
    size_t count = __atomic_load_n(&tests.findings_used, __ATOMIC_ACQUIRE);
    struct liveobj_recorded_findings findings = {
        .count = count,
        .bytes = __atomic_load_n(&tests.findings, __ATOMIC_ACQUIRE),
    };
    struct liveobj_section_header header;
    for (size_t at = 0; at < findings.count; at += section_bytes(header.count)) {
        memcpy(&header, findings.bytes + at, sizeof header);
        findings.sections++;
    }
    return findings;
}

// MARK: - Whether every test is announced

void liveobj_tests_set_watched(bool are_watched) {
    LIVEOBJ_STORE_RELAXED(tests.are_watched, are_watched);
}

bool liveobj_tests_are_watched(void) {
    return LIVEOBJ_LOAD_RELAXED(tests.are_watched);
}

// MARK: - Fork

void liveobj_tests_visit_locks(liveobj_lock_visit_fn visit, void *context) {
    visit(context, &tests.lock);
}

#endif
