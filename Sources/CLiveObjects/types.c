// types.c - from a record to a type: metadata, kind, and name.
//
// Metadata layouts are those of the Swift ABI (docs/ABI/TypeMetadata.rst of swiftlang/swift).
// Metadata goes with its image, and what a header holds may be anything: both must look like
// metadata before they are followed. Owns the memory of type tables. Outside of hooks.

#if defined(__linux__)

#include "heap/metadata.h"
#include "heap/type_trial.h"
#include "internal.h"
#include "unloads.h"

#include <string.h>

// MARK: - Kinds

uint32_t liveobj_type_capture_count(const struct liveobj_type *type) {
    struct liveobj_image image;
    if (type->kind != LIVEOBJ_TYPE_CLOSURE_CONTEXT_OR_BOX)
        return 0;
    uintptr_t descriptor = liveobj_word(type->metadata, 2);
    if (!descriptor || !liveobj_image_of(type->metadata, &image) ||
        !liveobj_image_contains(&image, descriptor, 0))
        return 0;
    return *(const uint32_t *)descriptor;
}

/// The type that an error box holds; not yet written in a box that another thread is making, where
/// any word may stand.
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

/// \returns LIVEOBJ_TYPE_UNLOADED if an image went with this address since the object was made.
static struct liveobj_type lost_at(uintptr_t address, uint64_t sequence) {
    uint64_t unloaded_at = address ? liveobj_unload_of(address, sequence) : 0;
    return unloaded_at ? (struct liveobj_type){address, unloaded_at, LIVEOBJ_TYPE_UNLOADED}
                       : unreadable(0);
}

enum { THROUGH_DESCRIPTOR = 6, THROUGH_ARGUMENTS = LIVEOBJ_METADATA_WORDS };

static bool is_lost(const struct liveobj_type *type) {
    return type->kind == LIVEOBJ_TYPE_UNLOADED;
}

/// Metadata that is there may lead to what is not: a descriptor, a superclass, a generic argument.
/// \param count of the first words to look at.
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

/// What an object says of its type by itself.
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
    return is_garbage ? unreadable(0) : type; // else each such object would be a type of its own
}

bool liveobj_type_is_task(uintptr_t header) {
    uintptr_t *task = liveobj_recorder_runtime()->_swift_concurrency_debug_asyncTaskMetadata;
    return task && *task == header;
}

// MARK: - Reference counts

/// The layout is that of RefCount.h of swiftlang/swift for 64 bit: bit 32 is set while and after
/// deinit runs, bits 33 to 62 hold the strong count minus one, bit 63 says that the word is the
/// address of a side table, shifted right by 3. All ones in the low half: immortal.
struct liveobj_strong_count liveobj_strong_count_of(const struct liveobj_object *object,
                                                    struct liveobj_reader *reader) {
    const struct liveobj_strong_count unknown = {.is_visited = true};
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
    bool is_unowned = (bits >> 1 & 0x7fffffff) > 1; // one stands for all strong references
    return (struct liveobj_strong_count){true, is_pinned, has_side_table || is_unowned,
                                         is_pinned ? 0 : strong};
}

// MARK: - Names

struct liveobj_name liveobj_type_name(const struct liveobj_type *type) {
    typedef struct liveobj_name (*get_type_name_fn)(const void *metadata, bool qualified);
    get_type_name_fn get_type_name =
        (get_type_name_fn)(uintptr_t)liveobj_recorder_runtime()->swift_getTypeName;
    if (type->kind == LIVEOBJ_TYPE_TASK)
        return (struct liveobj_name){"Swift.Task", strlen("Swift.Task")};
    if (!type->subject || type->kind == LIVEOBJ_TYPE_UNLOADED || !get_type_name)
        return (struct liveobj_name){"", 0};
    return get_type_name((const void *)type->subject, true);
}

// MARK: - Table

static bool make_room(struct liveobj_type_table *table, uint32_t capacity) {
    *table = (struct liveobj_type_table){
        .types = liveobj_os_map(capacity / 2 * sizeof *table->types),
        .slots = liveobj_os_map(capacity * sizeof *table->slots),
        .capacity = capacity,
    };
    return table->types && table->slots;
}

bool liveobj_type_table_start(struct liveobj_type_table *table) {
    enum { FIRST_CAPACITY = 1024 };
    return make_room(table, FIRST_CAPACITY);
}

void liveobj_type_table_end(struct liveobj_type_table *table) {
    liveobj_os_unmap(table->types, table->capacity / 2 * sizeof *table->types);
    liveobj_os_unmap(table->slots, table->capacity * sizeof *table->slots);
    *table = (struct liveobj_type_table){0};
}

static bool is_same(const struct liveobj_type *one, const struct liveobj_type *other) {
    return one->metadata == other->metadata && one->subject == other->subject &&
           one->kind == other->kind;
}

/// The slot of the type, or the free one where it belongs.
static uint32_t *slot_of(const struct liveobj_type_table *table, const struct liveobj_type *type) {
    // Metadata is aligned and lies close together: a multiplication spreads it.
    uint64_t hash = (type->metadata ^ type->subject << 7) * UINT64_C(0x9e3779b97f4a7c15);
    uint32_t slot = (uint32_t)(hash >> 32) & (table->capacity - 1);
    while (table->slots[slot] && !is_same(&table->types[table->slots[slot]], type))
        slot = (slot + 1) & (table->capacity - 1);
    return &table->slots[slot];
}

static void add(struct liveobj_type_table *table, const struct liveobj_type *type) {
    uint32_t *slot = slot_of(table, type);
    *slot = ++table->count;
    table->types[*slot] = *type;
}

static bool grow(struct liveobj_type_table *table) {
    struct liveobj_type_table larger;
    if (!make_room(&larger, table->capacity * 2)) {
        liveobj_type_table_end(&larger);
        return false;
    }
    for (uint32_t id = 1; id <= table->count; id++)
        add(&larger, &table->types[id]);
    liveobj_type_table_end(table);
    *table = larger;
    return true;
}

uint32_t liveobj_type_table_id(struct liveobj_type_table *table, const struct liveobj_type *type,
                               bool *is_new) {
    uint32_t id = *slot_of(table, type);
    *is_new = id == 0;
    if (id)
        return id;
    // The last place among `types` is that of the greatest id.
    if (table->count + 1 >= table->capacity / 2 && !grow(table))
        return 0;
    add(table, type);
    return table->count;
}

#endif
