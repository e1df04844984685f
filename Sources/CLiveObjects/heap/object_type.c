// object_type.c - the type of an object from its record, and its reference counts.
//
// Metadata is unmapped with its image, and a header may hold any word. So both are checked for the
// form of metadata before they are read further. Outside of hooks.

#if defined(__linux__)

#include "heap/object_type.h"
#include "metadata/metadata.h"
#include "runtime/unloads.h"

#include <string.h>

// MARK: - Kinds

/// The type of the value in an error box. Another thread may not have written it yet, so any word
/// may be there.
static uintptr_t error_type(const struct liveobj_object *object, struct liveobj_reader *reader) {
    uintptr_t type = 0;
    bool found = liveobj_read(reader, object->address + 2 * sizeof(uintptr_t), &type, sizeof type);
    bool is_type = found && liveobj_metadata_is_sound(reader, type);
    return is_type && liveobj_descriptor_of(type) ? type : 0; // a class, a struct or an enum
}

static struct liveobj_type unreadable(uintptr_t metadata) {
    return (struct liveobj_type){metadata, 0, LIVEOBJ_TYPE_OTHER};
}

static struct liveobj_type describe_box(uintptr_t metadata, struct liveobj_reader *reader) {
    uintptr_t boxed = liveobj_word(metadata, 2);
    return liveobj_metadata_is_sound(reader, boxed)
               ? (struct liveobj_type){metadata, boxed, LIVEOBJ_TYPE_GENERIC_BOX}
               : unreadable(metadata);
}

static struct liveobj_type describe(uintptr_t metadata, const struct liveobj_object *object,
                                    struct liveobj_reader *reader) {
    if (!liveobj_metadata_is_sound(reader, metadata))
        return unreadable(metadata);
    switch (liveobj_metadata_kind(metadata)) {
    case LIVEOBJ_KIND_CLASS:
        return (struct liveobj_type){metadata, metadata, LIVEOBJ_TYPE_CLASS};
    case LIVEOBJ_KIND_LOCAL_VARIABLE:
        return (struct liveobj_type){metadata, 0, LIVEOBJ_TYPE_CLOSURE_CONTEXT_OR_BOX};
    case LIVEOBJ_KIND_GENERIC_BOX:
        return describe_box(metadata, reader);
    case LIVEOBJ_KIND_ERROR:
        return (struct liveobj_type){metadata, error_type(object, reader), LIVEOBJ_TYPE_ERROR_BOX};
    default:
        return unreadable(metadata);
    }
}

struct liveobj_type liveobj_type_at_first_sight(const struct liveobj_object *object,
                                                struct liveobj_reader *reader) {
    uintptr_t metadata = object->metadata;
    if (metadata == LIVEOBJ_METADATA_RAW_BUFFER)
        return (struct liveobj_type){0, 0, LIVEOBJ_TYPE_RAW_BUFFER};
    if (metadata == LIVEOBJ_METADATA_TASK)
        return (struct liveobj_type){0, 0, LIVEOBJ_TYPE_TASK};
    if (metadata == LIVEOBJ_METADATA_IN_HEADER &&
        !liveobj_read(reader, object->address, &metadata, sizeof metadata))
        return unreadable(0);
    return describe(metadata, object, reader);
}

// MARK: - After an image was unloaded

/// \returns LIVEOBJ_TYPE_UNLOADED if an image at this address was unloaded after the object was
/// allocated.
static struct liveobj_type lost_at(uintptr_t address, uint64_t sequence) {
    uint64_t unloaded_at = address ? liveobj_unload_of(address, sequence) : 0;
    return unloaded_at ? (struct liveobj_type){address, unloaded_at, LIVEOBJ_TYPE_UNLOADED}
                       : unreadable(0);
}

enum { THROUGH_DESCRIPTOR = 6, THROUGH_ARGUMENTS = LIVEOBJ_METADATA_WORDS };

static bool is_lost(const struct liveobj_type *type) {
    return type->kind == LIVEOBJ_TYPE_UNLOADED;
}

/// Checks whether mapped metadata refers to unmapped memory: a descriptor, a superclass, a generic
/// argument.
/// \param count The number of words to check.
static struct liveobj_type lost_behind(uintptr_t metadata, size_t count, uint64_t sequence,
                                       struct liveobj_reader *reader) {
    uintptr_t word;
    if (liveobj_unloads_count() == 0 || sequence >= liveobj_metadata_last_unload(reader, metadata))
        return unreadable(0);
    struct liveobj_type lost = lost_at(metadata, sequence);
    for (size_t i = 0; !is_lost(&lost) && i < count; i++) {
        if (!liveobj_read_checked(reader, metadata + i * sizeof word, &word, sizeof word))
            return unreadable(0);
        lost = lost_at(word, sequence);
    }
    return lost;
}

