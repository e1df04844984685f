// The parser of LIVEOBJECTS_OPTIONS, and the text that it complains in.

#include "options.h"

#include <stdlib.h>
#include <string.h>

static bool check(void *context, const void *bytes, size_t count) {
    (void)context;
    const unsigned char *next = bytes;
    for (size_t i = 0; i < count; i++)
        if ((next[i] < 0x20 && next[i] != '\n') || next[i] == 0x7f)
            abort(); // it could steer a terminal
    return true;
}

void test_input(const uint8_t *bytes, size_t count);

void test_input(const uint8_t *bytes, size_t count) {
    char *string = strndup((const char *)bytes, count);
    struct liveobj_options options;
    struct liveobj_text problems;
    char word[32];
    liveobj_text_start(&problems, check, NULL);
    liveobj_options_reset(&options);
    liveobj_options_parse(&options, string, &problems);
    for (size_t i = 0; i < liveobj_options_count(); i++)
        liveobj_options_word(&options, liveobj_options_row(i).name, word, sizeof word);
    if (strnlen(options.output, sizeof options.output) == sizeof options.output)
        abort();
    liveobj_text_append_plain(&problems, (const char *)bytes, count);
    liveobj_text_flush(&problems);
    free(string);
}
