// test_table.h - the table of the tests that this process has run.

#pragma once

#include "CLiveObjects.h"
#include "os/os.h"

#pragma GCC visibility push(hidden)

/// A test in the table.
struct liveobj_recorded_test {
    uint32_t library;
    uint32_t outcome;
    uint32_t has_leaked;   // it failed because of leaks
    uint32_t is_evaluated; // all of its survivors were evaluated when it ended
    uint32_t scope;
    uint32_t line;
    uint64_t first; // sequence numbers
    uint64_t end;   // 0 while the test runs
    const char *id;
    const char *arguments;
    const char *file;
};

uint32_t liveobj_tests_begin(const struct liveobj_test *test);
void liveobj_tests_end(uint32_t test, enum liveobj_test_outcome outcome);
void liveobj_tests_close(uint32_t test, enum liveobj_test_outcome outcome, bool is_evaluated);

/// The findings that made tests fail, as whole `FIND` sections.
struct liveobj_recorded_findings {
    const unsigned char *bytes;
    size_t count;
    uint64_t sections;
};
/// \returns the section that was stored; none if there is no room.
struct liveobj_recorded_findings liveobj_tests_add_finding(uint32_t test, const void *finding,
                                                           size_t count);
/// All findings so far.
struct liveobj_recorded_findings liveobj_tests_findings(void);

/// The number of tests. Test numbers start at 1.
uint32_t liveobj_tests_count(void);
/// Whether every test of the process is announced to the recorder.
bool liveobj_tests_are_watched(void);
void liveobj_tests_set_watched(bool are_watched);
struct liveobj_recorded_test liveobj_tests_get(uint32_t test);

/// The test whose scope is this one or contains it; 0 for none.
uint32_t liveobj_tests_of_scope(uint32_t scope);
/// The test without a scope that began last and has not ended; 0 for none.
uint32_t liveobj_tests_running(void);

void liveobj_tests_visit_locks(liveobj_lock_visit_fn visit, void *context);

#pragma GCC visibility pop
