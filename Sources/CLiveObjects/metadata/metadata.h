// metadata.h - Swift's type metadata, as its ABI lays it out.
//
// Metadata, value witnesses and descriptors are read plainly: in the program only what proved to be
// metadata, and after an image was unloaded only what proved to be readable in the copy of the
// process (type_trial.h). Layouts are those of
// docs/ABI/TypeMetadata.rst and include/swift/ABI/Metadata.h of swiftlang/swift, for systems
// without Objective-C. Outside of hooks.

#ifndef LIVEOBJ_METADATA_H
#define LIVEOBJ_METADATA_H

#include "metadata/mangling.h"
#include "runtime/memory_reader.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

// MARK: - Kinds

enum liveobj_metadata_kind {
    LIVEOBJ_KIND_CLASS = 0,
    LIVEOBJ_KIND_STRUCT = 0x200,
    LIVEOBJ_KIND_ENUM = 0x201,
    LIVEOBJ_KIND_OPTIONAL = 0x202,
    LIVEOBJ_KIND_OPAQUE = 0x300, // of the compiler's own types, `Builtin.…`
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

static inline uint32_t liveobj_half_word(uintptr_t address, size_t byte_offset) {
    return *(const uint32_t *)(address + byte_offset);
}

static inline enum liveobj_metadata_kind liveobj_metadata_kind(uintptr_t metadata) {
    uintptr_t kind = liveobj_word(metadata, 0);
    return kind > LIVEOBJ_KIND_LAST_ENUMERATED ? LIVEOBJ_KIND_CLASS
                                               : (enum liveobj_metadata_kind)kind;
}

/// A word found in memory is metadata that may be followed. Reads with care; a chance hit is next
/// to impossible, for the type's descriptor and value witnesses must fit as well.
bool liveobj_metadata_is_valid(struct liveobj_reader *reader, uintptr_t candidate);
/// Likewise for what a record or a header names as an object's metadata: it may be freed, or gone
/// with its image. Superclasses too. What proved to be sound is not read again by the same reader.
bool liveobj_metadata_is_sound(struct liveobj_reader *reader, uintptr_t metadata);
/// Words of metadata that lead to its descriptor, superclass and generic arguments.
enum { LIVEOBJ_METADATA_WORDS = 24 };
/// Objects with this sequence number or a later one were made when all that the metadata leads to
/// by those words was there; 0 if no image went from there. Reads nothing: UINT64_MAX unless the
/// same reader found the metadata to be sound before.
uint64_t liveobj_metadata_last_unload(struct liveobj_reader *reader, uintptr_t metadata);
/// What to check such words with. It keeps a page of memory: too much for a small stack, and static
/// memory is searched for references, which that page is full of.
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
    LIVEOBJ_WITNESS_IS_NOT_INLINE = 0x20000, // in an existential's buffer
};

enum liveobj_convention { LIVEOBJ_CONVENTION_SWIFT = 0, LIVEOBJ_CONVENTION_BLOCK = 1 };

/// \param type of kind LIVEOBJ_KIND_FUNCTION.
static inline enum liveobj_convention liveobj_convention_of(uintptr_t type) {
    return (enum liveobj_convention)(liveobj_word(type, 1) >> 16 & 0xff);
}

/// Stands in for those of `@convention(block)` functions: one word, not inert.
static const struct liveobj_value_witnesses liveobj_block_witnesses = {
    .size = sizeof(uintptr_t),
    .stride = sizeof(uintptr_t),
    .flags = LIVEOBJ_WITNESS_IS_NOT_POD | (sizeof(uintptr_t) - 1),
};

static inline const struct liveobj_value_witnesses *liveobj_witnesses_of(uintptr_t type) {
    // The runtime leaves those of blocks unset: what stands there is what was in the memory before.
    if (liveobj_metadata_kind(type) == LIVEOBJ_KIND_FUNCTION &&
        liveobj_convention_of(type) == LIVEOBJ_CONVENTION_BLOCK)
        return &liveobj_block_witnesses;
    return (const struct liveobj_value_witnesses *)((const uintptr_t *)type)[-1];
}

