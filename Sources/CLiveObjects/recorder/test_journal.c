// test_journal.c - writes each fact about the tests as soon as it is known.
//
// A process that crashes writes no capture. So tests can have a journal: a stream of sections as in
// a capture, without an end. Each section has one record and is written in one call. Records of
// several threads come in any order; each has the number of its test.
//
// Owns the function that receives the journal. Outside of hooks, from any thread; no lock is held
// during the write.

#if defined(__linux__)

#include "capture/stream.h"
#include "os/compiler.h"
#include "os/os.h"
#include "recorder/tests.h"
#include "records/thread.h"

#include <string.h>

static struct {
    liveobj_write_fn write; // atomic; NULL if there is no journal
    void *context;
} journal;

void liveobj_journal_start(const struct liveobj_status *status, liveobj_write_fn write,
                           void *context) {
    struct liveobj_stream stream = {.write = write, .context = context};
    liveobj_stream_begin(&stream);
    liveobj_stream_write_section(&stream, "JRNL", "", 0);
    liveobj_write_process(&stream, 0, liveobj_sequence_mark());
    liveobj_write_status(&stream, status);
    journal.context = context;
    // Release: a reader of the function can read the context.
    __atomic_store_n(&journal.write, stream.failed ? NULL : write, __ATOMIC_RELEASE);
}

void liveobj_journal_section(const void *section, size_t count) {
    // Acquire: pairs with the release above.
    liveobj_write_fn write = __atomic_load_n(&journal.write, __ATOMIC_ACQUIRE);
    // After a truncated section, a reader would not find the next one.
    if (write && !write(journal.context, section, count))
        LIVEOBJ_STORE_RELAXED(journal.write, NULL);
}

// MARK: - Records

/// Most tests have short names. The three strings of a test have 16 KB each at most
/// (capture/test_table.c).
enum { SHORT_RECORD = 1 << 10, LONG_RECORD = 1 << 16 };

/// Memory for one section, header included.
struct record {
    unsigned char bytes[SHORT_RECORD];
    struct liveobj_section section;
};

/// \returns false if memory could not be had.
static bool start_record(struct record *record, const char *tag, uint32_t number, size_t capacity) {
    bool is_short = capacity <= SHORT_RECORD;
    record->section = (struct liveobj_section){
        .bytes = is_short ? record->bytes : liveobj_os_map(LONG_RECORD), .capacity = capacity};
    if (!record->section.bytes)
        return false;
    struct liveobj_section_header header = {{tag[0], tag[1], tag[2], tag[3]}, 0, 0};
    liveobj_put(&record->section, &header, sizeof header);
    liveobj_put_u32(&record->section, number);
    return true;
}

static void finish_record(struct record *record) {
    static const char padding[8];
    struct liveobj_section *section = &record->section;
    struct liveobj_section_header header;
    memcpy(&header, section->bytes, sizeof header);
    header.count = section->count - sizeof header;
    memcpy(section->bytes, &header, sizeof header);
    liveobj_put(section, padding, -section->count & 7);
    liveobj_journal_section(section->bytes, section->count);
    if (section->bytes != record->bytes)
        liveobj_os_unmap(section->bytes, LONG_RECORD);
}

static size_t room_for(const struct liveobj_recorded_test *test) {
    const size_t numbers = 128; // also covers the section's header and padding
    return numbers + strlen(test->id) + strlen(test->arguments) + strlen(test->file);
}

void liveobj_journal_begin(uint32_t number) {
    struct record record;
    struct liveobj_recorded_test test = liveobj_tests_get(number);
    if (!LIVEOBJ_LOAD_RELAXED(journal.write) ||
        !start_record(&record, "BEGN", number, room_for(&test)))
        return;
    liveobj_put_test(&record.section, &test, 0);
    finish_record(&record);
}

void liveobj_journal_close(uint32_t number) {
    struct record record;
    struct liveobj_recorded_test test = liveobj_tests_get(number);
    if (!LIVEOBJ_LOAD_RELAXED(journal.write) ||
        !start_record(&record, "DONE", number, SHORT_RECORD))
        return;
    liveobj_put_u32(&record.section, test.outcome);
    liveobj_put_u32(&record.section, test.is_evaluated);
    liveobj_put_u32(&record.section, 0);
    liveobj_put_u64(&record.section, test.end);
    finish_record(&record);
}

#endif
