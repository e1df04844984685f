// declarations.c - see declarations.h. Owns the table of enum cases.

#if defined(__linux__)

#include "layout/declarations.h"
#include "metadata/address_table.h"
#include "metadata/labels.h"
#include "os/compiler.h"
#include "os/os.h"
#include "runtime/image.h"
#include "runtime/runtime.h"

#include <stdio.h>
#include <string.h>

LIVEOBJ_ANY_MEMORY_BEGIN

// MARK: - Metatypes and classes

static bool has_thin_metatype(uintptr_t type) {
    enum { PAYLOAD = 2, INSTANCE = 1 };
    bool is_metatype = false, found = false;
    while (liveobj_metadata_kind(type) == LIVEOBJ_KIND_OPTIONAL)
        type = liveobj_word(type, PAYLOAD);
    for (; liveobj_metadata_kind(type) == LIVEOBJ_KIND_METATYPE; is_metatype = true)
        type = liveobj_word(type, INSTANCE);
    if (is_metatype)
        return liveobj_metadata_kind(type) != LIVEOBJ_KIND_CLASS;
    if (liveobj_metadata_kind(type) == LIVEOBJ_KIND_TUPLE)
        for (size_t i = 0; i < liveobj_word(type, 1) && !found; i++)
            found = has_thin_metatype(liveobj_tuple_elements(type)[i].type);
    return found;
}

bool liveobj_declaration_omits_metatype(const struct liveobj_mangled *spelled, uintptr_t type) {
    return spelled->may_be_thin && has_thin_metatype(type);
}

/// Whether such a value has references, so that it can only be scanned.
static bool hides_references(const struct liveobj_mangled *spelled, uintptr_t type) {
    return liveobj_declaration_omits_metatype(spelled, type) && liveobj_value_has_references(type);
}

static const char metatype[] = "XMT";

bool liveobj_declared_metatype(const struct liveobj_mangled *type) {
    size_t length = strlen(metatype);
    return type->plain_length >= length &&
           memcmp(type->text + type->length - length, metatype, length) == 0;
}

// A reference has the same layout for all generic arguments, so they are not resolved.
uintptr_t liveobj_declared_class(const struct liveobj_mangled *type) {
    enum { DIRECT = 1, INDIRECT = 2, REFERENCE_BYTES = 5 };
    size_t suffix = liveobj_declared_metatype(type) ? strlen(metatype) : 0;
    bool is_bound = type->plain_length > suffix && type->text[type->length - suffix - 1] == 'G';
    if (type->ownership != LIVEOBJ_OWNERSHIP_STRONG ||
        (type->length != REFERENCE_BYTES + suffix && !is_bound))
        return 0;
    uintptr_t target = 0;
    if (type->text[0] == DIRECT || type->text[0] == INDIRECT)
        target = liveobj_relative((uintptr_t)type->text + 1);
    if (target && type->text[0] == INDIRECT)
        target = liveobj_word(target, 0);
    return target && liveobj_descriptor_kind(target) == LIVEOBJ_DESCRIPTOR_CLASS ? target : 0;
}

// MARK: - Noncopyable types
//
// Symbols are read from the image's file, which takes some milliseconds, once for each property.

enum { NAME_LIMIT = 1024 };

/// A type's mangled name, without symbolic references, in the context of the type that has the
/// property.
struct name {
    char text[NAME_LIMIT];
    const struct liveobj_fields *fields;
};

/// Removes what is not the type's name: the symbol's prefix, the signature of a generic class, and
/// what follows.
static bool take_type(struct name *name, const char *prefix) {
    const char *type = name->text + strlen(prefix);
    for (const char *next = type; *next; next++)
        if ((unsigned char)*next < ' ')
            return false; // no symbol of the compiler; would be read as a reference
    if (name->fields->arguments)
        type = liveobj_mangled_skip_signature(type);
    if (!type)
        return false;
    size_t length = strcspn(type, " .");
    memmove(name->text, type, length);
    name->text[length] = 0;
    return true;
}

/// Finds the name in the symbol: `get_type_metadata 15Synchronization5MutexVySiG noncopyable` in
/// Swift 6.3, `get_type_metadata 15Synchronization5MutexVySiG.7` before.
static bool find_name(struct name *name, const struct liveobj_field *field) {
    static const char prefix[] = "get_type_metadata ";
    struct liveobj_image image;
    uintptr_t record = (uintptr_t)field->type.text;
    return !liveobj_types_are_closed() && liveobj_image_of(record, &image) &&
           liveobj_image_symbol_at(&image, record, prefix, name->text, sizeof name->text) &&
           take_type(name, prefix);
}

/// Reduces a name to its generic argument: `Mutex<T>` -> `T`.
static bool take_argument(struct name *name, const char *generic) {
    size_t start = strlen(generic), length = strlen(name->text);
    if (!liveobj_os_begins_with(name->text, generic) || length <= start ||
        name->text[length - 1] != 'G')
        return false;
    memmove(name->text, name->text + start, length - start - 1);
    name->text[length - start - 1] = 0;
    return true;
}

