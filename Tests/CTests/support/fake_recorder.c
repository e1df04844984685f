// fake_recorder.c - stores the results that the test has set.

#include "fake_recorder.h"

#include <string.h>

struct liveobj_status fake_status = {.state = LIVEOBJ_STATE_TRACKING, .reason = ""};

struct liveobj_status liveobj_status(void) {
    return fake_status;
}

void liveobj_ignore_begin(void) {}

void liveobj_ignore_end(void) {}

const void *fake_scope_key;

void liveobj_scope_set_key(enum liveobj_scope_owner owner, const void *key) {
    (void)owner;
    fake_scope_key = key;
}

enum { ENTRIES = 8 };
static struct {
    const char *symbol;
    void *replacement;
} entries[ENTRIES];
bool fake_entries_exist;

/// The symbol's, or a free one; the last where there is none.
static size_t find_entry(const char *symbol) {
    size_t entry = 0;
    while (entry < ENTRIES - 1 && entries[entry].symbol &&
           strcmp(entries[entry].symbol, symbol) != 0)
        entry++;
    return entry;
}

unsigned liveobj_images_replace_got_entries(const char *file_name, const char *symbol,
                                            void *replacement);
unsigned liveobj_images_replace_got_entries(const char *file_name, const char *symbol,
                                            void *replacement) {
    (void)file_name;
    if (!fake_entries_exist)
        return 0;
    size_t entry = find_entry(symbol);
    entries[entry].symbol = symbol;
    entries[entry].replacement = replacement;
    return 1;
}

void *fake_entry(const char *symbol) {
    return entries[find_entry(symbol)].replacement;
}
