// options.h - the options in LIVEOBJECTS_OPTIONS.

#pragma once

#include "options_check.h"
#include "text.h"

#include <limits.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

#define LIVEOBJ_OPTIONS_VARIABLE "LIVEOBJECTS_OPTIONS"

/// The growth of a type: by a factor, or at so many intervals in a row. 0 where it is not set.
struct liveobj_option_growth {
    uint64_t factor;
    uint64_t intervals;
};

/// The options' values: one field for each row of options.def.
struct liveobj_options {
#define LIVEOBJ_OPTION_PATH(name, standard, help) char name[PATH_MAX];
#define LIVEOBJ_OPTION_TEXT(name, standard, values, help) char name[PATH_MAX];
#define LIVEOBJ_OPTION_CHOICE(name, values, help) unsigned name;
#define LIVEOBJ_OPTION_NUMBER(name, standard, min, max, help) uint64_t name;
#define LIVEOBJ_OPTION_DURATION(name, standard, max, help) uint64_t name;
#define LIVEOBJ_OPTION_GROWTH(name, standard, help) struct liveobj_option_growth name;
#define LIVEOBJ_OPTION_OWN(name, help)
#include "options.def"
};

// The value of a choice is the position of its word in options.def.
enum { LIVEOBJ_FORMAT_TEXT, LIVEOBJ_FORMAT_JSON, LIVEOBJ_FORMAT_CAPTURE };
enum { LIVEOBJ_ON, LIVEOBJ_OFF };
enum { LIVEOBJ_SNAPSHOTS_OFF, LIVEOBJ_SNAPSHOTS_ON };
enum { LIVEOBJ_CHOSEN_WAY_AUTO, LIVEOBJ_CHOSEN_WAY_POINTERS, LIVEOBJ_CHOSEN_WAY_SLOTS };

/// Sets every option to its default.
void liveobj_options_reset(struct liveobj_options *options);

/// Parses `key=value:key=value`. A part that cannot be used leaves its option unchanged. The first
/// ten such parts are reported in `problems`, one line each.
/// \param string NULL is treated as an empty string.
void liveobj_options_parse(struct liveobj_options *options, const char *string,
                           struct liveobj_text *problems);

/// The word for the chosen value of an option with choices; NULL for other options.
/// \param word Receives the word, with a terminating NUL.
const char *liveobj_options_word(const struct liveobj_options *options, const char *name,
                                 char *word, size_t size);

/// One row of the table, for the test of the documentation.
struct liveobj_option_row {
    const char *name;
    const char *standard;
    const char *values; ///< empty if any text or number is accepted
    const char *help;
};
size_t liveobj_options_count(void);
struct liveobj_option_row liveobj_options_row(size_t index);

#pragma GCC visibility pop
