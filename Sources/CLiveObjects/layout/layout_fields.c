// layout_fields.c - the stored properties of classes and structs.

#if defined(__linux__)

#include "layout/captured_type.h"
#include "layout/layout.h"
#include "metadata/labels.h"
#include "metadata/mangling.h"
#include "metadata/metadata.h"
#include "os/compiler.h"

#include <string.h>

LIVEOBJ_ANY_MEMORY_BEGIN

/// The name of a property in the source. The compiler stores lazy properties under another name.
static const char *readable_name(const char *name) {
    static const char lazy[] = "$__lazy_storage_$_";
    return strncmp(name, lazy, sizeof lazy - 1) == 0 ? name + sizeof lazy - 1 : name;
}

/// Whether the fields have no names of the user's: those of the standard library's structs. An
/// array is named after the property that contains it.
static bool has_nameless_fields(const struct liveobj_fields *fields) {
    return liveobj_metadata_kind(fields->metadata) == LIVEOBJ_KIND_STRUCT &&
           liveobj_descriptor_is_in_module(fields->descriptor, "Swift");
}

static bool is_generic_parameter(const struct liveobj_mangled *type) {
    return type->text[0] == 'x' || type->text[0] == 'q';
}

/// Whether the property is declared as an object or an optional one, so that it can be declared
/// weak. A lazy property cannot, nor can one of a generic parameter's type.
///
/// \param type 0 if it is not known.
static bool may_be_weak(const struct liveobj_field *field, uintptr_t type) {
    enum { PAYLOAD = 2 }; // of an optional, its only generic argument
    if (!type || field->type.ownership != LIVEOBJ_OWNERSHIP_STRONG ||
        is_generic_parameter(&field->type))
        return false;
    if (liveobj_metadata_kind(type) == LIVEOBJ_KIND_OPTIONAL)
        type = liveobj_word(type, PAYLOAD);
    return liveobj_metadata_kind(type) == LIVEOBJ_KIND_CLASS || liveobj_is_class_existential(type);
}

static uint32_t label_of(const struct liveobj_fields *fields, const struct liveobj_field *field,
                         uintptr_t type, uint32_t outer) {
    const char *name = has_nameless_fields(fields) ? "" : readable_name(field->name);
    bool is_named = name == field->name; // neither lazy nor of the standard library
    enum liveobj_label_kind kind = is_named && may_be_weak(field, type)
                                       ? LIVEOBJ_LABEL_OBJECT_PROPERTY
                                       : LIVEOBJ_LABEL_PROPERTY;
    uint32_t label = liveobj_label_make(kind, field->type.ownership, name);
    return outer ? liveobj_label_join(outer, label) : label;
}

/// Whether the field is an actor's queue or lock, which contain no references.
static bool is_actor_storage(const struct liveobj_field *field) {
    return liveobj_mangled_is(&field->type, "BD") || liveobj_mangled_is(&field->type, "Bd");
}

static bool is_pointer(uintptr_t type) {
    static const char *const names[] = {"UnsafeMutablePointer", "UnsafePointer",
                                        "UnsafeMutableRawPointer", "UnsafeRawPointer",
                                        "OpaquePointer"};
    enum { PAYLOAD = 2 }; // of an optional, its only generic argument
    if (liveobj_metadata_kind(type) == LIVEOBJ_KIND_OPTIONAL)
        type = liveobj_word(type, PAYLOAD);
    uintptr_t descriptor = liveobj_descriptor_of(type);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (liveobj_descriptor_is(descriptor, "Swift", names[i]))
            return true;
    return false;
}

/// Whether an owning reference may be declared as a plain pointer: some of Foundation's classes are
/// also structures of CoreFoundation.
static bool is_of_core_foundation(const struct liveobj_fields *fields, uintptr_t type) {
    return liveobj_metadata_kind(fields->metadata) == LIVEOBJ_KIND_CLASS && is_pointer(type) &&
           liveobj_descriptor_is_in_module(fields->descriptor, "Foundation");
}

/// An object of a generic class, or an optional one, whose arguments the runtime cannot be asked
/// for: a parameter pack's.
static bool is_class_reference(const struct liveobj_mangled *type) {
    struct liveobj_mangled payload = liveobj_mangled_payload(*type);
    return liveobj_captured_class(&payload) != 0;
}

static void add_field(struct liveobj_layout_builder *builder, const struct liveobj_fields *fields,
                      uint32_t index, size_t offset, uint32_t outer) {
    struct liveobj_field field = liveobj_field_at(fields, index);
    if (!field.type.text || is_actor_storage(&field))
        return;
    bool is_accessor = liveobj_mangled_is_accessor(&field.type);
    uintptr_t type = is_accessor ? 0 : liveobj_field_type(fields, &field);
    uint32_t label = label_of(fields, &field, type, outer);
    size_t start = liveobj_field_offset(fields, index);
    if (is_accessor &&
        liveobj_layout_add_noncopyable(builder, fields, &field, offset + start, label))
        return;
    size_t limit = liveobj_field_limit(fields, index);
    bool is_certain = type && !is_of_core_foundation(fields, type) &&
                      !liveobj_layout_hides_references(&field.type, type);
    if (is_certain)
        liveobj_layout_add_value(builder, type, offset + start, label);
    else if (!type && is_class_reference(&field.type))
        liveobj_layout_add_reference(builder, offset + start, label);
    else if (limit > start)
        liveobj_layout_add_words(builder, offset + start, limit - start, label);
}

void liveobj_layout_add_fields(struct liveobj_layout_builder *builder, uintptr_t type,
                               size_t offset, uint32_t label) {
    struct liveobj_fields fields = liveobj_fields_of(type);
    for (uint32_t index = 0; index < fields.count; index++)
        add_field(builder, &fields, index, offset, label);
}

LIVEOBJ_ANY_MEMORY_END

#endif
