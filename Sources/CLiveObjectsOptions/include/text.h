// text.h - builds text without stdio or malloc.

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// Receives the next bytes. Returns false to stop. The same type as the recorder's
/// `liveobj_write_fn`.
typedef bool (*liveobj_text_write_fn)(void *context, const void *bytes, size_t count);

/// Buffered text: each full buffer is passed to `write`. After a failed write the rest is dropped.
struct liveobj_text {
    liveobj_text_write_fn write;
    void *context;
    bool failed;
    size_t count;
    char bytes[2048];
};

void liveobj_text_start(struct liveobj_text *text, liveobj_text_write_fn write, void *context);

/// Appends the bytes unchanged.
void liveobj_text_append(struct liveobj_text *text, const char *string);

/// Appends a name that came from the program or its user. Replaces bytes that could control a
/// terminal or are not UTF-8.
void liveobj_text_append_plain(struct liveobj_text *text, const char *bytes, size_t count);

/// Writes the content of the buffer. \returns false if any write has failed.
bool liveobj_text_flush(struct liveobj_text *text);

/// The decimal digits of a number, in the caller's memory.
#define LIVEOBJ_DIGITS 24
const char *liveobj_text_digits(char digits[LIVEOBJ_DIGITS], uint64_t number);

#pragma GCC visibility pop
