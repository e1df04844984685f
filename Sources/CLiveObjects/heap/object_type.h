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
/// subject are safe to read. For what cannot be read, or was unreadable in the snapshot process
/// (snapshot/type_trial.c), LIVEOBJ_TYPE_OTHER alone is returned.
struct liveobj_type liveobj_type_of(const struct liveobj_object *object,
                                    struct liveobj_reader *reader);
/// The same without the result of a type trial; for snapshot/type_trial.c.
struct liveobj_type liveobj_type_at_first_sight(const struct liveobj_object *object,
                                                struct liveobj_reader *reader);
/// Whether metadata, its descriptor, its superclass or its generic arguments lie where an image was
/// unloaded.
bool liveobj_metadata_is_lost(uintptr_t metadata, struct liveobj_reader *reader);

#pragma GCC visibility pop
