// Output of Swift Testing 6.3, and which of it is a failure of the running test.

#define _GNU_SOURCE
#include "support/expect.h"
#include "tests/test_cases.h"

#include <stdbool.h>

#define CROSS "\xE2\x9C\x98"
#define ARROW "\xE2\x86\xB3"
#define ISSUE(rest)                                                                                \
    "{\"kind\":\"event\",\"payload\":{\"issue\":{" rest "},\"kind\":\"issueRecorded\"}}"

static bool is_failure(const char *text) {
    return liveobj_test_output_is_failure(text, strlen(text));
}

static void human_readable_issues_are_failures(void) {
    EXPECT(
        is_failure(CROSS " Test fails() recorded an issue at T.swift:5:24: Expectation failed\n"));
    EXPECT(
        is_failure(CROSS " Test f(x:) recorded an issue with 1 argument x → 2 at T.swift:1:1: x"));
    EXPECT(is_failure(CROSS " Test \"a name\" recorded an issue: Caught error\n" ARROW " why\n"));
    EXPECT(is_failure("\033[91m" CROSS "\033[0m Test f() recorded an issue at T.swift:1:1: x"));
}

static void known_issues_and_warnings_are_not_failures(void) {
    EXPECT(
        !is_failure(CROSS " Test f() recorded a known issue at T.swift:8:41: Expectation failed"));
    EXPECT(!is_failure("\xE2\x9A\xA0 Test f() recorded a warning at T.swift:9:36: Issue recorded"));
}

static void names_and_comments_that_mention_issues_are_not_failures(void) {
    EXPECT(!is_failure("◇ Test \"has recorded an issue at home\" started.\n"));
    EXPECT(
        !is_failure(CROSS " Test \"a display recorded an issue name\" failed after 0.001 seconds"));
    EXPECT(!is_failure(CROSS " Test f() recorded a known issue: x\n" CROSS
                             " f() recorded an issue at T.swift:1:1"));
}

static void machine_readable_issues_are_failures(void) {
    EXPECT(is_failure(ISSUE("\"isKnown\":false")));
    EXPECT(is_failure(ISSUE("\"isFailure\":true,\"isKnown\":false,\"severity\":\"error\"") "\n"));
}

static void other_machine_readable_records_are_not_failures(void) {
    EXPECT(!is_failure(ISSUE("\"isKnown\":true,\"severity\":\"error\"")));
    EXPECT(!is_failure(ISSUE("\"isFailure\":false,\"isKnown\":false,\"severity\":\"warning\"")));
    EXPECT(!is_failure("{\"kind\":\"event\",\"payload\":{\"kind\":\"testCaseEnded\"}}"));
    EXPECT(!is_failure("{\"text\":\"\\\"kind\\\":\\\"issueRecorded\\\",\\\"isKnown\\\":false\"}"));
}

static void arbitrary_bytes_are_accepted(void) {
    EXPECT(!is_failure("") && !is_failure("\n") && !is_failure("\033[") && !is_failure("{"));
    EXPECT(!liveobj_test_output_is_failure(CROSS, 2));
    EXPECT(!liveobj_test_output_is_failure(CROSS " a recorded an issue at ", 20));
}

int main(void) {
    human_readable_issues_are_failures();
    known_issues_and_warnings_are_not_failures();
    names_and_comments_that_mention_issues_are_not_failures();
    machine_readable_issues_are_failures();
    other_machine_readable_records_are_not_failures();
    arbitrary_bytes_are_accepted();
    return EXPECT_STATUS();
}
