// LIVEOBJECTS_OPTIONS: what is understood, what is complained of, and that the documentation knows.

#define _GNU_SOURCE
#include "options.h"
#include "support/expect.h"
#include "text.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

static struct liveobj_options options;
static char problems[4096];

static bool append(void *context, const void *bytes, size_t count) {
    (void)context;
    strncat(problems, bytes, count);
    return true;
}

static void parse(const char *string) {
    struct liveobj_text text;
    problems[0] = '\0';
    liveobj_text_start(&text, append, NULL);
    liveobj_options_reset(&options);
    liveobj_options_parse(&options, string, &text);
}

static void defaults_are_those_of_the_table(void) {
    parse(NULL);
    EXPECT_STRING(options.output, "stderr");
    EXPECT_STRING(options.tool, "");
    EXPECT(options.format == LIVEOBJ_FORMAT_TEXT);
    EXPECT(options.stacks == LIVEOBJ_ON);
    EXPECT(options.depth == 64);
    EXPECT_STRING(options.retains, "off");
    EXPECT(options.graph == LIVEOBJ_ON);
    EXPECT(options.exitcode == 0);
    EXPECT(options.verbosity == 0);
    EXPECT(options.way == LIVEOBJ_CHOSEN_WAY_AUTO);
    EXPECT(options.maxobjects == UINT64_C(1) << 27);
    EXPECT(options.maxstackbytes == UINT64_C(4) << 30);
    EXPECT_STRING(problems, "");
}

static void pairs_set_values(void) {
    parse("format=capture:stacks=off:graph=off:depth=512:retains='Demo.*,*Cache':exitcode=7:"
          "verbosity=2:way="
          "slots:"
          "maxobjects=10K:maxstackbytes=2M:output=/a/%p.json:tool=/b");
    EXPECT(options.format == LIVEOBJ_FORMAT_CAPTURE);
    EXPECT(options.stacks == LIVEOBJ_OFF);
    EXPECT(options.graph == LIVEOBJ_OFF);
    EXPECT(options.depth == 512);
    EXPECT_STRING(options.retains, "Demo.*,*Cache");
    EXPECT(options.exitcode == 7);
    EXPECT(options.verbosity == 2);
    EXPECT(options.way == LIVEOBJ_CHOSEN_WAY_SLOTS);
    EXPECT(options.maxobjects == 10240);
    EXPECT(options.maxstackbytes == 2 << 20);
    EXPECT_STRING(options.output, "/a/%p.json");
    EXPECT_STRING(options.tool, "/b");
    EXPECT_STRING(problems, "");
}

/// \returns true if there is one problem, and it is this option's quotes.
static bool complains_once_of_quotes(const char *pair) {
    char line[128];
    snprintf(line, sizeof line,
             "LiveObjects: LIVEOBJECTS_OPTIONS: the quotes in %s do not match; it is ignored\n",
             pair);
    return strcmp(problems, line) == 0;
}

/// Behind a user's options stand those of `liveobjects run`.
static void a_quote_that_is_not_closed_costs_its_own_option(void) {
    parse("output='a:depth=5");
    EXPECT(complains_once_of_quotes("output='a"));
    EXPECT_STRING(options.output, "stderr");
    EXPECT(options.depth == 5);
    parse("tool='x:output='/tmp/a:b':format=capture");
    EXPECT(complains_once_of_quotes("tool='x"));
    EXPECT_STRING(options.output, "/tmp/a:b");
    EXPECT(options.format == LIVEOBJ_FORMAT_CAPTURE);
    parse("tool=\"x:output='a:b':depth=5");
    EXPECT(complains_once_of_quotes("tool=\"x"));
    EXPECT_STRING(options.output, "a:b");
    EXPECT(options.depth == 5);
    parse("tool='a:b:c:depth=5");
    EXPECT(complains_once_of_quotes("tool='a:b:c"));
    EXPECT(options.depth == 5);
    parse("tool='a'b:depth=5");
    EXPECT(complains_once_of_quotes("tool='a'b"));
    EXPECT(options.depth == 5);
    parse("depth=5:tool='");
    EXPECT(complains_once_of_quotes("tool='"));
    EXPECT(options.depth == 5);
    parse("depth=5:tool='a:");
    EXPECT(complains_once_of_quotes("tool='a:"));
}

