// fake_recorder.c - owns what the test said.

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

enum { SLOTS = 8 };
static struct {
    const char *symbol;
    void *replacement;
} slots[SLOTS];
bool fake_slots_are_there;

/// The symbol's, or a free one; the last where there is none.
static size_t find_slot(const char *symbol) {
    size_t slot = 0;
    while (slot < SLOTS - 1 && slots[slot].symbol && strcmp(slots[slot].symbol, symbol) != 0)
        slot++;
    return slot;
}

unsigned liveobj_images_replace_got_entries(const char *file_name, const char *symbol,
                                            void *replacement);
unsigned liveobj_images_replace_got_entries(const char *file_name, const char *symbol,
                                            void *replacement) {
    (void)file_name;
    if (!fake_slots_are_there)
        return 0;
    size_t slot = find_slot(symbol);
    slots[slot].symbol = symbol;
    slots[slot].replacement = replacement;
    return 1;
}

void *fake_slot(const char *symbol) {
    return slots[find_slot(symbol)].replacement;
}
