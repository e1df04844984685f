// text.c - see text.h. Owns nothing.
//
// All functions are async-signal-safe if the given write function is.

#include "text.h"

#include <string.h>

void liveobj_text_start(struct liveobj_text *text, liveobj_text_write_fn write, void *context) {
    text->write = write;
    text->context = context;
    text->failed = false;
    text->count = 0;
}

bool liveobj_text_flush(struct liveobj_text *text) {
    if (!text->failed && text->count > 0)
        text->failed = !text->write(text->context, text->bytes, text->count);
    text->count = 0;
    return !text->failed;
}

static void append_bytes(struct liveobj_text *text, const char *bytes, size_t count) {
    while (count > 0) {
        size_t room = sizeof text->bytes - text->count;
        size_t part = count < room ? count : room;
        memcpy(text->bytes + text->count, bytes, part);
        text->count += part;
        bytes += part;
        count -= part;
        if (text->count == sizeof text->bytes)
            liveobj_text_flush(text);
    }
}

void liveobj_text_append(struct liveobj_text *text, const char *string) {
    append_bytes(text, string, strlen(string));
}

/// The length of the well-formed UTF-8 sequence at `bytes` (Unicode, table 3-7); 0 if there is
/// none.
static size_t sequence_length(const unsigned char *bytes, size_t count) {
    unsigned char first = bytes[0];
    size_t length = first < 0x80 ? 1 : first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    if (length == 0 || length > count || first > 0xF4)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((bytes[i] & 0xC0) != 0x80)
            return 0;
    bool overlong = (first == 0xE0 && bytes[1] < 0xA0) || (first == 0xF0 && bytes[1] < 0x90);
    bool surrogate = first == 0xED && bytes[1] > 0x9F;
    bool beyond = first == 0xF4 && bytes[1] > 0x8F;
    return overlong || surrogate || beyond ? 0 : length;
}

static bool is_control(const unsigned char *bytes, size_t length) {
    return length == 1 ? bytes[0] < 0x20 || bytes[0] == 0x7F
                       : length == 2 && bytes[0] == 0xC2 && bytes[1] < 0xA0;
}

void liveobj_text_append_plain(struct liveobj_text *text, const char *bytes, size_t count) {
    for (size_t i = 0, length; i < count; i += length) {
        const unsigned char *next = (const unsigned char *)bytes + i;
        length = sequence_length(next, count - i);
        if (length == 0 || is_control(next, length))
            liveobj_text_append(text, "?");
        else
            append_bytes(text, bytes + i, length);
        length += length == 0;
    }
}

const char *liveobj_text_digits(char digits[LIVEOBJ_DIGITS], uint64_t number) {
    char *next = digits + LIVEOBJ_DIGITS - 1;
    *next = '\0';
    do {
        *--next = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    return next;
}
