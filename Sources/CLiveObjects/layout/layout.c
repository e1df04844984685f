// layout.c - compiles layouts of types. Owns the tables of compiled layouts.
//
// Values nest; the builder's `depth` bounds the recursion.

#if defined(__linux__)

#include "layout/layout.h"
#include "metadata/address_table.h"
#include "metadata/labels.h"
#include "os/compiler.h"
#include "os/os.h"
#include "runtime/runtime.h"

#include <stdio.h>
#include <string.h>

static struct liveobj_metadata_table values, classes;

// MARK: - Builder

/// The memory of an earlier builder, for the next one.
static struct liveobj_layout_builder spare;

static void take_spare(struct liveobj_layout_builder *builder) {
    builder->slots = spare.slots;
    builder->capacity = spare.capacity;
    spare = (struct liveobj_layout_builder){0};
}

static void leave_spare(const struct liveobj_layout_builder *builder) {
    if (spare.slots)
        liveobj_os_unmap(builder->slots, builder->capacity * sizeof *builder->slots);
    else
        spare = *builder;
}

void liveobj_layout_add_slot(struct liveobj_layout_builder *builder, struct liveobj_slot slot) {
    if (!builder->slots)
        take_spare(builder);
    if (builder->count == LIVEOBJ_SLOTS_LIMIT)
        builder->is_precise = false;
    else if (liveobj_os_make_room((void **)&builder->slots, builder->count, &builder->capacity,
                                  sizeof slot))
        builder->slots[builder->count++] = slot;
    else
        builder->failed = true;
}

void liveobj_layout_add_reference(struct liveobj_layout_builder *builder, size_t offset,
                                  uint32_t label) {
    liveobj_layout_add_slot(builder, (struct liveobj_slot){.offset = (uint32_t)offset,
                                                           .bytes = sizeof(uintptr_t),
                                                           .label = label,
                                                           .kind = LIVEOBJ_SLOT_REFERENCE});
}

void liveobj_layout_add_words(struct liveobj_layout_builder *builder, size_t offset, size_t bytes,
                              uint32_t label) {
    builder->is_precise = false;
    liveobj_layout_add_slot(
        builder,
        (struct liveobj_slot){.offset = (uint32_t)offset,
                              .bytes = (uint32_t)bytes,
                              .label = liveobj_label_with(label, LIVEOBJ_OWNERSHIP_CONSERVATIVE),
                              .kind = LIVEOBJ_SLOT_WORDS});
}

static bool is_typed(enum liveobj_slot_kind kind) {
    return kind == LIVEOBJ_SLOT_REFERENCE || kind == LIVEOBJ_SLOT_BRIDGE ||
           kind == LIVEOBJ_SLOT_FUNCTION || kind == LIVEOBJ_SLOT_UNOWNED ||
           kind == LIVEOBJ_SLOT_NUMBER;
}

/// Whether some words are neither references nor numbers by their type.
static bool may_have_pointers(const struct liveobj_layout *layout, size_t bytes) {
    size_t typed_bytes = 0;
    for (uint32_t i = 0; i < layout->count; i++)
        typed_bytes += is_typed(layout->slots[i].kind) ? layout->slots[i].bytes : 0;
    return typed_bytes < (bytes & ~(sizeof(uintptr_t) - 1));
}

const struct liveobj_layout *liveobj_layout_finish(struct liveobj_layout_builder *builder,
                                                   size_t value_bytes) {
    size_t bytes = builder->count * sizeof *builder->slots;
    struct liveobj_layout *layout = liveobj_metadata_table_allocate(sizeof *layout + bytes);
    if (builder->failed)
        layout = NULL;
    if (layout) {
        struct liveobj_slot *slots = (struct liveobj_slot *)(layout + 1);
        if (bytes)
            memcpy(slots, builder->slots, bytes);
        *layout = (struct liveobj_layout){
            .slots = slots, .count = builder->count, .is_precise = builder->is_precise};
        for (uint32_t i = 0; i < builder->count; i++)
            layout->has_references |= slots[i].kind < LIVEOBJ_SLOT_NUMBER;
        layout->may_have_pointers = may_have_pointers(layout, value_bytes);
    }
    leave_spare(builder);
    return layout;
}

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

