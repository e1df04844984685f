// metadata.c - reads Swift's type metadata; see metadata.h.

#if defined(__linux__)

#include "metadata/metadata.h"
#include "arch/address.h"
#include "os/compiler.h"
#include "os/os.h"
#include "runtime/runtime.h"

#include <string.h>

LIVEOBJ_ANY_MEMORY_BEGIN

// Flags of context descriptors; those that depend on the kind are in the upper half.
enum {
    DESCRIPTOR_IS_GENERIC = 0x80,
    CLASS_HAS_RESILIENT_SUPERCLASS = UINT32_C(1) << 29,
    CLASS_MEMBERS_ARE_NEGATIVE = UINT32_C(1) << 28,
};

// Byte offsets in descriptors.
enum {
    AT_FIELDS = 16,
    AT_CLASS_BOUNDS = 24, // words before the address point, or a relative pointer to the bounds
    AT_CLASS_POSITIVE_WORDS = 28,
    AT_CLASS_IMMEDIATE_MEMBERS = 32,
    AT_CLASS_FIELD_COUNT = 36,
    AT_CLASS_FIELD_OFFSETS = 40,
    AT_VALUE_FIELD_COUNT = 20,
    AT_VALUE_FIELD_OFFSETS = 24,
};

static bool is_value_type(enum liveobj_metadata_kind kind) {
    return kind >= LIVEOBJ_KIND_STRUCT && kind <= LIVEOBJ_KIND_OPTIONAL;
}

// MARK: - Validity

static bool is_descriptor_between(struct liveobj_reader *reader, uintptr_t descriptor,
                                  uint32_t least, uint32_t most) {
    uint32_t flags;
    return liveobj_is_address(descriptor) && descriptor % 4 == 0 &&
           liveobj_read_checked(reader, descriptor, &flags, sizeof flags) &&
           liveobj_descriptor_kind_in(flags) >= least && liveobj_descriptor_kind_in(flags) <= most;
}

/// Reads the size from the value witness table, whose address precedes a type's metadata. Other
/// memory has no such word: an object is preceded by data of its allocator.
static bool read_size(struct liveobj_reader *reader, uintptr_t candidate, uintptr_t *size) {
    enum { STRIDE_LIMIT = 1 << 30 };
    uintptr_t witnesses, size_and_stride[2];
    if (!liveobj_read_checked(reader, candidate - sizeof witnesses, &witnesses, sizeof witnesses) ||
        !liveobj_is_address(witnesses) || witnesses % sizeof witnesses ||
        !liveobj_read_checked(reader, witnesses + 8 * sizeof witnesses, size_and_stride,
                              sizeof size_and_stride))
        return false;
    *size = size_and_stride[0];
    return size_and_stride[0] <= size_and_stride[1] && size_and_stride[1] < STRIDE_LIMIT;
}

bool liveobj_metadata_is_valid(struct liveobj_reader *reader, uintptr_t candidate) {
    enum { LEAST_WORDS = 3 }; // of metadata of other kinds than classes
    uintptr_t words[6], size;
    if (!liveobj_is_address(candidate) || candidate % sizeof(uintptr_t) ||
        !liveobj_read_checked(reader, candidate, words, LEAST_WORDS * sizeof *words))
        return false;
    uintptr_t kind = words[0];
    if (kind == LIVEOBJ_KIND_CLASS || kind > LIVEOBJ_KIND_LAST_ENUMERATED)
        return liveobj_read_checked(reader, candidate, words, sizeof words) &&
               is_descriptor_between(reader, words[5], LIVEOBJ_DESCRIPTOR_CLASS,
                                     LIVEOBJ_DESCRIPTOR_CLASS) &&
               read_size(reader, candidate, &size) && size == sizeof(uintptr_t);
    if (is_value_type((enum liveobj_metadata_kind)kind))
        return is_descriptor_between(reader, words[1], LIVEOBJ_DESCRIPTOR_STRUCT,
                                     LIVEOBJ_DESCRIPTOR_ENUM) &&
               read_size(reader, candidate, &size);
    if (kind >= LIVEOBJ_KIND_OPAQUE && kind <= LIVEOBJ_KIND_FIXED_ARRAY)
        return read_size(reader, candidate, &size);
    return kind >= LIVEOBJ_KIND_LOCAL_VARIABLE;
}

