// layout_value.c - the layout of a value of each kind of type.
//
// Values nest; the builder's `depth` bounds the recursion. Owns the table of enum cases.

#if defined(__linux__)

#include "layout/layout.h"
#include "metadata/address_table.h"
#include "metadata/labels.h"
#include "metadata/mangling.h"
#include "metadata/metadata.h"
#include "os/compiler.h"
#include "runtime/runtime.h"

#include <stdio.h>
#include <string.h>

LIVEOBJ_ANY_MEMORY_BEGIN

enum { DEPTH_LIMIT = 512 }; // of nested values; deeper ones are scanned

static void add_one(struct liveobj_layout_builder *builder, enum liveobj_slot_kind kind,
                    size_t offset, size_t bytes, uint32_t label, uintptr_t type) {
    liveobj_layout_add_slot(builder, (struct liveobj_slot){.offset = (uint32_t)offset,
                                                           .bytes = (uint32_t)bytes,
                                                           .label = label,
                                                           .kind = kind,
                                                           .type = type});
}

static void add_unknown(struct liveobj_layout_builder *builder, uintptr_t type, size_t offset,
                        uint32_t label) {
    liveobj_layout_add_words(builder, offset, liveobj_witnesses_of(type)->size, label);
}

static bool type_has_references(uintptr_t type) {
    return liveobj_metadata_kind(type) == LIVEOBJ_KIND_CLASS ||
           liveobj_witnesses_of(type)->flags & LIVEOBJ_WITNESS_IS_NOT_POD;
}

// MARK: - Structs

/// Adds a type of `Synchronization`, whose stored value is not among its fields.
/// \returns false for all other structs.
static bool add_synchronization(struct liveobj_layout_builder *builder, uintptr_t type,
                                size_t offset, uint32_t label) {
    uintptr_t descriptor = liveobj_descriptor_of(type);
    if (!liveobj_descriptor_is_in_module(descriptor, "Synchronization"))
        return false;
    if (liveobj_descriptor_is(descriptor, "Synchronization", "AtomicLazyReference"))
        liveobj_layout_add_reference(builder, offset, label);
    else if (liveobj_descriptor_is(descriptor, "Synchronization", "Mutex"))
        liveobj_layout_add_value(
            builder, liveobj_word(type, 2),
            liveobj_value_offset(liveobj_word(type, 2), offset + sizeof(uint32_t)), label);
    else if (liveobj_descriptor_is(descriptor, "Synchronization", "_Cell"))
        liveobj_layout_add_value(builder, liveobj_word(type, 2), offset, label);
    else
        return liveobj_descriptor_is(descriptor, "Synchronization", "Atomic");
    return true;
}

static void add_struct(struct liveobj_layout_builder *builder, uintptr_t type, size_t offset,
                       uint32_t label) {
    if (add_synchronization(builder, type, offset, label))
        return;
    struct liveobj_fields fields = liveobj_fields_of(type);
    if (fields.is_known && fields.count > 0)
        liveobj_layout_add_fields(builder, type, offset, label);
    else
        add_unknown(builder, type, offset, label);
}

// MARK: - Enums

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
        result.type = liveobj_mangled_is_accessor(&field.type)
                          ? liveobj_layout_noncopyable_type(fields, &field)
                          : liveobj_field_type(fields, &field);
        result.is_known = result.type && !liveobj_layout_hides_references(&field.type, result.type);
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

/// Whether an optional of the payload has the same layout: `nil` is a null word where the payload
/// has its reference, its function's code or its existential's type.
static bool shares_layout_with_optional(const struct liveobj_slot *only, uintptr_t payload) {
    size_t size = liveobj_witnesses_of(payload)->size;
    return only->offset == 0 && only->bytes == size &&
           (only->kind == LIVEOBJ_SLOT_REFERENCE || only->kind == LIVEOBJ_SLOT_FUNCTION ||
            only->kind == LIVEOBJ_SLOT_EXISTENTIAL || only->kind == LIVEOBJ_SLOT_BLOCK);
}