/// Adds the stored properties of a class (without those inherited) or struct at `offset`.
/// \param label The label of the place that contains the struct; 0 for a class.
static void add_properties(struct liveobj_layout_builder *builder,
                           const struct liveobj_fields *fields, size_t offset, uint32_t label) {
    for (uint32_t index = 0; index < fields->count; index++) {
        struct liveobj_property property = liveobj_property_at(fields, index, offset, label);
        if (property.content == LIVEOBJ_PROPERTY_VALUE)
            liveobj_layout_add_value(builder, property.type, property.offset, property.label);
        else if (property.content == LIVEOBJ_PROPERTY_REFERENCE)
            liveobj_layout_add_reference(builder, property.offset, property.label);
        else if (property.content == LIVEOBJ_PROPERTY_WORDS)
            liveobj_layout_add_words(builder, property.offset, property.bytes, property.label);
    }
}

static void add_struct(struct liveobj_layout_builder *builder, uintptr_t type, size_t offset,
                       uint32_t label) {
    if (add_synchronization(builder, type, offset, label))
        return;
    struct liveobj_fields fields = liveobj_fields_of(type);
    if (fields.is_known && fields.count > 0)
        add_properties(builder, &fields, offset, label);
    else
        add_unknown(builder, type, offset, label);
}

// MARK: - Enums

/// The layout of the payload of an enum that is `depth` values deep in what is laid out: that
/// bounds the recursion, whose stack may be the program's.
static const struct liveobj_layout *layout_within(uintptr_t type, uint32_t depth) {
    const struct liveobj_layout *known = liveobj_metadata_table_get(&values, type);
    if (known)
        return known;
    struct liveobj_layout_builder builder = {.is_precise = true, .depth = depth};
    uint32_t label = liveobj_label_make(LIVEOBJ_LABEL_PROPERTY, LIVEOBJ_OWNERSHIP_STRONG, "");
    liveobj_layout_add_value(&builder, type, 0, label);
    size_t bytes = liveobj_witnesses_of(type)->size;
    return liveobj_metadata_table_put(&values, type, liveobj_layout_finish(&builder, bytes));
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
        payload.type ? layout_within(payload.type, builder->depth) : NULL;
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
    size_t kept = length < NAME_LIMIT ? length : NAME_LIMIT - 1;
    memcpy(name, *names ? *names : "", kept);
    name[kept] = 0;
    if (*names)
        *names += length + ((*names)[length] == ' ');
    return liveobj_label_join(
        outer, liveobj_label_make(LIVEOBJ_LABEL_PROPERTY, LIVEOBJ_OWNERSHIP_STRONG, name));
}