/// Whether all superclasses are valid.
static bool has_sound_superclasses(struct liveobj_reader *reader, uintptr_t metadata) {
    enum { MOST = 256 }; // deeper than any program's
    uintptr_t words[2] = {0, metadata};
    for (int depth = 0; depth < MOST; depth++) {
        if (!liveobj_read_checked(reader, words[1], words, sizeof words))
            return false;
        if (!words[1])
            return true;
        if (!liveobj_metadata_is_valid(reader, words[1]))
            return false;
    }
    return false;
}

enum { SHARED_CACHES = 32 };

void liveobj_metadata_share_cache(struct liveobj_reader *reader) {
    static struct liveobj_metadata_cache *caches;
    if (!caches)
        caches = liveobj_os_map(SHARED_CACHES * sizeof *caches);
    reader->shared = caches;
}

/// The entry of metadata in the reader's cache.
static uintptr_t *metadata_slot(struct liveobj_reader *reader, uintptr_t metadata) {
    enum { SLOTS = sizeof reader->own.known / sizeof *reader->own.known };
    // Images have equal metadata at equal distances: a multiplication spreads it.
    uint64_t hash = (metadata * UINT64_C(0x9e3779b97f4a7c15)) >> 32;
    struct liveobj_metadata_cache *cache =
        reader->shared ? &reader->shared[hash / SLOTS % SHARED_CACHES] : &reader->own;
    return &cache->known[hash % SLOTS];
}

bool liveobj_metadata_is_sound(struct liveobj_reader *reader, uintptr_t metadata) {
    uintptr_t *known = metadata_slot(reader, metadata);
    if (*known == metadata)
        return metadata != 0;
    bool is_sound = liveobj_metadata_is_valid(reader, metadata) &&
                    (liveobj_metadata_kind(metadata) != LIVEOBJ_KIND_CLASS ||
                     has_sound_superclasses(reader, metadata));
    if (is_sound)
        *known = metadata;
    return is_sound;
}

struct liveobj_reader *liveobj_metadata_reader(void) {
    static struct liveobj_reader *reader, spare;
    if (!reader)
        reader = liveobj_os_map(sizeof *reader);
    return reader ? reader : &spare;
}

// MARK: - Descriptors

static bool is_module(uintptr_t descriptor) {
    return liveobj_descriptor_kind(descriptor) == LIVEOBJ_DESCRIPTOR_MODULE;
}

bool liveobj_descriptor_is_in_module(uintptr_t descriptor, const char *module) {
    uintptr_t context = descriptor;
    while (context && !is_module(context))
        context = liveobj_descriptor_parent(context);
    return context && strcmp(liveobj_descriptor_name(context), module) == 0;
}

bool liveobj_descriptor_is(uintptr_t descriptor, const char *module, const char *name) {
    uintptr_t parent = descriptor ? liveobj_descriptor_parent(descriptor) : 0;
    return parent && is_module(parent) && strcmp(liveobj_descriptor_name(descriptor), name) == 0 &&
           strcmp(liveobj_descriptor_name(parent), module) == 0;
}

/// The type that an extension extends, to which its mangled name refers. If it refers to none, the
/// extension's parent, its module.
static uintptr_t extended_type(uintptr_t extension) {
    enum { DIRECT = 1, INDIRECT = 2 };
    uintptr_t name = (uintptr_t)liveobj_descriptor_name(extension);
    char control = name ? *(const char *)name : 0;
    if (control != DIRECT && control != INDIRECT)
        return liveobj_descriptor_parent(extension);
    uintptr_t target = liveobj_relative(name + 1);
    return control == INDIRECT && target ? liveobj_word(target, 0) : target;
}

