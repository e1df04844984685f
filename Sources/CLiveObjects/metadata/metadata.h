// metadata.h - reads Swift's type metadata in the layout of its ABI.
//
// Metadata, value witnesses and descriptors are read by plain loads. So in the program only valid
// metadata may be passed, and after a Swift library was unloaded only metadata inside of a loaded
// image (unloads.h). Layouts are those of docs/ABI/TypeMetadata.rst and
// include/swift/ABI/Metadata.h of swiftlang/swift, for systems without Objective-C. Used outside of
// hooks.

#pragma once

#include "metadata/mangling.h"
#include "runtime/memory_reader.h"

#pragma GCC visibility push(hidden)

// MARK: - Kinds

enum liveobj_metadata_kind {
    LIVEOBJ_KIND_CLASS = 0,
    LIVEOBJ_KIND_STRUCT = 0x200,
    LIVEOBJ_KIND_ENUM = 0x201,
    LIVEOBJ_KIND_OPTIONAL = 0x202,
    LIVEOBJ_KIND_OPAQUE = 0x300, // the compiler's own types, `Builtin.…`
    LIVEOBJ_KIND_TUPLE = 0x301,
    LIVEOBJ_KIND_FUNCTION = 0x302,
    LIVEOBJ_KIND_EXISTENTIAL = 0x303,
    LIVEOBJ_KIND_METATYPE = 0x304,
    LIVEOBJ_KIND_EXISTENTIAL_METATYPE = 0x306,
    LIVEOBJ_KIND_EXTENDED_EXISTENTIAL = 0x307,
    LIVEOBJ_KIND_FIXED_ARRAY = 0x308,
    LIVEOBJ_KIND_LOCAL_VARIABLE = 0x400, // closure contexts and boxes of fixed layout
    LIVEOBJ_KIND_GENERIC_BOX = 0x500,
    LIVEOBJ_KIND_ERROR = 0x501,
    LIVEOBJ_KIND_LAST_ENUMERATED = 0x7ff, // greater values are the isa pointers of classes
};

static inline uintptr_t liveobj_word(uintptr_t address, size_t index) {
    return ((const uintptr_t *)address)[index];
}

static inline uintptr_t liveobj_word_at(uintptr_t address, size_t byte_offset) {
    return *(const uintptr_t *)(address + byte_offset);
}

static inline uint32_t liveobj_half_word(uintptr_t address, size_t byte_offset) {
    return *(const uint32_t *)(address + byte_offset);
}

/// The flags of an existential type: of `LIVEOBJ_KIND_EXISTENTIAL`.
static inline uint32_t liveobj_existential_flags(uintptr_t metadata) {
    enum { AT_FLAGS = 8 };
    return liveobj_half_word(metadata, AT_FLAGS);
}

static inline enum liveobj_metadata_kind liveobj_metadata_kind(uintptr_t metadata) {
    uintptr_t kind = liveobj_word(metadata, 0);
    return kind > LIVEOBJ_KIND_LAST_ENUMERATED ? LIVEOBJ_KIND_CLASS
                                               : (enum liveobj_metadata_kind)kind;
}

/// Whether the type is `any P` or `AnyObject`, of objects only.
static inline bool liveobj_is_class_existential(uintptr_t metadata) {
    static const uint32_t is_not_class_bound = UINT32_C(1) << 31;
    return liveobj_metadata_kind(metadata) == LIVEOBJ_KIND_EXISTENTIAL &&
           !(liveobj_existential_flags(metadata) & is_not_class_bound);
}

/// Whether a word found in memory is metadata that may be followed. Uses checked reads. A false
/// positive is next to impossible: the type's descriptor and value witnesses are checked too.
bool liveobj_metadata_is_valid(struct liveobj_reader *reader, uintptr_t candidate);
/// The same for the metadata in an object's record or header, which may have been freed or unloaded
/// with its image. Superclasses are checked too. A reader does not check valid metadata twice.
bool liveobj_metadata_is_sound(struct liveobj_reader *reader, uintptr_t metadata);
/// Makes the reader use the cache of earlier captures. With the lock of captures only.
void liveobj_metadata_share_cache(struct liveobj_reader *reader);
/// The reader for such checks. It contains a page of memory, which is too much for a small stack.
/// It is not static memory, because that is scanned for references, and the page is full of them.
struct liveobj_reader *liveobj_metadata_reader(void);