static void add_enum(struct liveobj_layout_builder *builder, uintptr_t type, size_t offset,
                     uint32_t label) {
    struct liveobj_enum_case payload = {0};
    if (liveobj_metadata_kind(type) == LIVEOBJ_KIND_OPTIONAL)
        payload = liveobj_layout_enum_case(type, 0);
    const struct liveobj_layout *layout =
        payload.type ? liveobj_layout_of_value_within(payload.type, builder->depth) : NULL;
    if (layout && layout->count == 1 && layout->is_precise &&
        shares_layout_with_optional(&layout->slots[0], payload.type))
        liveobj_layout_add_value(builder, payload.type, offset, label);
    else
        add_one(builder, LIVEOBJ_SLOT_ENUM, offset, liveobj_witnesses_of(type)->size, label, type);
}

// MARK: - Structural types

/// The label of a tuple's element, with its name if it has one.
static uint32_t element_label(const char **names, uint32_t outer) {
    enum { NAME_LIMIT = 256 };
    char name[NAME_LIMIT];
    size_t length = *names ? strcspn(*names, " ") : 0;
    size_t used = length < NAME_LIMIT ? length : NAME_LIMIT - 1;
    memcpy(name, *names ? *names : "", used);
    name[used] = 0;
    if (*names)
        *names += length + ((*names)[length] == ' ');
    return liveobj_label_join(
        outer, liveobj_label_make(LIVEOBJ_LABEL_PROPERTY, LIVEOBJ_OWNERSHIP_STRONG, name));
}

struct element {
    uintptr_t type;
    uintptr_t offset;
};

static const struct element *elements_of(uintptr_t tuple) {
    return (const struct element *)(tuple + 3 * sizeof(uintptr_t));
}

static void add_tuple(struct liveobj_layout_builder *builder, uintptr_t type, size_t offset,
                      uint32_t label) {
    const struct element *elements = elements_of(type);
    const char *names =
        (const char *)liveobj_word(type, 2); // "a b ", empty names for unlabelled elements
    for (size_t i = 0; i < liveobj_word(type, 1); i++)
        liveobj_layout_add_value(builder, elements[i].type, offset + (uint32_t)elements[i].offset,
                                 element_label(&names, label));
}

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
            found = has_thin_metatype(elements_of(type)[i].type);
    return found;
}

bool liveobj_layout_omits_metatype(const struct liveobj_mangled *spelled, uintptr_t type) {
    return spelled->may_be_thin && has_thin_metatype(type);
}

bool liveobj_layout_hides_references(const struct liveobj_mangled *spelled, uintptr_t type) {
    return liveobj_layout_omits_metatype(spelled, type) && type_has_references(type);
}

/// The label of an array's element in a value, `slots[1]`.
static uint32_t index_label(size_t index, uint32_t outer) {
    char text[32];
    snprintf(text, sizeof text, "[%zu]", index);
    return liveobj_label_join(
        outer, liveobj_label_make(LIVEOBJ_LABEL_PROPERTY, LIVEOBJ_OWNERSHIP_STRONG, text));
}

static void add_fixed_array(struct liveobj_layout_builder *builder, uintptr_t type, size_t offset,
                            uint32_t label) {
    uintptr_t element = liveobj_word(type, 2);
    size_t stride = liveobj_witnesses_of(element)->stride;
    for (size_t i = 0; i < liveobj_word(type, 1) && builder->count < LIVEOBJ_SLOTS_LIMIT; i++)
        liveobj_layout_add_value(builder, element, offset + i * stride, index_label(i, label));
}

static void add_function_value(struct liveobj_layout_builder *builder, uintptr_t type,
                               size_t offset, uint32_t label) {
    enum liveobj_convention convention = liveobj_convention_of(type);
    if (convention == LIVEOBJ_CONVENTION_SWIFT)
        add_one(builder, LIVEOBJ_SLOT_FUNCTION, offset, 2 * sizeof(uintptr_t), label, 0);
    else if (convention == LIVEOBJ_CONVENTION_BLOCK)
        add_one(builder, LIVEOBJ_SLOT_BLOCK, offset, sizeof(uintptr_t),
                liveobj_label_with(label, LIVEOBJ_OWNERSHIP_CONSERVATIVE), 0);
}