static void not_every_one_of_many_problems_is_said(void) {
    char many[400];
    unsigned lines = 0;
    for (size_t i = 0; i < sizeof many; i++)
        many[i] = i % 2 ? ':' : 'x';
    strcpy(many + sizeof many - 10, ":depth=5");
    parse(many);
    for (const char *end = problems; (end = strchr(end, '\n')); end++)
        lines++;
    EXPECT(lines == 10);
    EXPECT(options.depth == 5);
}

static void quotes_hold_colons(void) {
    parse("output='a:b':tool=\"c:'d\":depth=5");
    EXPECT_STRING(options.output, "a:b");
    EXPECT_STRING(options.tool, "c:'d");
    EXPECT(options.depth == 5);
    EXPECT_STRING(problems, "");
}

static void empty_pairs_are_nothing(void) {
    parse("::depth=5:");
    EXPECT(options.depth == 5);
    EXPECT_STRING(problems, "");
}

static void the_last_of_two_wins(void) {
    parse("depth=5:depth=6");
    EXPECT(options.depth == 6);
}

static void what_is_not_understood_gets_one_line_and_the_rest_counts(void) {
    parse("colour=red:depth=5");
    EXPECT_STRING(problems, "LiveObjects: LIVEOBJECTS_OPTIONS: there is no option 'colour'; "
                            "it is ignored\n");
    EXPECT(options.depth == 5);
    parse("format=xml:depth=5");
    EXPECT_STRING(problems, "LiveObjects: LIVEOBJECTS_OPTIONS: format=xml is not one of "
                            "text|json|capture; the default is used\n");
    EXPECT(options.format == LIVEOBJ_FORMAT_TEXT && options.depth == 5);
    parse("verbose:depth=5");
    EXPECT_STRING(problems, "LiveObjects: LIVEOBJECTS_OPTIONS: 'verbose' has no value "
                            "(key=value:key=value); it is ignored\n");
    EXPECT(options.depth == 5);
    parse("output=:depth=5");
    EXPECT_STRING(problems, "LiveObjects: LIVEOBJECTS_OPTIONS: output= is not a path; "
                            "the default is used\n");
    EXPECT_STRING(options.output, "stderr");
    parse("suppressions=file:depth=5");
    EXPECT_STRING(problems, "LiveObjects: LIVEOBJECTS_OPTIONS: suppressions is not supported yet; "
                            "it is ignored\n");
}

static void check(const char *string, const char *expected) {
    char problem[512] = "";
    EXPECT(liveobj_options_check(string, problem, sizeof problem) == !*expected);
    EXPECT_STRING(problem, expected);
}

static void a_string_can_be_checked(void) {
    check("", "");
    check("depth=5:retains='Demo.*,a:b':output=x", "");
    check("depth=5:colour=red",
          "there is no option 'colour'; the options are output, format, stacks, depth, retains, "
          "graph, failon, exitcode, tool, verbosity, way, maxobjects, maxstackbytes");
    check("depth=0:colour=red", "depth=0 is not a number from 1 to 512");
    check("graph=maybe", "graph=maybe is not one of on|off");
    check("graph", "'graph' has no value (key=value:key=value)");
    check("tool='x", "the quotes in tool='x do not match");
    check("suppressions=x", "suppressions is not supported yet");
    char problem[8];
    EXPECT(!liveobj_options_check("a\x1b=1", problem, sizeof problem));
    EXPECT_STRING(problem, "there i");
}

