// capture_counts.c - counts the live objects of each type, and writes the counts.

#if defined(__linux__)

#include "capture/capture.h"
#include "os/os.h"

bool liveobj_type_counts_add(struct liveobj_type_counts *counts, uint32_t type, uint64_t bytes) {
    if (type == 0 || !liveobj_os_make_room((void **)&counts->types, type, &counts->capacity,
                                           sizeof *counts->types))
        return false;
    counts->types[type].objects++;
    counts->types[type].bytes += bytes;
    counts->end = type < counts->end ? counts->end : type + 1;
    return true;
}

void liveobj_type_counts_end(struct liveobj_type_counts *counts) {
    liveobj_os_unmap(counts->types, counts->capacity * sizeof *counts->types);
    *counts = (struct liveobj_type_counts){0};
}

void liveobj_write_type_counts(struct liveobj_stream *stream,
                               const struct liveobj_type_counts *counts) {
    enum { RECORD_BYTES = 24 };
    struct liveobj_section section;
    if (!liveobj_section_start(&section, stream, "CNTS"))
        return;
    for (uint32_t type = 1; type < counts->end; type++) {
        liveobj_section_reserve(&section, RECORD_BYTES);
        liveobj_put_u32(&section, type);
        liveobj_put_u32(&section, 0);
        liveobj_put_u64(&section, counts->types[type].objects);
        liveobj_put_u64(&section, counts->types[type].bytes);
    }
    if (counts->end == 0) // there are none: a missing section says that they were not counted
        liveobj_stream_write_section(stream, "CNTS", NULL, 0);
    liveobj_section_finish(&section);
}

#endif
