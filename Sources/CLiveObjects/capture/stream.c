// stream.c - writes the sections and records of a capture
// (Documentation/internals/capture-format.md).
//
// Owns the buffers of the sections. Outside of hooks; gets memory from the system alone. After a
// failed write nothing more is written, and all later calls have no effect.

#if defined(__linux__)

#include "capture/stream.h"
#include "os/os.h"

enum { SECTION_BYTES = 1 << 18 }; // fits into the cache until it is written
_Static_assert(LIVEOBJ_RECORD_LIMIT < SECTION_BYTES, "a record fits into an empty section");

void liveobj_stream_forward(struct liveobj_stream *stream, const void *bytes, size_t count) {
    stream->failed = stream->failed || !stream->write(stream->context, bytes, count);
}

void liveobj_stream_write_section(struct liveobj_stream *stream, const char *tag, const void *bytes,
                                  size_t count) {
    static const char padding[8];
    struct liveobj_section_header header = {{tag[0], tag[1], tag[2], tag[3]}, 0, count};
    liveobj_stream_forward(stream, &header, sizeof header);
    liveobj_stream_forward(stream, bytes, count);
    liveobj_stream_forward(stream, padding, -count & 7);
    stream->sections++;
}

void liveobj_stream_begin(struct liveobj_stream *stream) {
    struct {
        char magic[8];
        uint32_t version;
        uint32_t bytes;
    } header = {"LiveObj", 1, sizeof header};
    liveobj_stream_forward(stream, &header, sizeof header);
}

void liveobj_stream_end(struct liveobj_stream *stream) {
    uint64_t sections = stream->sections;
    liveobj_stream_write_section(stream, "END!", &sections, sizeof sections);
}

bool liveobj_section_start(struct liveobj_section *section, struct liveobj_stream *stream,
                           const char *tag) {
    *section = (struct liveobj_section){.stream = stream, .capacity = SECTION_BYTES};
    memcpy(section->tag, tag, 4);
    section->bytes = liveobj_os_map(section->capacity);
    stream->failed |= !section->bytes;
    return section->bytes != NULL;
}

void liveobj_section_flush(struct liveobj_section *section) {
    if (section->before)
        liveobj_section_flush(section->before);
    if (section->count > 0)
        liveobj_stream_write_section(section->stream, section->tag, section->bytes, section->count);
    section->count = 0;
}

void liveobj_section_finish(struct liveobj_section *section) {
    if (section->bytes)
        liveobj_section_flush(section);
    liveobj_os_unmap(section->bytes, section->capacity);
    section->bytes = NULL;
}

void liveobj_put_string(struct liveobj_section *section, const char *text, size_t length) {
    size_t used = length < LIVEOBJ_STRING_LIMIT ? length : LIVEOBJ_STRING_LIMIT;
    liveobj_put_u32(section, (uint32_t)used);
    liveobj_put(section, text, used);
}

#endif