/// Calls a function that returns metadata.
/// \param argument Of a generic type with one parameter; other functions ignore it.
static uintptr_t call_accessor(uintptr_t function, uintptr_t argument) {
    typedef const void *(*accessor_fn)(size_t request, uintptr_t argument);
    if (!function || !liveobj_runtime_enter())
        return 0;
    uintptr_t type = (uintptr_t)((accessor_fn)function)(0, argument);
    liveobj_runtime_leave();
    return type;
}

/// A type that the runtime does not find by name: a private or a noncopyable one. A name without
/// generic arguments is not that of a generic type, whose function needs them.
static uintptr_t type_by_accessor(uintptr_t descriptor, const struct liveobj_mangled *name) {
    char symbol[NAME_LIMIT + 8];
    struct liveobj_image image;
    if (!liveobj_image_of(descriptor, &image))
        return 0;
    snprintf(symbol, sizeof symbol, "$s%.*sMa", (int)name->length, name->text);
    return call_accessor(liveobj_image_symbol(&image, symbol).start, 0);
}

/// Nested optionals are left out.
static uintptr_t type_of(const struct name *name) {
    struct liveobj_mangled mangled = liveobj_mangled_read(name->text);
    uintptr_t type = liveobj_resolve(&mangled, name->fields->descriptor, name->fields->arguments);
    if (type || mangled.mentions_parameters)
        return type;
    struct liveobj_mangled payload = liveobj_mangled_payload(mangled);
    uintptr_t optional = (uintptr_t)liveobj_runtime_current()->$sSqMa;
    type = type_by_accessor(name->fields->descriptor, &payload);
    return type && payload.length < mangled.length ? call_accessor(optional, type) : type;
}

/// Whether the type is a class or a collection, optional or not: such a value is one reference,
/// whatever the runtime knows of the class and of the collection's elements.
static bool names_reference(const struct name *name) {
    struct liveobj_mangled payload = liveobj_mangled_payload(liveobj_mangled_read(name->text));
    return liveobj_mangled_is_collection(&payload) ||
           (payload.plain_length > 0 && payload.text[payload.length - 1] == 'C');
}

/// Takes the name's type as that of the property's value.
static bool take_property_value(struct liveobj_property *property, const struct name *name) {
    property->type = type_of(name);
    if (property->type) {
        property->content = LIVEOBJ_PROPERTY_VALUE;
        property->offset = liveobj_value_offset(property->type, property->offset);
    } else if (names_reference(name)) {
        property->content = LIVEOBJ_PROPERTY_REFERENCE;
        property->offset = liveobj_round_up(property->offset, sizeof(uintptr_t));
    }
    return property->content != LIVEOBJ_PROPERTY_IGNORED;
}

/// Finds the content of a stored property of a noncopyable type: `Mutex`, `Atomic`, or the user's.
/// The property's record names no type, only a function, which returns an empty tuple to a caller
/// of this runtime. But a local symbol at that function's record contains the type's name.
/// \returns false if the symbol is missing (a stripped image) or the type cannot be found.
static bool find_by_symbol(struct liveobj_property *property, const struct liveobj_fields *fields,
                           const struct liveobj_field *field) {
    enum { LOCK_BYTES = 4 }; // before the value of a mutex
    struct name name = {.fields = fields};
    if (!find_name(&name, field))
        return false;
    if (liveobj_os_begins_with(name.text, "15Synchronization6AtomicVy"))
        return true;
    if (take_argument(&name, "15Synchronization19AtomicLazyReferenceVy")) {
        property->content = LIVEOBJ_PROPERTY_REFERENCE;
        return true;
    }
    if (take_argument(&name, "15Synchronization5MutexVy"))
        property->offset += LOCK_BYTES;
    return take_property_value(property, &name);
}

/// The same for an enum's payload. \returns 0 if it cannot be found.
static uintptr_t type_by_symbol(const struct liveobj_fields *fields,
                                const struct liveobj_field *field) {
    struct name name = {.fields = fields};
    return find_name(&name, field) ? type_of(&name) : 0;
}

// MARK: - Stored properties