static void add_tuple(struct liveobj_layout_builder *builder, uintptr_t type, size_t offset,
                      uint32_t label) {
    const struct liveobj_tuple_element *elements = liveobj_tuple_elements(type);
    const char *names =
        (const char *)liveobj_word(type, 2); // "a b ", empty names for unlabelled elements
    for (size_t i = 0; i < liveobj_word(type, 1); i++)
        liveobj_layout_add_value(builder, elements[i].type, offset + (uint32_t)elements[i].offset,
                                 element_label(&names, label));
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

static void add_existential(struct liveobj_layout_builder *builder, uintptr_t type, size_t offset,
                            uint32_t label) {
    if (liveobj_is_error_existential(type) || liveobj_is_class_existential(type))
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

static void add_plain(struct liveobj_layout_builder *builder, uintptr_t type, size_t offset,
                      uint32_t label);

/// Adds a number that has the size of a pointer, an ObjectIdentifier, or a plain pointer.
static void add_pointer_sized(struct liveobj_layout_builder *builder, uintptr_t descriptor,
                              size_t offset, uint32_t label) {
    static const char *const known[] = {"Int",    "UInt",   "Int64",
                                        "UInt64", "Double", "ObjectIdentifier"};
    if (label && liveobj_os_begins_with(liveobj_descriptor_name(descriptor), "Unsafe"))
        add_one(builder, LIVEOBJ_SLOT_POINTER, offset, sizeof(uintptr_t), label, 0);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(liveobj_descriptor_name(descriptor), known[i]) == 0)
            add_one(builder, LIVEOBJ_SLOT_NUMBER, offset, sizeof(uintptr_t), 0, 0);
}

/// Types of the package swift-atomics keep references as integers.
static void add_plain_struct(struct liveobj_layout_builder *builder, uintptr_t type, size_t offset,
                             uint32_t label) {
    uintptr_t descriptor = liveobj_descriptor_of(type);
    if (liveobj_descriptor_is_in_module(descriptor, "Swift"))
        return add_pointer_sized(builder, descriptor, offset, label);
    if (liveobj_descriptor_is_in_module(descriptor, "Atomics"))
        return;
    struct liveobj_fields fields = liveobj_fields_of(type);
    for (uint32_t i = 0; fields.is_known && i < fields.count; i++) {
        struct liveobj_field field = liveobj_field_at(&fields, i);
        bool is_typed = field.type.text && !liveobj_mangled_is_accessor(&field.type);
        uintptr_t field_type = is_typed ? liveobj_field_type(&fields, &field) : 0;
        if (field_type)
            add_plain(builder, field_type, offset + liveobj_field_offset(&fields, i), label);
    }
}

/// Adds the words of a value without references whose meaning is known.
/// \param label The label of the property that contains the value; 0 for none.
static void add_plain(struct liveobj_layout_builder *builder, uintptr_t type, size_t offset,
                      uint32_t label) {
    enum { PAYLOAD = 2 }; // of an optional
    if (builder->depth == DEPTH_LIMIT || liveobj_witnesses_of(type)->size < sizeof(uintptr_t))
        return;
    builder->depth++;
    if (liveobj_metadata_kind(type) == LIVEOBJ_KIND_STRUCT)
        add_plain_struct(builder, type, offset, label);
    else if (liveobj_metadata_kind(type) == LIVEOBJ_KIND_OPTIONAL)
        add_plain(builder, liveobj_word(type, PAYLOAD), offset, label);
    else if (liveobj_metadata_kind(type) == LIVEOBJ_KIND_TUPLE)
        for (size_t i = 0; i < liveobj_word(type, 1); i++)
            add_plain(builder, liveobj_tuple_elements(type)[i].type,
                      offset + (uint32_t)liveobj_tuple_elements(type)[i].offset, label);
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
    if (!liveobj_value_has_references(type))
        return add_plain(builder, type, offset, label);
    if (builder->depth == DEPTH_LIMIT)
        return add_unknown(builder, type, offset, label);
    builder->depth++;
    add_by_kind(builder, type, offset, label);
    builder->depth--;
}

LIVEOBJ_ANY_MEMORY_END

const struct liveobj_layout *liveobj_layout_of_value(uintptr_t type) {
    return layout_within(type, 0);
}

bool liveobj_layout_is_known(uintptr_t type) {
    return liveobj_metadata_table_get(&values, type) != NULL;
}

// MARK: - Instances

enum { HEADER_BYTES = 16 };

/// Adds the part of an instance that belongs to a class without reflection metadata: it is scanned.
static void add_unknown_fields(struct liveobj_layout_builder *builder, uintptr_t metadata) {
    uintptr_t superclass = liveobj_superclass_of(metadata);
    size_t start = superclass ? liveobj_instance_size(superclass) : HEADER_BYTES;
    size_t end = liveobj_instance_size(metadata);
    uint32_t label = liveobj_label_make(LIVEOBJ_LABEL_MEMORY, LIVEOBJ_OWNERSHIP_CONSERVATIVE, "");
    if (start < end)
        liveobj_layout_add_words(builder, start, end - start, label);
}

static void add_class(struct liveobj_layout_builder *builder, uintptr_t metadata) {
    for (uintptr_t level = metadata; level; level = liveobj_superclass_of(level)) {
        struct liveobj_fields fields = liveobj_fields_of(level);
        if (fields.is_known)
            add_properties(builder, &fields, 0, 0);
        else
            add_unknown_fields(builder, level);
    }
}

const struct liveobj_layout *liveobj_layout_of_class(uintptr_t metadata) {
    const struct liveobj_layout *known = liveobj_metadata_table_get(&classes, metadata);
    if (known)
        return known;
    struct liveobj_layout_builder builder = {.is_precise = true};
    add_class(&builder, metadata);
    size_t bytes = liveobj_instance_size(metadata) - HEADER_BYTES;
    return liveobj_metadata_table_put(&classes, metadata, liveobj_layout_finish(&builder, bytes));
}

#endif