LIVEOBJ_HOOK struct liveobj_name_parts liveobj_descriptor_names(uintptr_t descriptor) {
    enum { MOST = sizeof((struct liveobj_name_parts *)0)->parts / sizeof(char *) };
    struct liveobj_name_parts name = {.count = 0};
    for (unsigned depth = 0; descriptor && depth < 2 * MOST && name.count < MOST; depth++) {
        uint32_t kind = liveobj_descriptor_kind(descriptor);
        if (kind == LIVEOBJ_DESCRIPTOR_EXTENSION) {
            descriptor = extended_type(descriptor);
            continue;
        }
        if (kind == LIVEOBJ_DESCRIPTOR_MODULE || kind == LIVEOBJ_DESCRIPTOR_PROTOCOL ||
            kind >= LIVEOBJ_DESCRIPTOR_CLASS)
            name.parts[name.count++] = liveobj_descriptor_name(descriptor);
        descriptor = kind == LIVEOBJ_DESCRIPTOR_MODULE ? 0 : liveobj_descriptor_parent(descriptor);
    }
    return name;
}

LIVEOBJ_HOOK size_t liveobj_name_write(const struct liveobj_name_parts *name, char *text,
                                       size_t capacity) {
    size_t length = 0;
    for (uint32_t i = name->count; i-- > 0;) {
        for (const char *next = name->parts[i]; *next && length + 1 < capacity; next++)
            text[length++] = *next;
        if (i > 0 && length + 1 < capacity)
            text[length++] = '.';
    }
    text[length] = 0;
    return length;
}

// MARK: - Classes

uintptr_t liveobj_superclass_of(uintptr_t metadata) {
    return liveobj_word(metadata, 1);
}

uint32_t liveobj_instance_size(uintptr_t metadata) {
    enum { AT_INSTANCE_SIZE = 24 };
    return liveobj_half_word(metadata, AT_INSTANCE_SIZE);
}

/// The word of a class's own members in its metadata if the superclass's layout is only known at
/// run time.
static intptr_t resilient_members_offset(uintptr_t descriptor) {
    uintptr_t bounds = liveobj_relative(descriptor + AT_CLASS_BOUNDS);
    return bounds ? *(const intptr_t *)bounds / (intptr_t)sizeof(uintptr_t) : 0;
}

/// The first word of a class's generic arguments, counted from the address point.
static intptr_t immediate_members(uintptr_t descriptor) {
    uint32_t flags = liveobj_half_word(descriptor, 0);
    if (flags & CLASS_HAS_RESILIENT_SUPERCLASS)
        return resilient_members_offset(descriptor);
    if (flags & CLASS_MEMBERS_ARE_NEGATIVE)
        return -(intptr_t)liveobj_half_word(descriptor, AT_CLASS_BOUNDS);
    return (intptr_t)liveobj_half_word(descriptor, AT_CLASS_POSITIVE_WORDS) -
           (intptr_t)liveobj_half_word(descriptor, AT_CLASS_IMMEDIATE_MEMBERS);
}

uintptr_t liveobj_generic_arguments(uintptr_t metadata) {
    enum { VALUE_ARGUMENTS = 2 };
    uintptr_t descriptor = liveobj_descriptor_of(metadata);
    if (!descriptor || !(liveobj_half_word(descriptor, 0) & DESCRIPTOR_IS_GENERIC))
        return 0;
    bool is_class = liveobj_metadata_kind(metadata) == LIVEOBJ_KIND_CLASS;
    intptr_t words = is_class ? immediate_members(descriptor) : VALUE_ARGUMENTS;
    return metadata + (uintptr_t)(words * (intptr_t)sizeof(uintptr_t));
}

// MARK: - Types by name

static bool is_closed;

void liveobj_types_close(void) {
    is_closed = true;
}

bool liveobj_types_are_closed(void) {
    return is_closed;
}

uintptr_t liveobj_resolve(const struct liveobj_mangled *mangled, uintptr_t descriptor,
                          uintptr_t arguments) {
    typedef const void *(*get_type_fn)(const char *name, size_t length, const void *context,
                                       const void *const *arguments);
    get_type_fn get_type =
        (get_type_fn)(uintptr_t)liveobj_runtime_current()->swift_getTypeByMangledNameInContext;
    if (!get_type || !mangled->text || liveobj_types_are_closed() ||
        (mangled->mentions_parameters && (!arguments || mangled->contains_pack)) ||
        mangled->nests_block || !liveobj_runtime_enter())
        return 0;
    const void *type = get_type(mangled->text, mangled->length, (const void *)descriptor,
                                (const void *const *)arguments);
    liveobj_runtime_leave();
    return (uintptr_t)type;
}