bool liveobj_metadata_is_lost(uintptr_t metadata, struct liveobj_reader *reader) {
    enum { OLDEST = 0 };
    struct liveobj_type lost = lost_behind(metadata, THROUGH_ARGUMENTS, OLDEST, reader);
    return is_lost(&lost);
}

/// The type of the boxed value, which an error box stores in the object itself.
static uintptr_t boxed_type(const struct liveobj_type *type, const struct liveobj_object *object,
                            struct liveobj_reader *reader) {
    uintptr_t boxed = type->subject;
    if (type->kind == LIVEOBJ_TYPE_ERROR_BOX && !boxed)
        liveobj_read(reader, object->address + 2 * sizeof boxed, &boxed, sizeof boxed);
    return boxed;
}

static struct liveobj_type lost_type(const struct liveobj_type *type, enum liveobj_type_trust trust,
                                     const struct liveobj_object *object,
                                     struct liveobj_reader *reader) {
    size_t count = trust == LIVEOBJ_TRUST_ALL ? THROUGH_DESCRIPTOR : THROUGH_ARGUMENTS;
    uintptr_t boxed = boxed_type(type, object, reader);
    struct liveobj_type lost = lost_behind(type->metadata, count, object->sequence, reader);
    return is_lost(&lost) || !boxed || boxed == type->metadata
               ? lost
               : lost_behind(boxed, count, object->sequence, reader);
}

static struct liveobj_type trusted(const struct liveobj_type *type,
                                   const struct liveobj_object *object,
                                   struct liveobj_reader *reader) {
    enum liveobj_type_trust trust = liveobj_type_trust(type);
    struct liveobj_type lost = lost_type(type, trust, object, reader);
    if (is_lost(&lost))
        return lost;
    switch (trust) {
    case LIVEOBJ_TRUST_ALL:
        return *type;
    case LIVEOBJ_TRUST_NAME:
        return (struct liveobj_type){type->metadata, type->subject, LIVEOBJ_TYPE_OTHER};
    default:
        return unreadable(type->metadata);
    }
}

struct liveobj_type liveobj_type_of(const struct liveobj_object *object,
                                    struct liveobj_reader *reader) {
    struct liveobj_type type = liveobj_type_at_first_sight(object, reader);
    bool has_metadata = type.kind != LIVEOBJ_TYPE_RAW_BUFFER && type.kind != LIVEOBJ_TYPE_TASK;
    if (has_metadata && liveobj_unloads_count())
        type = trusted(&type, object, reader);
    bool is_garbage = type.kind == LIVEOBJ_TYPE_OTHER && !type.subject &&
                      object->metadata == LIVEOBJ_METADATA_IN_HEADER;
    return is_garbage ? unreadable(0) : type; // otherwise each such object would be a separate type
}

// MARK: - Reference counts

/// The layout is that of RefCount.h of swiftlang/swift for 64 bit. Bit 32 is set during and after
/// deinit. Bits 33 to 62 hold the strong count minus one. Bit 63 says that the word is the address
/// of a side table, shifted right by 3. All ones in the low half: immortal.
struct liveobj_strong_count liveobj_strong_count_of(const struct liveobj_object *object,
                                                    struct liveobj_reader *reader) {
    const struct liveobj_strong_count unknown = {.was_weakly_referenced = true};
    enum { SIDE_TABLE_COUNT_OFFSET = 16 };
    struct {
        uintptr_t metadata;
        uint64_t counts;
    } header;
    if (object->metadata == LIVEOBJ_METADATA_RAW_BUFFER ||
        !liveobj_read(reader, object->address, &header, sizeof header) ||
        (uint32_t)header.counts == UINT32_MAX ||
        (object->metadata == LIVEOBJ_METADATA_TASK && !liveobj_type_is_task(header.metadata)))
        return unknown;
    uint64_t bits = header.counts;
    uintptr_t side_table = (uintptr_t)(bits << 3);
    bool has_side_table = bits >> 63; // for weak references, or a count that did not fit
    if (has_side_table &&
        !liveobj_read_checked(reader, side_table + SIDE_TABLE_COUNT_OFFSET, &bits, sizeof bits))
        return unknown;
    bool is_pinned = bits >> 32 & 1;
    uint32_t strong = (uint32_t)(bits >> 33 & ((1u << 30) - 1)) + 1;
    bool is_unowned = (bits >> 1 & 0x7fffffff) > 1; // one represents all strong references
    return (struct liveobj_strong_count){true, is_pinned, has_side_table || is_unowned,
                                         is_pinned ? 0 : strong};
}

#endif
