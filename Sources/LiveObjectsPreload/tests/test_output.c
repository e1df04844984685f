// test_output.c - what Swift Testing's own output says of the test that runs.
//
// The library has no public way to ask whether the running test has failed. What it writes for
// people begins with a cross and says so (`✘ Test name() recorded an issue at …`, the cross in
// colours on a terminal); what it writes for tools is one JSON object a line. Text that is neither
// says nothing. Pure functions; the text is not NUL-terminated.

#define _GNU_SOURCE
#include "tests/test_cases.h"

#include <string.h>

struct line {
    const char *text;
    size_t count;
};

static struct line first_line(const char *text, size_t count) {
    const char *end = memchr(text, '\n', count);
    return (struct line){text, end ? (size_t)(end - text) : count};
}

static bool contains(struct line line, const char *words) {
    return memmem(line.text, line.count, words, strlen(words)) != NULL;
}

static bool begins_with(struct line line, const char *words) {
    size_t length = strlen(words);
    return line.count >= length && memcmp(line.text, words, length) == 0;
}

static struct line without_first(struct line line, size_t count) {
    return (struct line){line.text + count, line.count - count};
}

/// Leaves out what switches a terminal's colour, ESC [ … m.
static struct line without_colour(struct line line) {
    while (begins_with(line, "\033[")) {
        const char *end = memchr(line.text, 'm', line.count);
        if (!end)
            break;
        line = without_first(line, (size_t)(end - line.text) + 1);
    }
    return line;
}

static bool is_failure_for_people(struct line line) {
    static const char cross[] = "\xE2\x9C\x98";
    line = without_colour(line);
    return begins_with(line, cross) &&
           (contains(line, " recorded an issue at ") ||
            contains(line, " recorded an issue with ") || contains(line, " recorded an issue: "));
}

/// Quotes inside a JSON string are escaped, so these can only be keys and values.
static bool is_failure_for_tools(struct line line) {
    return begins_with(line, "{") && contains(line, "\"kind\":\"issueRecorded\"") &&
           contains(line, "\"isKnown\":false") && !contains(line, "\"severity\":\"warning\"");
}

bool liveobj_test_output_is_failure(const char *text, size_t count) {
    struct line line = first_line(text, count);
    return is_failure_for_people(line) || is_failure_for_tools(line);
}
