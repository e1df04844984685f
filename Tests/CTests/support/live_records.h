// live_records.h - how many objects are recorded as live.

#pragma once

#include "heap/object_type.h"
#include "records/records.h"

/// The number of live objects, raw buffers not counted.
static inline uint64_t live_records(void) {
    struct liveobj_object object;
    uint64_t count = 0;
    for (uint32_t index = 1; index < liveobj_records_end(); index++)
        count +=
            liveobj_records_get(index, &object) && object.metadata != LIVEOBJ_METADATA_RAW_BUFFER;
    return count;
}