static bool is_error(uintptr_t existential) {
    enum { SPECIAL_ERROR = 1 };
    return (liveobj_existential_flags(existential) >> 24 & 0x3f) == SPECIAL_ERROR;
}

static void add_existential(struct liveobj_layout_builder *builder, uintptr_t type, size_t offset,
                            uint32_t label) {
    if (is_error(type) || liveobj_is_class_existential(type))
        liveobj_layout_add_reference(builder, offset, label);
    else
        add_one(builder, LIVEOBJ_SLOT_EXISTENTIAL, offset, liveobj_witnesses_of(type)->size, label,
                0);
}

/// Adds `any P<T>`. Its shape says how the value is stored.
static void add_extended_existential(struct liveobj_layout_builder *builder, uintptr_t type,
                                     size_t offset, uint32_t label) {
    enum { OPAQUE = 0, CLASS = 1, METATYPE = 2 };
    switch (liveobj_half_word(liveobj_word(type, 1), 0) & 0xff) {
    case OPAQUE:
        add_one(builder, LIVEOBJ_SLOT_EXISTENTIAL, offset, liveobj_witnesses_of(type)->size, label,
                0);
        break;
    case CLASS:
        liveobj_layout_add_reference(builder, offset, label);
        break;
    case METATYPE:
        break;
    default:
        add_unknown(builder, type, offset, label);
    }
}

/// Whether the type is builtin: its metadata follows a symbol of the runtime.
static bool is_builtin(uintptr_t type, const void *symbol) {
    return symbol && type == (uintptr_t)symbol + sizeof(uintptr_t);
}

static void add_opaque(struct liveobj_layout_builder *builder, uintptr_t type, size_t offset,
                       uint32_t label) {
    const struct liveobj_runtime *runtime = liveobj_runtime_current();
    if (is_builtin(type, runtime->$sBoN) || is_builtin(type, runtime->$sBON))
        liveobj_layout_add_reference(builder, offset, label);
    else if (is_builtin(type, runtime->$sBbN))
        add_one(builder, LIVEOBJ_SLOT_BRIDGE, offset, sizeof(uintptr_t), label, 0);
    else
        add_unknown(builder, type, offset, label);
}

// MARK: - Words that are no references

static void add_plain(struct liveobj_layout_builder *builder, uintptr_t type, size_t offset);

/// Adds an integer that has the size of a pointer, or an ObjectIdentifier.
static void add_number(struct liveobj_layout_builder *builder, uintptr_t descriptor,
                       size_t offset) {
    static const char *const known[] = {"ObjectIdentifier", "Int", "UInt", "Int64", "UInt64"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(liveobj_descriptor_name(descriptor), known[i]) == 0)
            add_one(builder, LIVEOBJ_SLOT_NUMBER, offset, sizeof(uintptr_t), 0, 0);
}

/// Types of the package swift-atomics keep references as integers.
static void add_plain_struct(struct liveobj_layout_builder *builder, uintptr_t type,
                             size_t offset) {
    uintptr_t descriptor = liveobj_descriptor_of(type);
    if (liveobj_descriptor_is_in_module(descriptor, "Swift"))
        return add_number(builder, descriptor, offset);
    if (liveobj_descriptor_is_in_module(descriptor, "Atomics"))
        return;
    struct liveobj_fields fields = liveobj_fields_of(type);
    for (uint32_t i = 0; fields.is_known && i < fields.count; i++) {
        struct liveobj_field field = liveobj_field_at(&fields, i);
        bool is_typed = field.type.text && !liveobj_mangled_is_accessor(&field.type);
        uintptr_t field_type = is_typed ? liveobj_field_type(&fields, &field) : 0;
        if (field_type)
            add_plain(builder, field_type, offset + liveobj_field_offset(&fields, i));
    }
}

