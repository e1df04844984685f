// test_journal.h - writes each fact about the tests as soon as it is known.

#ifndef LIVEOBJ_TEST_JOURNAL_H
#define LIVEOBJ_TEST_JOURNAL_H

#include "CLiveObjects.h"

#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

void liveobj_journal_start(const struct liveobj_status *status, liveobj_write_fn write,
                           void *context);

// Each of these writes to the journal, if there is one.
void liveobj_journal_begin(uint32_t number);
void liveobj_journal_close(uint32_t number);
void liveobj_journal_section(const void *section, size_t count);

#pragma GCC visibility pop

#endif