// MARK: - Fields

// Field descriptors: a header, then records of {flags, type, name}.
enum {
    FIELDS_HEADER = 16,
    FIELDS_RECORD = 12,
    AT_FIELDS_COUNT = 12,
    AT_RECORD_TYPE = 4,
    AT_RECORD_NAME = 8,
    RECORD_IS_INDIRECT = 1,
    RECORD_IS_VARIABLE = 2,
};

/// The number of stored properties in the type's own descriptor; enums have none.
static uint32_t stored_properties(enum liveobj_metadata_kind kind, uintptr_t descriptor) {
    if (kind == LIVEOBJ_KIND_CLASS)
        return liveobj_half_word(descriptor, AT_CLASS_FIELD_COUNT);
    return kind == LIVEOBJ_KIND_STRUCT ? liveobj_half_word(descriptor, AT_VALUE_FIELD_COUNT) : 0;
}

struct liveobj_fields liveobj_fields_of(uintptr_t metadata) {
    enum liveobj_metadata_kind kind = liveobj_metadata_kind(metadata);
    struct liveobj_fields fields = {.metadata = metadata,
                                    .descriptor = liveobj_descriptor_of(metadata),
                                    .arguments = liveobj_generic_arguments(metadata)};
    if (!fields.descriptor)
        return fields;
    uint32_t stored = stored_properties(kind, fields.descriptor);
    uintptr_t reflection = liveobj_relative(fields.descriptor + AT_FIELDS);
    fields.count = reflection ? liveobj_half_word(reflection, AT_FIELDS_COUNT) : stored;
    fields.is_known = reflection && (stored == 0 || stored == fields.count);
    fields.records = reflection + FIELDS_HEADER;
    return fields;
}

struct liveobj_field liveobj_field_at(const struct liveobj_fields *fields, uint32_t index) {
    uintptr_t record = fields->records + (uintptr_t)index * FIELDS_RECORD;
    const char *name = (const char *)liveobj_relative(record + AT_RECORD_NAME);
    return (struct liveobj_field){
        .type = liveobj_mangled_read((const char *)liveobj_relative(record + AT_RECORD_TYPE)),
        .name = name ? name : "",
        .is_indirect = liveobj_half_word(record, 0) & RECORD_IS_INDIRECT,
        .is_constant = !(liveobj_half_word(record, 0) & RECORD_IS_VARIABLE),
    };
}

static size_t class_field_offset(const struct liveobj_fields *fields, uint32_t index) {
    intptr_t words = (intptr_t)liveobj_half_word(fields->descriptor, AT_CLASS_FIELD_OFFSETS);
    if (liveobj_half_word(fields->descriptor, 0) & CLASS_HAS_RESILIENT_SUPERCLASS)
        words += resilient_members_offset(fields->descriptor);
    return ((const uintptr_t *)fields->metadata)[words + (intptr_t)index];
}

size_t liveobj_field_offset(const struct liveobj_fields *fields, uint32_t index) {
    if (liveobj_metadata_kind(fields->metadata) == LIVEOBJ_KIND_CLASS)
        return class_field_offset(fields, index);
    uintptr_t words = liveobj_half_word(fields->descriptor, AT_VALUE_FIELD_OFFSETS);
    return liveobj_half_word(fields->metadata + words * sizeof(uintptr_t),
                             index * sizeof(uint32_t));
}

size_t liveobj_field_limit(const struct liveobj_fields *fields, uint32_t index) {
    if (index + 1 < fields->count)
        return liveobj_field_offset(fields, index + 1);
    if (liveobj_metadata_kind(fields->metadata) == LIVEOBJ_KIND_CLASS)
        return liveobj_instance_size(fields->metadata);
    return liveobj_witnesses_of(fields->metadata)->size;
}

uintptr_t liveobj_field_type(const struct liveobj_fields *fields,
                             const struct liveobj_field *field) {
    return liveobj_resolve(&field->type, fields->descriptor, fields->arguments);
}

LIVEOBJ_ANY_MEMORY_END

#endif
