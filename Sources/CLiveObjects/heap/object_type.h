// object_type.h - what an object is an instance of, and how often it is retained.

#ifndef LIVEOBJ_OBJECT_TYPE_H
#define LIVEOBJ_OBJECT_TYPE_H

#include "metadata/types.h"
#include "records/records.h"
#include "runtime/memory_reader.h"

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// Reads the object's reference counts as the runtime packs them.
struct liveobj_strong_count {
    bool is_known;
    bool is_pinned;             // deinit has begun or run; unowned references keep the memory
    bool was_weakly_referenced; // weak or unowned references to it were made
    uint32_t value;
};
struct liveobj_strong_count liveobj_strong_count_of(const struct liveobj_object *object,
                                                    struct liveobj_reader *reader);

/// What the object is an instance of; by its record and, where that is not enough, its header. Type
/// and subject are what may be followed: of what cannot be read, or proved to be unreadable in the
/// copy of the process, LIVEOBJ_TYPE_OTHER is all that is said.
struct liveobj_type liveobj_type_of(const struct liveobj_object *object,
                                    struct liveobj_reader *reader);
/// The same, as it looks at first sight; for heap/type_trial.c.
struct liveobj_type liveobj_type_at_first_sight(const struct liveobj_object *object,
                                                struct liveobj_reader *reader);
/// Whether metadata, or its descriptor, superclass or generic arguments lie where an image was that
/// is gone.
bool liveobj_metadata_is_lost(uintptr_t metadata, struct liveobj_reader *reader);

#pragma GCC visibility pop

#endif
