// fake_recorder.h - a recorder whose results the test sets.

#pragma once

#include "CLiveObjects.h"

extern struct liveobj_status fake_status;

/// The key that `liveobj_scope_set_key` was given last.
extern const void *fake_scope_key;

/// Whether images have GOT entries to replace, and the value that was stored last in a symbol's.
extern bool fake_entries_exist;
void *fake_entry(const char *symbol);
