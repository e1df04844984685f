// LIVEOBJECTS_OPTIONS: parsing, reported problems, and the documentation's table.

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

TEST(defaults_are_those_of_the_options_table) {
    parse(NULL);
    EXPECT_STRING(options.output, "stderr");
    EXPECT_STRING(options.tool, "");
    EXPECT(options.format == LIVEOBJ_FORMAT_TEXT);
    EXPECT(options.stacks == LIVEOBJ_ON);
    EXPECT(options.depth == 64);
    EXPECT(options.sample == 0);
    EXPECT_STRING(options.retains, "off");
    EXPECT(options.graph == LIVEOBJ_ON);
    EXPECT(options.exitcode == 0);
    EXPECT(options.verbosity == 0);
    EXPECT(options.way == LIVEOBJ_CHOSEN_WAY_AUTO);
    EXPECT(options.maxobjects == UINT64_C(1) << 27);
    EXPECT(options.maxstackbytes == 0);
    EXPECT(options.budget == 0);
    EXPECT(options.every == 0 && options.keep == 1000);
    EXPECT(options.trigger.factor == 0 && options.trigger.intervals == 0);
    EXPECT_STRING(problems, "");
}

TEST(pairs_set_values) {
    parse("format=capture:stacks=off:graph=off:depth=512:sample=512K:retains='Demo.*,*Cache':"
          "exitcode=7:"
          "verbosity=2:way="
          "slots:"
          "maxobjects=10K:maxstackbytes=2M:budget=64M:output=/a/%p.json:tool=/b");
    EXPECT(options.format == LIVEOBJ_FORMAT_CAPTURE);
    EXPECT(options.stacks == LIVEOBJ_OFF);
    EXPECT(options.graph == LIVEOBJ_OFF);
    EXPECT(options.depth == 512);
    EXPECT(options.sample == 512 << 10);
    EXPECT_STRING(options.retains, "Demo.*,*Cache");
    EXPECT(options.exitcode == 7);
    EXPECT(options.verbosity == 2);
    EXPECT(options.way == LIVEOBJ_CHOSEN_WAY_SLOTS);
    EXPECT(options.maxobjects == 10240);
    EXPECT(options.maxstackbytes == 2 << 20);
    EXPECT(options.budget == 64 << 20);
    EXPECT_STRING(options.output, "/a/%p.json");
    EXPECT_STRING(options.tool, "/b");
    EXPECT_STRING(problems, "");
}

TEST(times_and_growth_have_units) {
    parse("every=90:trigger=2x");
    EXPECT(options.every == 90 && options.trigger.factor == 2 && options.trigger.intervals == 0);
    parse("every=10s:trigger=6");
    EXPECT(options.every == 10 && options.trigger.factor == 0 && options.trigger.intervals == 6);
    parse("every=5m:trigger=off");
    EXPECT(options.every == 300 && options.trigger.factor == 0 && options.trigger.intervals == 0);
    parse("every=24h");
    EXPECT(options.every == 86400);
    EXPECT_STRING(problems, "");
    static const char *const wrong[] = {"every=25h",  "every=s",    "every=10K", "every=1ms",
                                        "trigger=1x", "trigger=x",  "trigger=",  "trigger=2y",
                                        "trigger=1",  "trigger=2xx"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        parse(wrong[i]);
        EXPECT(strstr(problems, "; the default is used\n"));
        EXPECT(options.every == 0 && options.trigger.factor == 0 && options.trigger.intervals == 0);
    }
}

/// \returns true if there is one problem, and it is this option's quotes.
static bool reports_only_the_quotes(const char *pair) {
    char line[128];
    snprintf(line, sizeof line,
             "LiveObjects: LIVEOBJECTS_OPTIONS: the quotes in %s do not match; it is ignored\n",
             pair);
    return strcmp(problems, line) == 0;
}

