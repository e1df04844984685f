// declarations.h - how stored properties, enum cases and captures are declared: their types, their
// labels, and what the metadata of the types does not say.
//
// May be called where layout.h may.

#pragma once

#include "metadata/metadata.h"

#pragma GCC visibility push(hidden)

// MARK: - Values

static inline bool liveobj_value_has_references(uintptr_t type) {
    return liveobj_metadata_kind(type) == LIVEOBJ_KIND_CLASS ||
           liveobj_witnesses_of(type)->flags & LIVEOBJ_WITNESS_IS_NOT_POD;
}

struct liveobj_tuple_element {
    uintptr_t type;
    uintptr_t offset;
};

static inline const struct liveobj_tuple_element *liveobj_tuple_elements(uintptr_t tuple) {
    return (const struct liveobj_tuple_element *)(tuple + 3 * sizeof(uintptr_t));
}

/// Whether a value has another layout than its type's metadata says. The compiler stores no
/// concrete metatype, except of a class, and none in a tuple or optional either; the runtime has a
/// word for it.
/// \param spelled The name with which the value is declared. A value declared with a generic
/// parameter is stored as the metadata says.
bool liveobj_declaration_omits_metatype(const struct liveobj_mangled *spelled, uintptr_t type);

/// Whether the type is `any Error`, which is stored as an object.
static inline bool liveobj_is_error_existential(uintptr_t metadata) {
    enum { SPECIAL_ERROR = 1 };
    return (liveobj_existential_flags(metadata) >> 24 & 0x3f) == SPECIAL_ERROR;
}

/// The descriptor of the class that a strong reference or a metatype is declared with; 0 for other
/// types and for optional references.
uintptr_t liveobj_declared_class(const struct liveobj_mangled *type);

/// Whether a captured value is a metatype in one word.
bool liveobj_declared_metatype(const struct liveobj_mangled *type);

// MARK: - Stored properties

/// What a stored property contains.
enum liveobj_property_content {
    LIVEOBJ_PROPERTY_IGNORED,   // no references, or no declaration
    LIVEOBJ_PROPERTY_VALUE,     // a value of `type`
    LIVEOBJ_PROPERTY_REFERENCE, // an object, of a type that the runtime cannot be asked for
    LIVEOBJ_PROPERTY_WORDS,     // `bytes` that can only be scanned
};

struct liveobj_property {
    enum liveobj_property_content content;
    uint32_t label;
    size_t offset;
    size_t bytes;
    uintptr_t type; // metadata
};

/// \param offset Of the value or object that has the property.
/// \param outer The label of the place that contains the struct; 0 for a class.
struct liveobj_property liveobj_property_at(const struct liveobj_fields *fields, uint32_t index,
                                            size_t offset, uint32_t outer);

// MARK: - Enum cases

/// The payload of one case of an enum.
struct liveobj_enum_case {
    uintptr_t type; // metadata of the payload; 0 if there is none or it is unknown
    uint32_t label; // a property label with the payload's ownership and an empty path
    bool is_indirect;
    bool is_known; // false: the type of the payload could not be found
};
struct liveobj_enum_case liveobj_layout_enum_case(uintptr_t type, uint32_t tag);
/// The number of known cases; 0 without reflection metadata.
uint32_t liveobj_layout_enum_case_count(uintptr_t type);

#pragma GCC visibility pop
