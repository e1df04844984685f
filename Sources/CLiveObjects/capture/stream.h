// stream.h - a capture as a stream of sections, and a section as a buffer of records.
//
// Outside of hooks. Each stream and section belongs to the capture that writes it.

#pragma once

#include "CLiveObjects.h"

#include <string.h>

#pragma GCC visibility push(hidden)

/// The header of a section. The content that follows is padded to a multiple of 8 bytes.
struct liveobj_section_header {
    char tag[4];
    uint32_t flags;
    uint64_t count;
};

/// The sections with one tag. Records are collected in a buffer, which is written as a section when
/// it is full.
struct liveobj_section {
    struct liveobj_stream *stream;
    char tag[5];
    unsigned char *bytes;
    size_t count;
    size_t capacity;
    /// A section whose records define what the records here refer to. It is flushed first.
    struct liveobj_section *before;
};
struct liveobj_stream {
    liveobj_write_fn write;
    void *context;
    uint64_t sections;
    bool failed;
};

void liveobj_stream_begin(struct liveobj_stream *stream);
void liveobj_stream_end(struct liveobj_stream *stream);
/// Writes sections that were made elsewhere, or a part of them. The caller counts them.
void liveobj_stream_forward(struct liveobj_stream *stream, const void *bytes, size_t count);
bool liveobj_section_start(struct liveobj_section *section, struct liveobj_stream *stream,
                           const char *tag);
/// Flushes the buffer and frees it.
void liveobj_section_finish(struct liveobj_section *section);
/// Writes a section. One without content says that there are no such records, where a missing
/// section says that they are not known.
void liveobj_stream_write_section(struct liveobj_stream *stream, const char *tag, const void *bytes,
                                  size_t count);
/// Writes the content of the buffer as a section.
void liveobj_section_flush(struct liveobj_section *section);

/// Makes room for a record of at most `bytes`, which must be below LIVEOBJ_RECORD_LIMIT.
static inline void liveobj_section_reserve(struct liveobj_section *section, size_t bytes) {
    if (section->capacity - section->count < bytes)
        liveobj_section_flush(section);
}

static inline void liveobj_put(struct liveobj_section *section, const void *bytes, size_t count) {
    memcpy(section->bytes + section->count, bytes, count);
    section->count += count;
}

static inline void liveobj_put_u32(struct liveobj_section *section, uint32_t value) {
    liveobj_put(section, &value, sizeof value);
}

static inline void liveobj_put_u64(struct liveobj_section *section, uint64_t value) {
    liveobj_put(section, &value, sizeof value);
}

/// Adds a string, cut at LIVEOBJ_STRING_LIMIT bytes.
void liveobj_put_string(struct liveobj_section *section, const char *text, size_t length);

#define LIVEOBJ_STRING_LIMIT ((size_t)64 * 1024)
#define LIVEOBJ_RECORD_LIMIT ((size_t)160 * 1024)

#pragma GCC visibility pop