/// Options of `liveobjects run` follow a user's options.
TEST(an_unclosed_quote_invalidates_only_its_option) {
    parse("output='a:depth=5");
    EXPECT(reports_only_the_quotes("output='a"));
    EXPECT_STRING(options.output, "stderr");
    EXPECT(options.depth == 5);
    parse("tool='x:output='/tmp/a:b':format=capture");
    EXPECT(reports_only_the_quotes("tool='x"));
    EXPECT_STRING(options.output, "/tmp/a:b");
    EXPECT(options.format == LIVEOBJ_FORMAT_CAPTURE);
    parse("tool=\"x:output='a:b':depth=5");
    EXPECT(reports_only_the_quotes("tool=\"x"));
    EXPECT_STRING(options.output, "a:b");
    EXPECT(options.depth == 5);
    parse("tool='a:b:c:depth=5");
    EXPECT(reports_only_the_quotes("tool='a:b:c"));
    EXPECT(options.depth == 5);
    parse("tool='a'b:depth=5");
    EXPECT(reports_only_the_quotes("tool='a'b"));
    EXPECT(options.depth == 5);
    parse("depth=5:tool='");
    EXPECT(reports_only_the_quotes("tool='"));
    EXPECT(options.depth == 5);
    parse("depth=5:tool='a:");
    EXPECT(reports_only_the_quotes("tool='a:"));
}

TEST(the_number_of_reported_problems_is_limited) {
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

TEST(quoted_values_may_contain_colons) {
    parse("output='a:b':tool=\"c:'d\":depth=5");
    EXPECT_STRING(options.output, "a:b");
    EXPECT_STRING(options.tool, "c:'d");
    EXPECT(options.depth == 5);
    EXPECT_STRING(problems, "");
}

TEST(empty_pairs_are_ignored) {
    parse("::depth=5:");
    EXPECT(options.depth == 5);
    EXPECT_STRING(problems, "");
}

TEST(the_last_value_of_a_key_wins) {
    parse("depth=5:depth=6");
    EXPECT(options.depth == 6);
}

TEST(an_unknown_pair_gets_one_line_and_the_others_apply) {
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
}

static void check(const char *string, const char *expected) {
    char problem[512] = "";
    EXPECT(liveobj_options_check(string, problem, sizeof problem) == !*expected);
    EXPECT_STRING(problem, expected);
}

TEST(options_can_be_checked_without_applying_them) {
    check("", "");
    check("depth=5:retains='Demo.*,a:b':output=x", "");
    check("depth=5:colour=red",
          "there is no option 'colour'; the options are output, format, stacks, depth, sample, "
          "retains, malloc, graph, memory, failon, exitcode, tool, baseline, suppressions, "
          "snapshots, "
          "every, keep, "
          "trigger, verbosity, way, "
          "maxobjects, "
          "maxstackbytes, budget");
    check("depth=0:colour=red", "depth=0 is not a number from 1 to 512");
    check("graph=maybe", "graph=maybe is not one of on|off");
    check("graph", "'graph' has no value (key=value:key=value)");
    check("tool='x", "the quotes in tool='x do not match");
    char problem[8];
    EXPECT(!liveobj_options_check("a\x1b=1", problem, sizeof problem));
    EXPECT_STRING(problem, "there i");
}

TEST(keys_inside_of_values_are_ignored) {
    EXPECT(liveobj_options_set("a='x:tool=1':output=2", "output", NULL, 0));
    EXPECT(!liveobj_options_set("a='x:tool=1':output=2", "tool", NULL, 0));
    EXPECT(!liveobj_options_set("toolbox=1", "tool", NULL, 0));
    char value[8];
    EXPECT(liveobj_options_set("tool=a:tool='b:c'", "tool", value, sizeof value));
    EXPECT_STRING(value, "b:c");
    EXPECT(liveobj_options_set("tool=123456789", "tool", value, sizeof value));
    EXPECT_STRING(value, "1234567");
}

TEST(numbers_out_of_range_are_refused) {
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

TEST(problems_have_no_control_characters) {
    parse("a\x1b[31m\nb=1");
    EXPECT_STRING(problems, "LiveObjects: LIVEOBJECTS_OPTIONS: there is no option 'a?[31m?b'; "
                            "it is ignored\n");
}

TEST(long_values_are_rejected_and_truncated_in_the_message) {
    static char string[3 * PATH_MAX];
    memset(string, 'x', sizeof string - 1);
    memcpy(string, "output=", 7);
    parse(string);
    EXPECT_STRING(options.output, "stderr");
    EXPECT(strlen(problems) < 200);
}

TEST(each_choice_has_a_name) {
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
TEST(the_documentation_lists_every_option) {
    const char *documentation = read_documentation();
    for (size_t i = 0; i < liveobj_options_count(); i++) {
        struct liveobj_option_row row = liveobj_options_row(i);
        char key[64], line[512];
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
