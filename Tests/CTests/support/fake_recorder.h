// fake_recorder.h - a recorder that has seen what a test says it has.

#ifndef LIVEOBJ_FAKE_RECORDER_H
#define LIVEOBJ_FAKE_RECORDER_H

#include "CLiveObjects.h"

extern struct liveobj_status fake_status;

/// The key that `liveobj_scope_set_key` was given last.
extern const void *fake_scope_key;

/// Whether images call what is to be replaced; then what was stored last in the slots of a symbol.
extern bool fake_slots_are_there;
void *fake_slot(const char *symbol);

#endif
