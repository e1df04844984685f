// options.c - parses the options. Owns the table of options; the values belong to the caller.
//
// Nothing here calls malloc. Runs in the constructor, in the tool, and in tests.

#include "options.h"

#include <stdarg.h>
#include <string.h>

enum kind {
    KIND_PATH,
    KIND_TEXT,
    KIND_CHOICE,
    KIND_NUMBER,
    KIND_DURATION,
    KIND_GROWTH,
    KIND_OWN,
};

struct row {
    enum kind kind;
    struct liveobj_option_row text;
    size_t offset;
    uint64_t min, max;
};

#define AT(name) offsetof(struct liveobj_options, name)

static const struct row rows[] = {
#define LIVEOBJ_OPTION_PATH(name, standard, help)                                                  \
    {KIND_PATH, {#name, standard, "", help}, AT(name), 0, 0},
#define LIVEOBJ_OPTION_TEXT(name, standard, values, help)                                          \
    {KIND_TEXT, {#name, standard, values, help}, AT(name), 0, 0},
#define LIVEOBJ_OPTION_CHOICE(name, values, help)                                                  \
    {KIND_CHOICE, {#name, "", values, help}, AT(name), 0, 0},
#define LIVEOBJ_OPTION_NUMBER(name, standard, min, max, help)                                      \
    {KIND_NUMBER, {#name, standard, "", help}, AT(name), min, max},
#define LIVEOBJ_OPTION_DURATION(name, standard, max, help)                                         \
    {KIND_DURATION, {#name, standard, "", help}, AT(name), 0, max},
#define LIVEOBJ_OPTION_GROWTH(name, standard, help)                                                \
    {KIND_GROWTH, {#name, standard, "", help}, AT(name), 2, 1000000},
#define LIVEOBJ_OPTION_OWN(name, help) {KIND_OWN, {#name, "", "", help}, 0, 0, 0},
#include "options.def"
};

/// A part of the string that is parsed.
struct slice {
    const char *start;
    size_t count;
};

static bool slice_equals(struct slice slice, const char *string) {
    return strlen(string) == slice.count && memcmp(slice.start, string, slice.count) == 0;
}

size_t liveobj_options_count(void) {
    return sizeof rows / sizeof rows[0];
}

struct liveobj_option_row liveobj_options_row(size_t index) {
    return rows[index].text;
}

static const struct row *find_option_row(struct slice name) {
    for (size_t i = 0; i < liveobj_options_count(); i++)
        if (slice_equals(name, rows[i].text.name))
            return &rows[i];
    return NULL;
}

// MARK: - Values

/// The next word of `off|all`. Moves `rest` past it.
static struct slice next_word(const char **rest) {
    struct slice word = {*rest, strcspn(*rest, "|")};
    *rest += word.count;
    if (**rest == '|')
        ++*rest;
    return word;
}

static bool parse_choice(const char *values, struct slice value, unsigned *result) {
    unsigned position = 0;
    for (const char *rest = values; *rest; position++) {
        struct slice word = next_word(&rest);
        if (word.count == value.count && memcmp(word.start, value.start, word.count) == 0) {
            *result = position;
            return true;
        }
    }
    return false;
}

/// The factor that a unit stands for; 0 if the unit is unknown.
static uint64_t unit_factor(enum kind kind, struct slice unit) {
    static const struct {
        enum kind kind;
        char letter;
        uint64_t factor;
    } units[] = {
        {KIND_NUMBER, 'K', 1 << 10}, {KIND_NUMBER, 'M', 1 << 20}, {KIND_NUMBER, 'G', 1 << 30},
        {KIND_DURATION, 's', 1},     {KIND_DURATION, 'm', 60},    {KIND_DURATION, 'h', 3600},
    };
    if (unit.count != 1)
        return unit.count == 0;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (units[i].kind == kind && units[i].letter == unit.start[0])
            return units[i].factor;
    return 0;
}

static bool parse_number(const struct row *row, struct slice value, uint64_t *result) {
    uint64_t number = 0;
    size_t digits = 0;
    // 12 digits and 30 bits stay below 2^64.
    while (digits < value.count && digits < 12 && value.start[digits] >= '0' &&
           value.start[digits] <= '9')
        number = number * 10 + (uint64_t)(value.start[digits++] - '0');
    uint64_t factor =
        unit_factor(row->kind, (struct slice){value.start + digits, value.count - digits});
    *result = number * factor;
    return digits > 0 && factor > 0 && *result >= row->min && *result <= row->max;
}

/// A factor ends in 'x'.
static bool parse_growth(const struct row *row, struct slice value,
                         struct liveobj_option_growth *growth) {
    bool is_factor = value.count > 0 && value.start[value.count - 1] == 'x';
    uint64_t number = 0;
    value.count -= is_factor;
    if (!slice_equals(value, "off") && !parse_number(row, value, &number))
        return false;
    *growth = is_factor ? (struct liveobj_option_growth){.factor = number}
                        : (struct liveobj_option_growth){.intervals = number};
    return true;
}

static bool parse_text(struct slice value, char text[PATH_MAX]) {
    if (value.count >= PATH_MAX)
        return false;
    memcpy(text, value.start, value.count);
    text[value.count] = '\0';
    return true;
}

static bool set_value(struct liveobj_options *options, const struct row *row, struct slice value) {
    void *field = (char *)options + row->offset;
    uint64_t number;
    switch (row->kind) {
    case KIND_PATH:
    case KIND_TEXT:
        return value.count > 0 && parse_text(value, field);
    case KIND_CHOICE:
        return parse_choice(row->text.values, value, field);
    case KIND_NUMBER:
    case KIND_DURATION:
        if (!parse_number(row, value, &number))
            return false;
        *(uint64_t *)field = number;
        return true;
    case KIND_GROWTH:
        return parse_growth(row, value, field);
    case KIND_OWN:
        return true;
    }
    return false;
}

void liveobj_options_reset(struct liveobj_options *options) {
    memset(options, 0, sizeof *options);
    for (size_t i = 0; i < liveobj_options_count(); i++)
        if (rows[i].kind != KIND_CHOICE && rows[i].kind != KIND_OWN)
            set_value(options, &rows[i],
                      (struct slice){rows[i].text.standard, strlen(rows[i].text.standard)});
}

const char *liveobj_options_word(const struct liveobj_options *options, const char *name,
                                 char *word, size_t size) {
    const struct row *row = find_option_row((struct slice){name, strlen(name)});
    if (!row || row->kind != KIND_CHOICE)
        return NULL;
    const char *rest = row->text.values;
    struct slice chosen = next_word(&rest);
    const void *field = (const char *)options + row->offset;
    for (unsigned i = *(const unsigned *)field; i > 0; i--)
        chosen = next_word(&rest);
    if (chosen.count >= size)
        return NULL;
    memcpy(word, chosen.start, chosen.count);
    word[chosen.count] = '\0';
    return word;
}

// MARK: - Grammar

/// `key=value`, with the quotes around the value removed.
struct pair {
    struct slice name;
    struct slice value;
    bool has_value;
    bool is_closed; ///< false if a quote in the value is not closed, or text follows it
};

/// Takes a value that cannot be parsed, up to the next pair: other options follow it, among them
/// those that the tool adds.
static struct slice take_unreadable(const char **next) {
    const char *end = *next;
    do
        end += 1 + strcspn(end + 1, ":");
    while (*end && end[1 + strcspn(end + 1, "=:")] != '=');
    struct slice taken = {*next, (size_t)(end - *next)};
    *next = end;
    return taken;
}

/// Takes the value at `*next`, without its quotes. Moves `*next` to the ':' or the end after it.
/// \returns false if a quote is not closed, or text follows it.
static bool take_value(const char **next, struct slice *value) {
    char quote = **next;
    if (quote != '\'' && quote != '"') {
        *value = (struct slice){*next, strcspn(*next, ":")};
        *next += value->count;
        return true;
    }
    const char *end = strchr(*next + 1, quote);
    if (!end || (end[1] != ':' && end[1] != '\0')) {
        *value = take_unreadable(next);
        return false;
    }
    *value = (struct slice){*next + 1, (size_t)(end - *next - 1)};
    *next = end + 1;
    return true;
}

/// \returns false at the end of the string.
static bool take_pair(const char **next, struct pair *pair) {
    *next += strspn(*next, ":");
    if (!**next)
        return false;
    *pair = (struct pair){.name = {*next, strcspn(*next, "=:")}, .is_closed = true};
    *next += pair->name.count;
    if (**next == '=') {
        ++*next;
        pair->has_value = true;
        pair->is_closed = take_value(next, &pair->value);
    }
    return true;
}

// MARK: - Problems

enum problem { NO_PROBLEM, UNKNOWN_NAME, NO_VALUE, OPEN_QUOTE, WRONG_VALUE };

static enum problem apply_option(struct liveobj_options *options, const struct pair *pair) {
    const struct row *row = find_option_row(pair->name);
    if (!pair->has_value)
        return NO_VALUE;
    if (!pair->is_closed)
        return OPEN_QUOTE;
    if (!row)
        return UNKNOWN_NAME;
    return set_value(options, row, pair->value) ? NO_PROBLEM : WRONG_VALUE;
}

/// Appends strings up to NULL. Replaces bytes that could control a terminal.
__attribute__((sentinel)) static void append_texts(struct liveobj_text *text, const char *first,
                                                   ...) {
    va_list rest;
    va_start(rest, first);
    for (const char *part = first; part; part = va_arg(rest, const char *))
        liveobj_text_append_plain(text, part, strlen(part));
    va_end(rest);
}

/// The beginning of a slice as a string, short enough for a line.
struct excerpt {
    char bytes[80];
};

static struct excerpt make_excerpt(struct slice slice) {
    struct excerpt result;
    size_t room = sizeof result.bytes - 1;
    size_t count = slice.count < room ? slice.count : room;
    memcpy(result.bytes, slice.start, count);
    result.bytes[count] = '\0';
    return result;
}

static void append_wrong_value(struct liveobj_text *text, const struct pair *pair) {
    const struct row *row = find_option_row(pair->name);
    char min[LIVEOBJ_DIGITS], max[LIVEOBJ_DIGITS];
    append_texts(text, row->text.name, "=", make_excerpt(pair->value).bytes, NULL);
    if (row->kind == KIND_NUMBER)
        append_texts(text, " is not a number from ", liveobj_text_digits(min, row->min), " to ",
                     liveobj_text_digits(max, row->max), NULL);
    else if (row->kind == KIND_DURATION)
        append_texts(text, " is not a time such as 10s, 5m or 1h, and at most a day", NULL);
    else if (row->kind == KIND_GROWTH)
        append_texts(text, " is neither off, nor a factor such as 2x, nor a number of intervals",
                     NULL);
    else if (row->kind == KIND_PATH)
        append_texts(text, " is not a path", NULL);
    else
        append_texts(text, " is not one of ", row->text.values, NULL);
}

static void append_problem(struct liveobj_text *text, enum problem problem,
                           const struct pair *pair) {
    struct excerpt name = make_excerpt(pair->name);
    if (problem == UNKNOWN_NAME)
        append_texts(text, "there is no option '", name.bytes, "'", NULL);
    else if (problem == NO_VALUE)
        append_texts(text, "'", name.bytes, "' has no value (key=value:key=value)", NULL);
    else if (problem == OPEN_QUOTE)
        append_texts(text, "the quotes in ", name.bytes, "=", make_excerpt(pair->value).bytes,
                     " do not match", NULL);
    else
        append_wrong_value(text, pair);
}

void liveobj_options_parse(struct liveobj_options *options, const char *string,
                           struct liveobj_text *problems) {
    enum { MOST_SAID = 10 };
    struct pair pair;
    unsigned count = 0;
    for (const char *next = string ? string : ""; take_pair(&next, &pair);) {
        enum problem problem = apply_option(options, &pair);
        if (problem == NO_PROBLEM || count++ >= MOST_SAID)
            continue;
        append_texts(problems, "LiveObjects: " LIVEOBJ_OPTIONS_VARIABLE ": ", NULL);
        append_problem(problems, problem, &pair);
        liveobj_text_append(problems, problem == WRONG_VALUE ? "; the default is used\n"
                                                             : "; it is ignored\n");
        liveobj_text_flush(problems);
    }
}

// MARK: - For the tool

static void append_names(struct liveobj_text *text) {
    const char *separator = "; the options are ";
    for (size_t i = 0; i < liveobj_options_count(); i++) {
        if (rows[i].kind == KIND_OWN)
            continue;
        append_texts(text, separator, rows[i].text.name, NULL);
        separator = ", ";
    }
}

bool liveobj_options_check(const char *string, char *problem, size_t size) {
    struct liveobj_options options;
    struct liveobj_text text = {.failed =
                                    true}; // nothing is written: a problem fits into the buffer
    struct pair pair;
    for (const char *next = string; take_pair(&next, &pair);) {
        enum problem found = apply_option(&options, &pair);
        if (found == NO_PROBLEM)
            continue;
        append_problem(&text, found, &pair);
        if (found == UNKNOWN_NAME)
            append_names(&text);
        size_t count = text.count < size ? text.count : size - 1;
        memcpy(problem, text.bytes, count);
        problem[count] = '\0';
        return false;
    }
    return true;
}

static void copy_slice(struct slice slice, char *text, size_t size) {
    size_t count = slice.count < size ? slice.count : size - 1;
    memcpy(text, slice.start, count);
    text[count] = '\0';
}

bool liveobj_options_set(const char *string, const char *name, char *value, size_t size) {
    bool is_set = false;
    struct pair pair;
    for (const char *next = string; take_pair(&next, &pair);) {
        if (!slice_equals(pair.name, name))
            continue;
        is_set = true;
        if (value)
            copy_slice(pair.value, value, size);
    }
    return is_set;
}
