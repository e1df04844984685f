// text.h - text, put together without stdio or malloc.

#ifndef LIVEOBJ_TEXT_H
#define LIVEOBJ_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// Takes the next bytes; returns false to give up. The same as the recorder's `liveobj_write_fn`.
typedef bool (*liveobj_text_write_fn)(void *context, const void *bytes, size_t count);

/// Text on its way to `write`, a buffer full at a time. After a failed write the rest is dropped.
struct liveobj_text {
    liveobj_text_write_fn write;
    void *context;
    bool failed;
    size_t count;
    char bytes[2048];
};

void liveobj_text_start(struct liveobj_text *text, liveobj_text_write_fn write, void *context);

/// The bytes as they are.
void liveobj_text_append(struct liveobj_text *text, const char *string);

/// The bytes of a name that came from the program or its user, with everything replaced that could
/// steer a terminal or is not UTF-8.
void liveobj_text_append_plain(struct liveobj_text *text, const char *bytes, size_t count);

/// One line of "LiveObjects: " and the strings up to NULL, handed on at once.
void liveobj_text_append_line(struct liveobj_text *text, const char *first, va_list rest);

/// Hands on what is in the buffer. \returns false if any write has failed.
bool liveobj_text_flush(struct liveobj_text *text);

/// A number's decimal digits, in the caller's memory.
#define LIVEOBJ_DIGITS 24
const char *liveobj_text_digits(char digits[LIVEOBJ_DIGITS], uint64_t number);

#pragma GCC visibility pop

#endif