// MARK: - Value witnesses

struct liveobj_value_witnesses {
    const void *functions[8];
    size_t size;
    size_t stride;
    uint32_t flags;
    uint32_t extra_inhabitants;
    // Of enums only.
    uint32_t (*enum_tag)(const void *value, const void *type);
    void (*project_enum)(void *value, const void *type);
};
enum {
    LIVEOBJ_WITNESS_ALIGNMENT_MASK = 0xff,
    LIVEOBJ_WITNESS_IS_NOT_POD = 0x10000,
    LIVEOBJ_WITNESS_IS_NOT_INLINE = 0x20000, // does not fit in an existential's buffer
};

enum liveobj_convention { LIVEOBJ_CONVENTION_SWIFT = 0, LIVEOBJ_CONVENTION_BLOCK = 1 };

/// \param type Of kind LIVEOBJ_KIND_FUNCTION.
static inline enum liveobj_convention liveobj_convention_of(uintptr_t type) {
    return (enum liveobj_convention)(liveobj_word(type, 1) >> 16 & 0xff);
}

/// The value witnesses of `@convention(block)` functions: one word, not trivial.
static const struct liveobj_value_witnesses liveobj_block_witnesses = {
    .size = sizeof(uintptr_t),
    .stride = sizeof(uintptr_t),
    .flags = LIVEOBJ_WITNESS_IS_NOT_POD | (sizeof(uintptr_t) - 1),
};

static inline const struct liveobj_value_witnesses *liveobj_witnesses_of(uintptr_t type) {
    // The runtime does not set those of blocks: the word is whatever was in the memory before.
    if (liveobj_metadata_kind(type) == LIVEOBJ_KIND_FUNCTION &&
        liveobj_convention_of(type) == LIVEOBJ_CONVENTION_BLOCK)
        return &liveobj_block_witnesses;
    return (const struct liveobj_value_witnesses *)((const uintptr_t *)type)[-1];
}

/// The offset of a value of the type that follows `offset`.
static inline size_t liveobj_value_offset(uintptr_t type, size_t offset) {
    size_t mask = liveobj_witnesses_of(type)->flags & LIVEOBJ_WITNESS_ALIGNMENT_MASK;
    return (offset + mask) & ~mask;
}

// MARK: - Nominal types

/// The target of a relative pointer; 0 if it is null.
static inline uintptr_t liveobj_relative(uintptr_t pointer) {
    int32_t offset = *(const int32_t *)pointer;
    return offset ? pointer + (uintptr_t)(intptr_t)offset : 0;
}

// Context descriptors. The functions are inline because a hook uses them too; descriptors are
// constant memory of an image.
enum liveobj_descriptor_kind {
    LIVEOBJ_DESCRIPTOR_MODULE = 0,
    LIVEOBJ_DESCRIPTOR_EXTENSION = 1,
    LIVEOBJ_DESCRIPTOR_PROTOCOL = 3,
    LIVEOBJ_DESCRIPTOR_CLASS = 16, // the first of the types
    LIVEOBJ_DESCRIPTOR_STRUCT = 17,
    LIVEOBJ_DESCRIPTOR_ENUM = 18,
};

/// The kind in a descriptor's flags, its first half word.
static inline uint32_t liveobj_descriptor_kind_in(uint32_t flags) {
    return flags & 0x1f;
}

static inline uint32_t liveobj_descriptor_kind(uintptr_t descriptor) {
    return liveobj_descriptor_kind_in(liveobj_half_word(descriptor, 0));
}

/// The name of a module or type. For an extension, the mangled name of the extended type; NULL for
/// none.
static inline const char *liveobj_descriptor_name(uintptr_t descriptor) {
    enum { AT_NAME = 8 };
    return (const char *)liveobj_relative(descriptor + AT_NAME);
}

