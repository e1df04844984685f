// object_type.c - the type of an object from its record, and its reference counts.
//
// Metadata is unmapped with its image, and a header may hold any word. So both are checked for the
// form of metadata before they are read further. Outside of hooks.

#if defined(__linux__)

#include "heap/object_type.h"
#include "metadata/metadata.h"
#include "runtime/image.h"
#include "runtime/unloads.h"

#include <string.h>

// MARK: - Kinds

/// After a Swift library was unloaded, metadata that the runtime allocated may refer to it.
static bool may_follow(uintptr_t metadata) {
    struct liveobj_image image;
    return !liveobj_unloads_failure() || liveobj_image_of(metadata, &image);
}

/// The type of the value in an error box. Another thread may not have written it yet, so any word
/// may be there.
static uintptr_t error_type(const struct liveobj_object *object, struct liveobj_reader *reader) {
    uintptr_t type = 0;
    bool found = liveobj_read(reader, object->address + 2 * sizeof(uintptr_t), &type, sizeof type);
    bool is_type = found && may_follow(type) && liveobj_metadata_is_sound(reader, type);
    return is_type && liveobj_descriptor_of(type) ? type : 0; // a class, a struct or an enum
}

static struct liveobj_type unreadable_type(uintptr_t metadata) {
    return (struct liveobj_type){metadata, 0, LIVEOBJ_TYPE_OTHER};
}

static struct liveobj_type describe_box(uintptr_t metadata, struct liveobj_reader *reader) {
    uintptr_t boxed = liveobj_word(metadata, 2);
    return may_follow(boxed) && liveobj_metadata_is_sound(reader, boxed)
               ? (struct liveobj_type){metadata, boxed, LIVEOBJ_TYPE_GENERIC_BOX}
               : unreadable_type(metadata);
}

static struct liveobj_type describe_object_type(uintptr_t metadata,
                                                const struct liveobj_object *object,
                                                struct liveobj_reader *reader) {
    if (!may_follow(metadata) || !liveobj_metadata_is_sound(reader, metadata))
        return unreadable_type(metadata);
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
        return unreadable_type(metadata);
    }
}

struct liveobj_type liveobj_type_of(const struct liveobj_object *object,
                                    struct liveobj_reader *reader) {
    uintptr_t metadata = object->metadata;
    if (metadata == LIVEOBJ_METADATA_RAW_BUFFER)
        return (struct liveobj_type){0, 0, LIVEOBJ_TYPE_RAW_BUFFER};
    if (metadata == LIVEOBJ_METADATA_TASK)
        return (struct liveobj_type){0, 0, LIVEOBJ_TYPE_TASK};
    bool is_in_header = metadata == LIVEOBJ_METADATA_IN_HEADER;
    if (is_in_header && !liveobj_read(reader, object->address, &metadata, sizeof metadata))
        return unreadable_type(0);
    struct liveobj_type type = describe_object_type(metadata, object, reader);
    bool is_garbage = type.kind == LIVEOBJ_TYPE_OTHER && is_in_header;
    return is_garbage ? unreadable_type(0)
                      : type; // otherwise each such object would be a separate type
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
