// capture_sections.h - the sections of a capture in memory.

#pragma once

#include "CLiveObjects.h"

#include <string.h>

struct section {
    const unsigned char *bytes;
    size_t count;
};

/// The 32-bit word with this index; 0 beyond the end.
static inline uint32_t section_word(struct section section, size_t index) {
    uint32_t word = 0;
    if ((index + 1) * sizeof word <= section.count)
        memcpy(&word, section.bytes + index * sizeof word, sizeof word);
    return word;
}

/// The first section with a tag.
static inline struct section section_find(struct liveobj_buffer capture, const char *tag) {
    enum { HEADER = 16 };
    for (size_t at = HEADER; at + HEADER <= capture.count;) {
        const unsigned char *header = (const unsigned char *)capture.bytes + at;
        uint64_t count;
        memcpy(&count, header + 8, sizeof count);
        if (memcmp(header, tag, 4) == 0)
            return (struct section){header + HEADER, count};
        at += HEADER + ((count + 7) & ~(size_t)7);
    }
    return (struct section){NULL, 0};
}
