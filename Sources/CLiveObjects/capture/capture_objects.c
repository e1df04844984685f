// capture_objects.c - writes the records of live objects.

#if defined(__linux__)

#include "capture/capture.h"

static uint32_t object_flags(struct liveobj_strong_count count) {
    enum { PINNED = 1, COUNT_UNREAD = 2, WEAKLY_REFERENCED = 4 };
    return (count.is_pinned ? PINNED : 0) | (count.is_known ? 0 : COUNT_UNREAD) |
           (count.was_weakly_referenced ? WEAKLY_REFERENCED : 0);
}

void liveobj_put_object(struct liveobj_section *section, const struct liveobj_object *object,
                        uint32_t type, struct liveobj_strong_count count, uint32_t stack) {
    struct {
        uint64_t address, bytes, sequence;
        uint32_t type, stack, scope, flags, strong_count, reserved;
    } record = {object->address, object->bytes,       object->sequence, type, stack,
                object->scope,   object_flags(count), count.value,      0};
    _Static_assert(sizeof record == 48, "as the format says");
    liveobj_section_reserve(section, sizeof record);
    liveobj_put(section, &record, sizeof record);
}

#endif
