// capture_objects.c - writes the records of live objects, and their numbers of retains.
//
// Owns the two sections of one capture.

#if defined(__linux__)

#include "capture/capture.h"
#include "records/retain_ledger.h"

bool liveobj_objects_writer_start(struct liveobj_objects_writer *writer,
                                  struct liveobj_stream *stream, struct liveobj_section *types,
                                  bool counts_retains) {
    writer->counts_retains = counts_retains;
    bool started = liveobj_section_start(&writer->objects, stream, "OBJS") &&
                   liveobj_section_start(&writer->retains, stream, "RETN");
    writer->objects.before = types;
    writer->retains.before = &writer->objects; // an object's record precedes its counts
    return started;
}

void liveobj_objects_writer_end(struct liveobj_objects_writer *writer) {
    liveobj_section_finish(&writer->retains);
    liveobj_section_finish(&writer->objects);
}

struct retain_counts {
    uint64_t retains;
    uint64_t releases;
};

static void add_counts(void *sums, uint32_t stack, uint32_t retains, uint32_t releases) {
    struct retain_counts *counts = sums;
    (void)stack;
    counts->retains += retains;
    counts->releases += releases;
}

static void put_retain_counts(struct liveobj_section *section, uint32_t index, uintptr_t address) {
    enum { COUNTS_BYTES = 24 };
    struct retain_counts counts = {0, 0};
    liveobj_ledger_visit(index, add_counts, &counts);
    liveobj_section_reserve(section, COUNTS_BYTES);
    liveobj_put_u64(section, address);
    liveobj_put_u64(section, counts.retains);
    liveobj_put_u64(section, counts.releases);
}

static uint32_t object_flags(struct liveobj_strong_count count) {
    enum { PINNED = 1, COUNT_UNREAD = 2, WEAKLY_REFERENCED = 4 };
    return (count.is_pinned ? PINNED : 0) | (count.is_known ? 0 : COUNT_UNREAD) |
           (count.was_weakly_referenced ? WEAKLY_REFERENCED : 0);
}

void liveobj_put_object(struct liveobj_objects_writer *writer, uint32_t index,
                        const struct liveobj_object *object, uint32_t type,
                        struct liveobj_strong_count count, uint32_t stack) {
    struct {
        uint64_t address, bytes, sequence;
        uint32_t type, stack, scope, flags, strong_count, reserved;
    } record = {object->address, object->bytes,       object->sequence, type, stack,
                object->scope,   object_flags(count), count.value,      0};
    _Static_assert(sizeof record == 48, "as the format says");
    liveobj_section_reserve(&writer->objects, sizeof record);
    liveobj_put(&writer->objects, &record, sizeof record);
    if (writer->counts_retains && liveobj_ledger_has(index))
        put_retain_counts(&writer->retains, index, object->address);
}

#endif
