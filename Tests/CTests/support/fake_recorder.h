// fake_recorder.h - a recorder that has seen what a test says it has.

#ifndef LIVEOBJ_FAKE_RECORDER_H
#define LIVEOBJ_FAKE_RECORDER_H

#include "CLiveObjects.h"

struct fake_type {
    const char *name;
    uint64_t live;
    uint64_t bytes;
};

extern struct liveobj_status fake_status;
extern bool fake_shortage;
extern const struct fake_type *fake_types;
extern size_t fake_type_count;

/// What `liveobj_capture` writes.
extern const char *fake_capture;

/// The key that `liveobj_scope_set_key` was given last.
extern const void *fake_scope_key;

/// Whether images call what is to be replaced; then what was stored last in the slots of a symbol.
extern bool fake_slots_are_there;
void *fake_slot(const char *symbol);

#endif
