// Names from the program reach JSON and the terminal without breaking either.

#define _GNU_SOURCE
#include "expect.h"
#include "preload.h"

static char written[8192];
static int writes;

static bool append(void *context, const void *bytes, size_t count) {
    (void)context;
    writes++;
    strncat(written, bytes, count);
    return true;
}

static bool fail(void *context, const void *bytes, size_t count) {
    (void)context, (void)bytes, (void)count;
    writes++;
    return false;
}

static struct liveobj_text text;

static void start(void) {
    written[0] = '\0';
    writes = 0;
    liveobj_text_start(&text, append, NULL);
}

static const char *json(const char *bytes, size_t count) {
    start();
    liveobj_text_append_json(&text, bytes, count);
    liveobj_text_flush(&text);
    return written;
}

static const char *plain(const char *string) {
    start();
    liveobj_text_append_plain(&text, string, strlen(string));
    liveobj_text_flush(&text);
    return written;
}

static const char *number(uint64_t value, int width) {
    start();
    liveobj_text_append_number(&text, value, width);
    liveobj_text_flush(&text);
    return written;
}

static void json_strings_are_escaped(void) {
    EXPECT_STRING(json("Demo.Box<Int>", 13), "\"Demo.Box<Int>\"");
    EXPECT_STRING(json("a\"b\\c", 5), "\"a\\\"b\\\\c\"");
    EXPECT_STRING(json("a\n\x1b\0z", 5), "\"a\\u000a\\u001b\\u0000z\"");
    EXPECT_STRING(json("\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80", 9),
                  "\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\"");
}

#define REPLACED "\xEF\xBF\xBD"

static void json_strings_are_always_utf8(void) {
    EXPECT_STRING(json("a\xFFz", 3), "\"a" REPLACED "z\"");
    EXPECT_STRING(json("\xC3", 1), "\"" REPLACED "\"");                           // cut off
    EXPECT_STRING(json("\xC0\xAF", 2), "\"" REPLACED REPLACED "\"");              // overlong
    EXPECT_STRING(json("\xED\xA0\x80", 3), "\"" REPLACED REPLACED REPLACED "\""); // surrogate
    EXPECT_STRING(json("\xF4\x90\x80\x80", 4), "\"" REPLACED REPLACED REPLACED REPLACED "\"");
    EXPECT_STRING(json("\xF5z", 2), "\"" REPLACED "z\"");
}

static void plain_text_cannot_steer_a_terminal(void) {
    EXPECT_STRING(plain("a\x1b[2Jb\x7F\r\n"), "a?[2Jb???");
    EXPECT_STRING(plain("\xC2\x9B"
                        "31m"),
                  "?31m"); // the one-character form of ESC [
    EXPECT_STRING(plain("\xC3\xA9\xFF"), "\xC3\xA9?");
}

static void numbers_are_aligned(void) {
    EXPECT_STRING(number(0, 0), "0");
    EXPECT_STRING(number(42, 5), "   42");
    EXPECT_STRING(number(UINT64_MAX, 3), "18446744073709551615");
}

static void long_text_is_handed_on_in_parts(void) {
    static char name[3 * sizeof text.bytes];
    memset(name, 'x', sizeof name - 1);
    EXPECT_STRING(plain(name), name);
    EXPECT(writes > 1);
}

static void nothing_is_written_after_a_failure(void) {
    writes = 0;
    liveobj_text_start(&text, fail, NULL);
    liveobj_text_append(&text, "a");
    EXPECT(!liveobj_text_flush(&text));
    liveobj_text_append(&text, "b");
    EXPECT(!liveobj_text_flush(&text));
    EXPECT(writes == 1);
}

int main(void) {
    json_strings_are_escaped();
    json_strings_are_always_utf8();
    plain_text_cannot_steer_a_terminal();
    numbers_are_aligned();
    long_text_is_handed_on_in_parts();
    nothing_is_written_after_a_failure();
    return EXPECT_STATUS();
}