/// Adds the words of a value without references that are known to be no pointers either.
static void add_plain(struct liveobj_layout_builder *builder, uintptr_t type, size_t offset) {
    enum { PAYLOAD = 2 }; // of an optional
    if (builder->depth == DEPTH_LIMIT || liveobj_witnesses_of(type)->size < sizeof(uintptr_t))
        return;
    builder->depth++;
    if (liveobj_metadata_kind(type) == LIVEOBJ_KIND_STRUCT)
        add_plain_struct(builder, type, offset);
    else if (liveobj_metadata_kind(type) == LIVEOBJ_KIND_OPTIONAL)
        add_plain(builder, liveobj_word(type, PAYLOAD), offset);
    else if (liveobj_metadata_kind(type) == LIVEOBJ_KIND_TUPLE)
        for (size_t i = 0; i < liveobj_word(type, 1); i++)
            add_plain(builder, elements_of(type)[i].type,
                      offset + (uint32_t)elements_of(type)[i].offset);
    builder->depth--;
}

// MARK: - Any value

/// Adds a reference that is not strong.
/// \returns false if the reference is strong.
static bool add_other_ownership(struct liveobj_layout_builder *builder, size_t offset,
                                uint32_t label) {
    static const enum liveobj_slot_kind kinds[] = {
        [LIVEOBJ_OWNERSHIP_WEAK] = LIVEOBJ_SLOT_WEAK,
        [LIVEOBJ_OWNERSHIP_UNOWNED] = LIVEOBJ_SLOT_UNOWNED,
        [LIVEOBJ_OWNERSHIP_UNMANAGED] = LIVEOBJ_SLOT_UNMANAGED,
    };
    enum liveobj_ownership ownership = liveobj_label_get(label).ownership;
    if (ownership < LIVEOBJ_OWNERSHIP_WEAK || ownership > LIVEOBJ_OWNERSHIP_UNMANAGED)
        return false;
    add_one(builder, kinds[ownership], offset, sizeof(uintptr_t), label, 0);
    return true;
}

static bool is_unmanaged(uintptr_t type) {
    return liveobj_metadata_kind(type) == LIVEOBJ_KIND_STRUCT &&
           liveobj_descriptor_is(liveobj_descriptor_of(type), "Swift", "Unmanaged");
}

static void add_by_kind(struct liveobj_layout_builder *builder, uintptr_t type, size_t offset,
                        uint32_t label) {
    switch (liveobj_metadata_kind(type)) {
    case LIVEOBJ_KIND_CLASS:
        return liveobj_layout_add_reference(builder, offset, label);
    case LIVEOBJ_KIND_STRUCT:
        return add_struct(builder, type, offset, label);
    case LIVEOBJ_KIND_ENUM:
    case LIVEOBJ_KIND_OPTIONAL:
        return add_enum(builder, type, offset, label);
    case LIVEOBJ_KIND_OPAQUE:
        return add_opaque(builder, type, offset, label);
    case LIVEOBJ_KIND_TUPLE:
        return add_tuple(builder, type, offset, label);
    case LIVEOBJ_KIND_FUNCTION:
        return add_function_value(builder, type, offset, label);
    case LIVEOBJ_KIND_EXISTENTIAL:
        return add_existential(builder, type, offset, label);
    case LIVEOBJ_KIND_EXTENDED_EXISTENTIAL:
        return add_extended_existential(builder, type, offset, label);
    case LIVEOBJ_KIND_FIXED_ARRAY:
        return add_fixed_array(builder, type, offset, label);
    case LIVEOBJ_KIND_METATYPE:
    case LIVEOBJ_KIND_EXISTENTIAL_METATYPE:
        return;
    default: // also the imported classes of other languages
        return add_unknown(builder, type, offset, label);
    }
}

void liveobj_layout_add_value(struct liveobj_layout_builder *builder, uintptr_t type, size_t offset,
                              uint32_t label) {
    if (add_other_ownership(builder, offset, label))
        return;
    if (is_unmanaged(type)) {
        uint32_t unmanaged = liveobj_label_with(label, LIVEOBJ_OWNERSHIP_UNMANAGED);
        return add_one(builder, LIVEOBJ_SLOT_UNMANAGED, offset, sizeof(uintptr_t), unmanaged, 0);
    }
    if (!type_has_references(type))
        return add_plain(builder, type, offset);
    if (builder->depth == DEPTH_LIMIT)
        return add_unknown(builder, type, offset, label);
    builder->depth++;
    add_by_kind(builder, type, offset, label);
    builder->depth--;
}

LIVEOBJ_ANY_MEMORY_END

#endif
