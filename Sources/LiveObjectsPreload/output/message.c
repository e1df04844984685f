// message.c - writes messages. Owns the record of which file standard error was at the start.
//
// A program may close standard error and open a data file that gets its number. So a line is
// written only while descriptor 2 is the file that it was at the start. That must also be standard
// error of the first process of the run: a test may compare what a program that it starts writes
// there. Async-signal-safe.

#include "output/descriptor.h"
#include "output/output.h"
#include "program/program.h"
#include "safety/safety.h"
#include "text.h"

#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct stat original;
static bool is_ours; ///< we may write to it

void liveobj_message_start(void) {
    is_ours = fstat(STDERR_FILENO, &original) == 0 && liveobj_origin_has_standard_error(&original);
}

int liveobj_message_descriptor(void) {
    struct stat now;
    if (!is_ours || fstat(STDERR_FILENO, &now) != 0)
        return -1;
    bool is_same = now.st_dev == original.st_dev && now.st_ino == original.st_ino;
    return is_same ? STDERR_FILENO : -1;
}

bool liveobj_message_write(void *context, const void *bytes, size_t count) {
    (void)context;
    int descriptor = liveobj_message_descriptor();
    return descriptor >= 0 && liveobj_descriptor_write(descriptor, bytes, count) == 0;
}

void liveobj_message(const char *first, ...) {
    struct liveobj_signals saved = liveobj_signals_block();
    struct liveobj_text text;
    liveobj_text_start(&text, liveobj_message_write, NULL);
    va_list rest;
    va_start(rest, first);
    liveobj_text_append(&text, "LiveObjects: ");
    for (const char *part = first; part; part = va_arg(rest, const char *))
        liveobj_text_append_plain(&text, part, strlen(part));
    va_end(rest);
    liveobj_text_append(&text, "\n");
    liveobj_text_flush(&text);
    liveobj_signals_restore(&saved);
}
