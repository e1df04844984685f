// Names from the program are printed without control characters.

#include "support/expect.h"
#include "text.h"

#include <stdbool.h>
#include <stddef.h>

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

static const char *plain(const char *string) {
    start();
    liveobj_text_append_plain(&text, string, strlen(string));
    liveobj_text_flush(&text);
    return written;
}

TEST(plain_text_is_valid_utf8) {
    EXPECT_STRING(plain("\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80"),
                  "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
    EXPECT_STRING(plain("a\xFFz"), "a?z");
    EXPECT_STRING(plain("\xC3"), "?");           // cut off
    EXPECT_STRING(plain("\xC0\xAF"), "??");      // overlong
    EXPECT_STRING(plain("\xED\xA0\x80"), "???"); // surrogate
    EXPECT_STRING(plain("\xF4\x90\x80\x80"), "????");
    EXPECT_STRING(plain("\xF5z"), "?z");
}

TEST(plain_text_has_no_control_characters) {
    EXPECT_STRING(plain("a\x1b[2Jb\x7F\r\n"), "a?[2Jb???");
    EXPECT_STRING(plain("\xC2\x9B"
                        "31m"),
                  "?31m"); // the one-character form of ESC [
    EXPECT_STRING(plain("\xC3\xA9\xFF"), "\xC3\xA9?");
}

TEST(numbers_are_written_in_decimal) {
    char digits[LIVEOBJ_DIGITS];
    EXPECT_STRING(liveobj_text_digits(digits, 0), "0");
    EXPECT_STRING(liveobj_text_digits(digits, UINT64_MAX), "18446744073709551615");
}

TEST(long_text_is_written_in_parts) {
    static char name[3 * sizeof text.bytes];
    memset(name, 'x', sizeof name - 1);
    EXPECT_STRING(plain(name), name);
    EXPECT(writes > 1);
}

TEST(nothing_is_written_after_a_failure) {
    writes = 0;
    liveobj_text_start(&text, fail, NULL);
    liveobj_text_append(&text, "a");
    EXPECT(!liveobj_text_flush(&text));
    liveobj_text_append(&text, "b");
    EXPECT(!liveobj_text_flush(&text));
    EXPECT(writes == 1);
}
