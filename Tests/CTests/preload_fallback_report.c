// What C says without the tool.

#define _GNU_SOURCE
#include "expect.h"
#include "fake_recorder.h"
#include "preload.h"

#include <unistd.h>

static const struct fake_type types[] = {
    {"Demo.Small", 1, 16},
    {"Demo.\"Odd\"\n", 3, 4096},
    {"Demo.Also\xC3\x9F", 2, 4096},
};

static const char *write_report(unsigned format) {
    static char text[4096];
    static struct liveobj_options options;
    liveobj_options_reset(&options);
    options.format = format;
    int file = liveobj_descriptor_make_nameless("report");
    EXPECT(liveobj_fallback_report_write(&options, "no tool", file) == 0);
    ssize_t count = pread(file, text, sizeof text - 1, 0);
    text[count > 0 ? count : 0] = '\0';
    close(file);
    return text;
}

static void the_table_is_sorted_by_bytes_then_name(void) {
    const char *table = strchr(write_report(LIVEOBJ_FORMAT_TEXT), '\n') + 1;
    EXPECT_STRING(table, "  no tool\n"
                         "        live           bytes  type\n"
                         "           3            4096  Demo.\"Odd\"?\n"
                         "           2            4096  Demo.Also\xC3\x9F\n"
                         "           1              16  Demo.Small\n");
}

static void the_smallest_json_is_incomplete_and_says_why(void) {
    EXPECT_STRING(write_report(LIVEOBJ_FORMAT_JSON),
                  "{\"schemaVersion\":1,\"tracking\":{\"complete\":false,\"notes\":[\"no tool\"],"
                  "\"droppedRecords\":0},\"tests\":[],\"findings\":[],\"types\":[\n"
                  "{\"type\":\"Demo.\\\"Odd\\\"\\u000a\",\"live\":3,\"growth\":3,\"bytes\":4096},\n"
                  "{\"type\":\"Demo.Also\xC3\x9F\",\"live\":2,\"growth\":2,\"bytes\":4096},\n"
                  "{\"type\":\"Demo.Small\",\"live\":1,\"growth\":1,\"bytes\":16}]}\n");
}

static void a_private_types_address_is_left_out(void) {
    static const struct fake_type hidden[] = {
        {"Demo.(unknown context at $5602cd7729b8).Hidden", 1, 16},
        {"A<(unknown context at $1).B, Demo.(unknown context at $2).C>", 1, 8},
        {"(unknown context at $1", 1, 4},
    };
    fake_types = hidden;
    fake_type_count = sizeof hidden / sizeof hidden[0];
    const char *table = strstr(write_report(LIVEOBJ_FORMAT_TEXT), "type\n") + 5;
    EXPECT_STRING(table, "           1              16  Demo.Hidden\n"
                         "           1               8  A<B, Demo.C>\n"
                         "           1               4  (unknown context at $1\n");
    EXPECT(strstr(write_report(LIVEOBJ_FORMAT_JSON), "\"type\":\"Demo.Hidden\""));
    fake_types = types;
    fake_type_count = sizeof types / sizeof types[0];
}

static void what_was_dropped_is_said(void) {
    fake_status.dropped_records = 7;
    EXPECT(strstr(write_report(LIVEOBJ_FORMAT_TEXT),
                  "  not recorded for want of room: 7 objects (maxobjects)\n"));
    EXPECT(strstr(write_report(LIVEOBJ_FORMAT_JSON), "\"droppedRecords\":7"));
    fake_shortage = true;
    EXPECT(strstr(write_report(LIVEOBJ_FORMAT_TEXT), ": 7 objects (memory limit)\n"));
    fake_shortage = false;
    fake_status.dropped_records = 0;
}

static void an_unwatched_process_has_no_table(void) {
    fake_status.state = LIVEOBJ_STATE_BLIND;
    const char *text = write_report(LIVEOBJ_FORMAT_TEXT);
    EXPECT(strstr(text, "LiveObjects: nothing was watched in ") == text);
    EXPECT(!strstr(text, "type"));
    fake_status.state = LIVEOBJ_STATE_TRACKING;
}

static void many_types_are_sorted(void) {
    static struct fake_type many[5000];
    for (size_t i = 0; i < 5000; i++)
        many[i] = (struct fake_type){"T", 1, i * 7919 % 5000};
    fake_types = many;
    fake_type_count = 5000;
    const char *text = write_report(LIVEOBJ_FORMAT_TEXT);
    unsigned long before = 5000;
    const char *line = strstr(text, "type\n") + 5;
    for (int i = 0; i < 100; i++, line = strchr(line, '\n') + 1) {
        unsigned long bytes = 0;
        EXPECT(sscanf(line, " 1 %lu", &bytes) == 1 && bytes == before - 1);
        before = bytes;
    }
}

int main(void) {
    fake_types = types;
    fake_type_count = sizeof types / sizeof types[0];
    the_table_is_sorted_by_bytes_then_name();
    the_smallest_json_is_incomplete_and_says_why();
    a_private_types_address_is_left_out();
    what_was_dropped_is_said();
    an_unwatched_process_has_no_table();
    many_types_are_sorted();
    return EXPECT_STATUS();
}