static void names_are_found_outside_of_values(void) {
    EXPECT(liveobj_options_set("a='x:tool=1':output=2", "output"));
    EXPECT(!liveobj_options_set("a='x:tool=1':output=2", "tool"));
    EXPECT(!liveobj_options_set("toolbox=1", "tool"));
}

static void numbers_out_of_range_are_refused(void) {
    static const char *const bad[] = {
        "depth=0",      "depth=513",    "depth=-1",
        "depth=5x",     "depth=",       "depth=K",
        "depth=1T",     "depth=1KK",    "depth=99999999999999999999999999999",
        "exitcode=256", "maxobjects=0", "maxstackbytes=999999999999G"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        parse(bad[i]);
        EXPECT(strstr(problems, " is not a number from "));
        EXPECT(options.depth == 64 && options.exitcode == 0);
        EXPECT(options.maxobjects == UINT64_C(1) << 27);
    }
}

static void problems_cannot_steer_the_terminal(void) {
    parse("a\x1b[31m\nb=1");
    EXPECT_STRING(problems, "LiveObjects: LIVEOBJECTS_OPTIONS: there is no option 'a?[31m?b'; "
                            "it is ignored\n");
}

static void long_values_are_refused_and_cut_in_the_line(void) {
    static char string[3 * PATH_MAX];
    memset(string, 'x', sizeof string - 1);
    memcpy(string, "output=", 7);
    parse(string);
    EXPECT_STRING(options.output, "stderr");
    EXPECT(strlen(problems) < 200);
}

static void a_word_stands_for_each_choice(void) {
    char word[16];
    parse("failon=growth");
    EXPECT_STRING(liveobj_options_word(&options, "failon", word, sizeof word), "growth");
    EXPECT(!liveobj_options_word(&options, "failon", word, 3));
    EXPECT(!liveobj_options_word(&options, "depth", word, sizeof word));
}

/// The documentation, with the bars that Markdown wants escaped in a table as they are meant.
static char *read_documentation(void) {
    static char text[1 << 16];
    int file = open(LIVEOBJ_SOURCE_ROOT "/Documentation/guides/options.md", O_RDONLY);
    ssize_t count = read(file, text, sizeof text - 1);
    close(file);
    text[count > 0 ? count : 0] = '\0';
    for (char *escape; (escape = strstr(text, "\\|"));)
        memmove(escape, escape + 1, strlen(escape));
    return text;
}

/// Every row of the table is in the documentation: key, values or default, and help, word for word.
/// All but `way`, which is for the tests and no choice of a user's.
static void the_documentation_has_every_row(void) {
    const char *documentation = read_documentation();
    for (size_t i = 0; i < liveobj_options_count(); i++) {
        struct liveobj_option_row row = liveobj_options_row(i);
        char key[64], line[512];
        if (strcmp(row.name, "way") == 0)
            continue;
        snprintf(key, sizeof key, "| `%s` | ", row.name);
        const char *found = strstr(documentation, key);
        EXPECT(found);
        if (!found)
            continue;
        snprintf(line, sizeof line, "%.*s", (int)strcspn(found, "\n"), found);
        if (!strstr(line, row.help) || !strstr(line, *row.values ? row.values : row.standard))
            fprintf(stderr, "documentation of %s\n", row.name);
        EXPECT(strstr(line, row.help));
        EXPECT(strstr(line, *row.values ? row.values : row.standard));
    }
}

int main(void) {
    defaults_are_those_of_the_table();
    pairs_set_values();
    not_every_one_of_many_problems_is_said();
    quotes_hold_colons();
    a_quote_that_is_not_closed_costs_its_own_option();
    empty_pairs_are_nothing();
    the_last_of_two_wins();
    what_is_not_understood_gets_one_line_and_the_rest_counts();
    a_string_can_be_checked();
    names_are_found_outside_of_values();
    numbers_out_of_range_are_refused();
    problems_cannot_steer_the_terminal();
    long_values_are_refused_and_cut_in_the_line();
    a_word_stands_for_each_choice();
    the_documentation_has_every_row();
    return EXPECT_STATUS();
}
