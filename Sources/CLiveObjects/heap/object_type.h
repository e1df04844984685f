// object_type.h - the type of an object, and its strong count.

#pragma once

#include "metadata/types.h"
#include "records/records.h"
#include "runtime/memory_reader.h"

#pragma GCC visibility push(hidden)

/// An object's reference counts, in the runtime's encoding.
struct liveobj_strong_count {
    bool is_known;
    bool is_pinned;             // deinit has begun or ended; unowned references keep the memory
    bool was_weakly_referenced; // weak or unowned references to it were formed
    uint32_t value;
};
struct liveobj_strong_count liveobj_strong_count_of(const struct liveobj_object *object,
                                                    struct liveobj_reader *reader);

/// The type of the object, from its record and, if that does not suffice, its header. Type and
/// subject are safe to read. For what cannot be read, LIVEOBJ_TYPE_OTHER alone is returned.
struct liveobj_type liveobj_type_of(const struct liveobj_object *object,
                                    struct liveobj_reader *reader);

#pragma GCC visibility pop
