// capture_tests.c - writes tests and scopes: TEST, EVAL, FIND, SCOP, KNOW.
//
// Owns nothing.

#if defined(__linux__)

#include "capture/capture.h"
#include "capture/test_table.h"
#include "records/scopes.h"

/// The end of a test. A running test ends now, or where it began if that was after the start of the
/// capture.
static uint64_t end_of(const struct liveobj_recorded_test *test, uint64_t next) {
    if (test->end)
        return test->end;
    return next > test->first ? next : test->first;
}

void liveobj_put_test(struct liveobj_section *section, const struct liveobj_recorded_test *test,
                      uint64_t next) {
    liveobj_put_u32(section, test->library);
    liveobj_put_u32(section, test->outcome);
    liveobj_put_u32(section, test->scope);
    liveobj_put_u32(section, test->line);
    liveobj_put_u64(section, test->first);
    liveobj_put_u64(section, end_of(test, next));
    liveobj_put_text(section, test->id);
    liveobj_put_text(section, test->arguments);
    liveobj_put_text(section, test->file);
}

void liveobj_write_tests(struct liveobj_stream *stream, uint64_t next) {
    struct liveobj_section section;
    uint32_t count = liveobj_tests_count();
    if (count == 0 && liveobj_tests_are_watched())
        liveobj_stream_write_section(stream, "TEST", "", 0);
    if (count == 0 || !liveobj_section_start(&section, stream, "TEST"))
        return;
    for (uint32_t number = 1; number <= count; number++) {
        struct liveobj_recorded_test test = liveobj_tests_get(number);
        liveobj_section_reserve(&section, LIVEOBJ_RECORD_LIMIT - 1);
        liveobj_put_test(&section, &test, next);
    }
    liveobj_section_finish(&section);
}

void liveobj_write_evaluated_tests(struct liveobj_stream *stream) {
    struct liveobj_section section;
    uint32_t count = liveobj_tests_count();
    if (count == 0 || !liveobj_section_start(&section, stream, "EVAL"))
        return;
    for (uint32_t number = 1; number <= count; number++) {
        if (!liveobj_tests_get(number).is_evaluated)
            continue;
        liveobj_section_reserve(&section, sizeof number);
        liveobj_put_u32(&section, number);
    }
    liveobj_section_finish(&section);
}

void liveobj_write_test_findings(struct liveobj_stream *stream) {
    struct liveobj_recorded_findings findings = liveobj_tests_findings();
    liveobj_stream_forward(stream, findings.bytes, findings.count);
    stream->sections += findings.sections;
}

void liveobj_write_scopes(struct liveobj_stream *stream) {
    struct liveobj_section section;
    uint32_t last = liveobj_scopes_last();
    if (last == 0 || !liveobj_section_start(&section, stream, "SCOP"))
        return;
    for (uint32_t scope = 1; scope <= last; scope++) {
        uint32_t parent = liveobj_scope_parent(scope);
        if (parent == 0)
            continue;
        liveobj_section_reserve(&section, 8);
        liveobj_put_u32(&section, scope);
        liveobj_put_u32(&section, parent);
    }
    liveobj_section_finish(&section);
}

void liveobj_write_known_scopes(struct liveobj_stream *stream) {
    struct liveobj_section section;
    uint32_t last = liveobj_scopes_last();
    if (last == 0 || !liveobj_section_start(&section, stream, "KNOW"))
        return;
    for (uint32_t scope = 1; scope <= last; scope++) {
        uint64_t before = liveobj_scope_known_before(scope);
        if (before == 0)
            continue;
        liveobj_section_reserve(&section, 16);
        liveobj_put_u32(&section, scope);
        liveobj_put_u32(&section, 0);
        liveobj_put_u64(&section, before);
    }
    liveobj_section_finish(&section);
}

#endif