/// The name of a property in the source. The compiler stores lazy properties under another name.
static const char *readable(const char *name) {
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

/// The descriptor of the protocol, or the first one, of `any P` whose values may be of any type; 0
/// for other types.
static uintptr_t open_protocol_of(uintptr_t metadata) {
    enum { AT_COUNT = 12, PROTOCOLS = 2 };
    bool is_open = liveobj_metadata_kind(metadata) == LIVEOBJ_KIND_EXISTENTIAL &&
                   !liveobj_is_class_existential(metadata) &&
                   !liveobj_is_error_existential(metadata) &&
                   liveobj_half_word(metadata, AT_COUNT) > 0;
    return is_open ? liveobj_word(metadata, PROTOCOLS) : 0;
}

/// Whether the property is declared as an object or an optional one, so that it can be declared
/// weak, or could be if its protocol were limited to classes. A lazy property cannot, nor can one
/// of a generic parameter's type.
///
/// \param type 0 if it is not known.
static bool find_declaration(struct liveobj_declaration *declaration,
                             const struct liveobj_fields *fields, const struct liveobj_field *field,
                             uintptr_t type) {
    enum { PAYLOAD = 2 }; // of an optional, its only generic argument
    if (!type || field->type.ownership != LIVEOBJ_OWNERSHIP_STRONG ||
        is_generic_parameter(&field->type))
        return false;
    if (liveobj_metadata_kind(type) == LIVEOBJ_KIND_OPTIONAL)
        type = liveobj_word(type, PAYLOAD);
    bool is_object =
        liveobj_metadata_kind(type) == LIVEOBJ_KIND_CLASS || liveobj_is_class_existential(type);
    *declaration = (struct liveobj_declaration){.type = fields->descriptor,
                                                .protocol = is_object ? 0 : open_protocol_of(type),
                                                .is_constant = field->is_constant};
    return is_object || declaration->protocol;
}

static uint32_t label_of(const struct liveobj_fields *fields, const struct liveobj_field *field,
                         uintptr_t type, uint32_t outer) {
    const char *name = has_nameless_fields(fields) ? "" : readable(field->name);
    bool is_named = name == field->name; // neither lazy nor of the standard library
    struct liveobj_declaration declaration;
    uint32_t label = is_named && find_declaration(&declaration, fields, field, type)
                         ? liveobj_label_make_property(&declaration, name)
                         : liveobj_label_make(LIVEOBJ_LABEL_PROPERTY, field->type.ownership, name);
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
static bool is_generic_object(const struct liveobj_mangled *type) {
    struct liveobj_mangled payload = liveobj_mangled_payload(*type);
    return liveobj_declared_class(&payload) != 0;
}

struct liveobj_property liveobj_property_at(const struct liveobj_fields *fields, uint32_t index,
                                            size_t offset, uint32_t outer) {
    struct liveobj_field field = liveobj_field_at(fields, index);
    if (!field.type.text || is_actor_storage(&field))
        return (struct liveobj_property){0};
    bool is_accessor = liveobj_mangled_is_accessor(&field.type);
    uintptr_t type = is_accessor ? 0 : liveobj_field_type(fields, &field);
    size_t start = liveobj_field_offset(fields, index), limit = liveobj_field_limit(fields, index);
    struct liveobj_property property = {
        .label = label_of(fields, &field, type, outer), .offset = offset + start, .type = type};
    struct liveobj_property hidden = property;
    if (is_accessor && find_by_symbol(&hidden, fields, &field))
        return hidden;
    property.bytes = limit > start ? limit - start : 0;
    if (type && !is_of_core_foundation(fields, type) && !hides_references(&field.type, type))
        property.content = LIVEOBJ_PROPERTY_VALUE;
    else if (!type && is_generic_object(&field.type))
        property.content = LIVEOBJ_PROPERTY_REFERENCE;
    else if (property.bytes)
        property.content = LIVEOBJ_PROPERTY_WORDS;
    return property;
}

// MARK: - Enum cases

struct cases {
    uint32_t count;
    struct liveobj_enum_case items[]; // by tag
};

static struct liveobj_enum_case make_case(const struct liveobj_fields *fields, uint32_t index) {
    struct liveobj_field field = liveobj_field_at(fields, index);
    struct liveobj_enum_case result = {
        .label = liveobj_label_make(LIVEOBJ_LABEL_PROPERTY, field.type.ownership, ""),
        .is_indirect = field.is_indirect,
        .is_known = true,
    };
    if (field.type.text && !field.is_indirect) {
        result.type = liveobj_mangled_is_accessor(&field.type) ? type_by_symbol(fields, &field)
                                                               : liveobj_field_type(fields, &field);
        result.is_known = result.type && !hides_references(&field.type, result.type);
    }
    return result;
}

static const struct cases *cases_of(uintptr_t type) {
    static struct liveobj_metadata_table table;
    const struct cases *known = liveobj_metadata_table_get(&table, type);
    struct liveobj_fields fields = liveobj_fields_of(type);
    if (known || !fields.is_known)
        return known;
    struct cases *cases =
        liveobj_metadata_table_allocate(sizeof *cases + fields.count * sizeof *cases->items);
    if (!cases)
        return NULL;
    cases->count = fields.count;
    for (uint32_t index = 0; index < fields.count; index++)
        cases->items[index] = make_case(&fields, index);
    return liveobj_metadata_table_put(&table, type, cases);
}

struct liveobj_enum_case liveobj_layout_enum_case(uintptr_t type, uint32_t tag) {
    const struct cases *cases = cases_of(type);
    if (cases && tag < cases->count)
        return cases->items[tag];
    // Cases without payload come last. They have no record if there is no reflection metadata.
    return (struct liveobj_enum_case){.is_known = cases != NULL};
}

uint32_t liveobj_layout_enum_case_count(uintptr_t type) {
    const struct cases *cases = cases_of(type);
    return cases ? cases->count : 0;
}

LIVEOBJ_ANY_MEMORY_END

#endif