/// Where a value of the type begins that follows `offset`.
static inline size_t liveobj_value_offset(uintptr_t type, size_t offset) {
    size_t mask = liveobj_witnesses_of(type)->flags & LIVEOBJ_WITNESS_ALIGNMENT_MASK;
    return (offset + mask) & ~mask;
}

// MARK: - Nominal types

/// The address that a relative pointer leads to; 0 if it is null.
static inline uintptr_t liveobj_relative(uintptr_t pointer) {
    int32_t offset = *(const int32_t *)pointer;
    return offset ? pointer + (uintptr_t)(intptr_t)offset : 0;
}

// Context descriptors. Inline, for a hook reads them too: they are constant memory of an image.
enum liveobj_descriptor_kind {
    LIVEOBJ_DESCRIPTOR_MODULE = 0,
    LIVEOBJ_DESCRIPTOR_EXTENSION = 1,
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

/// Of a module or type. An extension has the mangled name of what it extends here; NULL for none.
static inline const char *liveobj_descriptor_name(uintptr_t descriptor) {
    enum { AT_NAME = 8 };
    return (const char *)liveobj_relative(descriptor + AT_NAME);
}

/// What a descriptor is nested in; 0 for a module. The lowest bit of the relative pointer says that
/// it leads to a pointer.
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
/// True for the type of this name that stands at the top level of this module.
bool liveobj_descriptor_is(uintptr_t descriptor, const char *module, const char *name);
/// The same for a type of any name, nested ones included.
bool liveobj_descriptor_is_in_module(uintptr_t descriptor, const char *module);

/// 0 for a root class.
uintptr_t liveobj_superclass_of(uintptr_t metadata);
/// Bytes of an instance up to the end of its stored properties.
uint32_t liveobj_instance_size(uintptr_t metadata);

/// The generic arguments of a class, struct or enum, outermost first; 0 if it is not generic.
uintptr_t liveobj_generic_arguments(uintptr_t metadata);

/// The type that a name stands for, with the generic arguments of `arguments` (an address, or 0)
/// in the context of `descriptor` (or 0). The runtime allocates and locks here.
/// \returns 0 if the runtime does not know it, or must not be asked.
uintptr_t liveobj_resolve(const struct liveobj_mangled *mangled, uintptr_t descriptor,
                          uintptr_t arguments);

// MARK: - Fields

/// Stored properties of a class or struct, in order; of an enum, its cases, those with payload
/// first.
struct liveobj_fields {
    uintptr_t metadata;
    uintptr_t descriptor;
    uintptr_t arguments;
    uintptr_t records;
    uint32_t count;
    /// False if the module was built without reflection metadata: then there are `count` stored
    /// properties, and only their offsets are known.
    bool is_known;
};
struct liveobj_fields liveobj_fields_of(uintptr_t metadata);

struct liveobj_field {
    struct liveobj_mangled type; // `text` is NULL for a case without payload
    const char *name;
    bool is_indirect;
};
struct liveobj_field liveobj_field_at(const struct liveobj_fields *fields, uint32_t index);
/// From the start of the instance or value. Not for enums.
size_t liveobj_field_offset(const struct liveobj_fields *fields, uint32_t index);
/// Where the field ends at most: the next field's offset, or the value's own end.
size_t liveobj_field_limit(const struct liveobj_fields *fields, uint32_t index);
/// 0 if the type could not be found.
uintptr_t liveobj_field_type(const struct liveobj_fields *fields,
                             const struct liveobj_field *field);

/// From here on no type is looked up any more; what is not compiled yet is scanned. For the child,
/// once the runtime's locks have proved to be held.
void liveobj_types_close(void);
bool liveobj_types_are_closed(void);

#pragma GCC visibility pop

#endif