/// The descriptor in which a descriptor is nested; 0 for a module. If the lowest bit of the
/// relative pointer is set, its target is a pointer to the parent.
static inline uintptr_t liveobj_descriptor_parent(uintptr_t descriptor) {
    enum { AT_PARENT = 4 };
    int32_t offset = *(const int32_t *)(descriptor + AT_PARENT);
    uintptr_t target = descriptor + AT_PARENT + (uintptr_t)(intptr_t)(offset & ~1);
    return offset == 0 ? 0 : offset & 1 ? liveobj_word(target, 0) : target;
}

/// The context descriptor of a class, struct or enum; 0 for other types.
static inline uintptr_t liveobj_descriptor_of(uintptr_t metadata) {
    switch (liveobj_metadata_kind(metadata)) {
    case LIVEOBJ_KIND_CLASS:
        return liveobj_word(metadata, 5);
    case LIVEOBJ_KIND_STRUCT:
    case LIVEOBJ_KIND_ENUM:
    case LIVEOBJ_KIND_OPTIONAL:
        return liveobj_word(metadata, 1);
    default:
        return 0;
    }
}
/// True for the type of this name at the top level of this module.
bool liveobj_descriptor_is(uintptr_t descriptor, const char *module, const char *name);
/// The same for a type of any name, nested ones included.
bool liveobj_descriptor_is_in_module(uintptr_t descriptor, const char *module);

/// The parts of a type's name, its module last, without generic arguments and private contexts.
struct liveobj_name_parts {
    const char *parts[16];
    uint32_t count;
};
LIVEOBJ_HOOK struct liveobj_name_parts liveobj_descriptor_names(uintptr_t descriptor);
/// Writes `Module.Outer.Inner`, cut if there is no room. \returns The length of what was written.
LIVEOBJ_HOOK size_t liveobj_name_write(const struct liveobj_name_parts *name, char *text,
                                       size_t capacity);

/// The superclass; 0 for a root class.
uintptr_t liveobj_superclass_of(uintptr_t metadata);
/// The bytes of an instance up to the end of its stored properties.
uint32_t liveobj_instance_size(uintptr_t metadata);

/// The generic arguments of a class, struct or enum, outermost first; 0 if it is not generic.
uintptr_t liveobj_generic_arguments(uintptr_t metadata);

/// Looks a type up by its mangled name, with the generic arguments at `arguments` (or 0), in the
/// context of `descriptor` (or 0). The runtime allocates and locks here.
/// \returns 0 if the runtime does not know the type, or the lookup would be unsafe.
uintptr_t liveobj_resolve(const struct liveobj_mangled *mangled, uintptr_t descriptor,
                          uintptr_t arguments);

// MARK: - Fields

/// The stored properties of a class or struct, in order; or the cases of an enum, those with
/// payload first.
struct liveobj_fields {
    uintptr_t metadata;
    uintptr_t descriptor;
    uintptr_t arguments;
    uintptr_t records;
    uint32_t count;
    /// False if the module was compiled without reflection metadata: then there are `count` stored
    /// properties, and only their offsets are known.
    bool is_known;
};
struct liveobj_fields liveobj_fields_of(uintptr_t metadata);

struct liveobj_field {
    struct liveobj_mangled type; // `text` is NULL for a case without payload
    const char *name;
    bool is_indirect;
    bool is_constant; // declared by `let`
};
struct liveobj_field liveobj_field_at(const struct liveobj_fields *fields, uint32_t index);
/// The offset from the start of the instance or value. Not for enums.
size_t liveobj_field_offset(const struct liveobj_fields *fields, uint32_t index);
/// The greatest possible end of the field: the next field's offset, or the end of the value.
size_t liveobj_field_limit(const struct liveobj_fields *fields, uint32_t index);
/// The field's type; 0 if the runtime cannot find it.
uintptr_t liveobj_field_type(const struct liveobj_fields *fields,
                             const struct liveobj_field *field);

/// Stops all lookups of types; objects whose types have no layout yet are scanned. Called in the
/// snapshot process, once a lock of the runtime was found to be held.
void liveobj_types_close(void);
bool liveobj_types_are_closed(void);

#pragma GCC visibility pop
