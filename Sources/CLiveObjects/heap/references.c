// references.c - see references.h.
//
// Owns nothing. Values nest in one another (an enum in an existential in an enum …), so the walk of
// one object recurses; `depth` bounds it.

#if defined(__linux__)

#include "references.h"
#include "address_table.h"
#include "layout.h"
#include "layout_table.h"
#include "metadata.h"
#include "storage.h"
#include "tasks.h"

LIVEOBJ_ANY_MEMORY_BEGIN

enum {
    HEADER_BYTES = 16,
    DEPTH_LIMIT = 256,
    SCRATCH_BYTES = 1024, // of an enum's value; larger ones are scanned
    LEAST_ADDRESS = 4096,
};

struct visit {
    liveobj_visit_reference_fn function;
    void *context;
    struct liveobj_reader *reader; // for words that may be metadata
    uint32_t outer;                // the label of the place that the value stands in; 0 for none
    uint32_t element;
    uint32_t depth;
    bool is_precise;
};

// MARK: - Words

/// The object that a word refers to: none in words with the sign bit (immortal objects, small
/// strings); the other spare bits may hold flags.
static uintptr_t object_in(uintptr_t word) {
    uintptr_t address = word & UINT64_C(0x00fffffffffffff8);
    return (intptr_t)word <= 0 || address < LEAST_ADDRESS ? 0 : address;
}

static uint32_t label_in(const struct visit *visit, uint32_t label) {
    return visit->outer ? liveobj_label_join(visit->outer, label) : label;
}

static void tell(struct visit *visit, uintptr_t target, uint32_t label, uintptr_t function) {
    if (target)
        visit->function(visit->context, &(struct liveobj_reference){target, label_in(visit, label),
                                                                    visit->element, function});
}

static void scan(struct visit *visit, uintptr_t start, uintptr_t end, uint32_t label) {
    // An enum's case may use the low and the high bits.
    static const uintptr_t mask = UINT64_C(0x0ffffffffffffff8);
    label = label_in(visit, label);
    start = (start + sizeof(uintptr_t) - 1) & ~(uintptr_t)(sizeof(uintptr_t) - 1);
    for (; start + sizeof(uintptr_t) <= end; start += sizeof(uintptr_t)) {
        uintptr_t word = *(const uintptr_t *)start & mask;
        if (word >= LEAST_ADDRESS && word >> 47 == 0)
            visit->function(visit->context,
                            &(struct liveobj_reference){word, label, visit->element, 0});
    }
}

// MARK: - Values

static void walk(struct visit *visit, const struct liveobj_layout *layout, uintptr_t value);

/// Walks a value that stands where `label` says.
static void walk_inside(struct visit *visit, uint32_t label, uintptr_t type, uintptr_t value) {
    const struct liveobj_layout *layout =
        visit->depth < DEPTH_LIMIT ? liveobj_layout_of_value(type) : NULL;
    if (!layout) {
        visit->is_precise = false;
        return;
    }
    struct visit inside = *visit;
    inside.outer = label_in(visit, label);
    inside.depth++;
    walk(&inside, layout, value);
    visit->is_precise = inside.is_precise;
}

static void walk_unknown(struct visit *visit, const struct liveobj_slot *slot, uintptr_t value) {
    visit->is_precise = false;
    scan(visit, value, value + slot->bytes,
         liveobj_label_with(slot->label, LIVEOBJ_OWNERSHIP_CONSERVATIVE));
}

/// The payload of some enums has other bits than a value of its own type: the runtime takes them
/// out, of a copy.
static void walk_payload(struct visit *visit, const struct liveobj_slot *slot,
                         struct liveobj_enum_case payload, uintptr_t value) {
    _Alignas(16) unsigned char scratch[SCRATCH_BYTES];
    if (slot->bytes > SCRATCH_BYTES)
        return walk_unknown(visit, slot, value);
    memcpy(scratch, (const void *)value, slot->bytes);
    liveobj_witnesses_of(slot->type)->project_enum(scratch, (const void *)slot->type);
    uint32_t label = liveobj_label_join(slot->label, payload.label);
    if (payload.is_indirect)
        tell(visit, object_in(*(const uintptr_t *)scratch), label, 0);
    else
        walk_inside(visit, label, payload.type, (uintptr_t)scratch);
}

static void walk_enum(struct visit *visit, const struct liveobj_slot *slot, uintptr_t value) {
    uint32_t tag =
        liveobj_witnesses_of(slot->type)->enum_tag((const void *)value, (const void *)slot->type);
    struct liveobj_enum_case payload = liveobj_layout_enum_case(slot->type, tag);
    if (!payload.is_known)
        walk_unknown(visit, slot, value);
    else if (payload.type && liveobj_metadata_kind(slot->type) == LIVEOBJ_KIND_OPTIONAL)
        walk_inside(visit, slot->label, payload.type, value);
    else if (payload.type || payload.is_indirect)
        walk_payload(visit, slot, payload, value);
}

/// An opaque existential: three words for the value or its box, then its type.
static void walk_existential(struct visit *visit, const struct liveobj_slot *slot,
                             uintptr_t value) {
    uintptr_t type = liveobj_word(value, 3);
    if (type < LEAST_ADDRESS)
        return; // `nil`
    bool is_readable = liveobj_layout_is_known(type) ||
                       (liveobj_metadata_is_valid(visit->reader, type) &&
                        !liveobj_metadata_is_lost(type, visit->reader));
    if (!is_readable)
        return walk_unknown(visit, slot, value);
    uint32_t flags = liveobj_witnesses_of(type)->flags;
    if (flags & LIVEOBJ_WITNESS_IS_NOT_INLINE)
        tell(visit, object_in(liveobj_word(value, 0)), slot->label, 0);
    else if (flags & LIVEOBJ_WITNESS_IS_NOT_POD ||
             liveobj_metadata_kind(type) == LIVEOBJ_KIND_CLASS)
        walk_inside(visit, slot->label, type, value);
}

static void walk_function(struct visit *visit, const struct liveobj_slot *slot, uintptr_t value) {
    uintptr_t code = liveobj_word(value, 0);
    if (code >= LEAST_ADDRESS) // else `nil`
        tell(visit, object_in(liveobj_word(value, 1)), slot->label, code);
}

/// A block on the heap holds what it captured: a closure as its code and context, or another block.
/// How is known to the block's own functions only, so what it refers to is a guess.
static void walk_block(struct visit *visit, uint32_t label, uintptr_t block, uint32_t depth) {
    enum { DESCRIPTOR = 3, FIRST_CAPTURE = 4, SIZE_LIMIT = 1024, NESTING = 4 };
    uintptr_t class = (uintptr_t)liveobj_recorder_runtime()->_NSConcreteMallocBlock;
    uintptr_t isa = 0;
    if (depth == NESTING || !class ||
        !liveobj_read_checked(visit->reader, block, &isa, sizeof isa) || isa != class)
        return tell(visit, block, label, 0);
    size_t bytes = liveobj_word(liveobj_word(block, DESCRIPTOR), 1);
    for (size_t i = FIRST_CAPTURE; i < bytes / sizeof(uintptr_t) && bytes < SIZE_LIMIT; i++) {
        uintptr_t target = object_in(liveobj_word(block, i));
        if (i == FIRST_CAPTURE + 1)
            tell(visit, target, label, liveobj_word(block, FIRST_CAPTURE));
        else if (target)
            walk_block(visit, label, target, depth + 1);
    }
}

/// A weak reference leads to the object's side table, whose first word is the object.
static void walk_weak(struct visit *visit, const struct liveobj_slot *slot, uintptr_t value) {
    uintptr_t side_table = object_in(liveobj_word(value, 0));
    if (side_table)
        tell(visit, object_in(liveobj_word(side_table, 0)), slot->label, 0);
}

static void walk_slot(struct visit *visit, const struct liveobj_slot *slot, uintptr_t value) {
    switch (slot->kind) {
    case LIVEOBJ_SLOT_REFERENCE:
    case LIVEOBJ_SLOT_BRIDGE:
    case LIVEOBJ_SLOT_UNOWNED:
    case LIVEOBJ_SLOT_UNMANAGED:
        return tell(visit, object_in(liveobj_word(value, 0)), slot->label, 0);
    case LIVEOBJ_SLOT_FUNCTION:
        return walk_function(visit, slot, value);
    case LIVEOBJ_SLOT_BLOCK:
        if (object_in(liveobj_word(value, 0)))
            walk_block(visit, slot->label, object_in(liveobj_word(value, 0)), 0);
        return;
    case LIVEOBJ_SLOT_WEAK:
        return walk_weak(visit, slot, value);
    case LIVEOBJ_SLOT_ENUM:
        return walk_enum(visit, slot, value);
    case LIVEOBJ_SLOT_EXISTENTIAL:
        return walk_existential(visit, slot, value);
    case LIVEOBJ_SLOT_WORDS:
        return scan(visit, value, value + slot->bytes, slot->label);
    }
}

static void walk(struct visit *visit, const struct liveobj_layout *layout, uintptr_t value) {
    visit->is_precise &= layout->is_precise;
    for (uint32_t i = 0; i < layout->count; i++)
        walk_slot(visit, &layout->slots[i], value + layout->slots[i].offset);
}

// MARK: - Storage

static uint32_t strong_label(enum liveobj_label_kind kind) {
    return liveobj_label_make(kind, LIVEOBJ_OWNERSHIP_STRONG, "");
}

/// Elements of an array's storage. Storage that was being made when the copy was taken has a count
/// that nobody wrote yet: nothing is read beyond its end, where other objects lie.
static uintptr_t element_count(const struct liveobj_storage *storage,
                               const struct liveobj_object *object) {
    enum { COUNT = 2, DOUBLE_CAPACITY = 3 };
    uintptr_t count = liveobj_word(object->address, COUNT);
    uintptr_t capacity = liveobj_word(object->address, DOUBLE_CAPACITY) / 2;
    uintptr_t bytes = liveobj_array_room(object->bytes) - storage->first_element;
    uintptr_t room = bytes / storage->element_stride;
    return count <= capacity && count <= room ? count : 0;
}

static void walk_elements(struct visit *visit, const struct liveobj_storage *storage,
                          const struct liveobj_object *object) {
    uintptr_t value = object->address + storage->first_element;
    uintptr_t count = storage->elements ? element_count(storage, object) : 0;
    visit->outer = strong_label(LIVEOBJ_LABEL_ELEMENT);
    for (uintptr_t i = 0; i < count; i++, value += storage->element_stride) {
        visit->element = (uint32_t)i;
        walk(visit, storage->elements, value);
    }
}

struct buckets {
    const struct liveobj_layout *layout; // NULL if they hold nothing
    uintptr_t first;
    size_t stride;
    uint32_t label;
};

static void walk_buckets(struct visit *visit, const struct buckets *buckets,
                         const uintptr_t *occupied, size_t count) {
    enum { BITS = 64 };
    visit->outer = buckets->label;
    for (size_t bucket = 0; buckets->layout && bucket < count; bucket++)
        if (occupied[bucket / BITS] >> bucket % BITS & 1) {
            visit->element = (uint32_t)bucket;
            walk(visit, buckets->layout, buckets->first + bucket * buckets->stride);
        }
}

static void walk_hash_table(struct visit *visit, const struct liveobj_storage *storage,
                            const struct liveobj_object *object) {
    bool is_set = storage->kind == LIVEOBJ_STORAGE_SET;
    const struct liveobj_hash_table *table = (const void *)object->address;
    uint64_t count = liveobj_bucket_count(table);
    struct buckets keys = {storage->elements, table->keys, storage->element_stride,
                           strong_label(is_set ? LIVEOBJ_LABEL_MEMBER : LIVEOBJ_LABEL_KEY)};
    struct buckets values = {.stride = 0};
    if (!is_set)
        values = (struct buckets){storage->values, table->values, storage->value_stride,
                                  strong_label(LIVEOBJ_LABEL_VALUE)};
    if (!liveobj_buckets_lie_inside(keys.first, count, keys.stride, object) ||
        !liveobj_buckets_lie_inside(values.first, count, values.stride, object))
        return;
    const uintptr_t *occupied =
        (const uintptr_t *)(object->address + liveobj_bitmap_offset(!is_set));
    walk_buckets(visit, &keys, occupied, count);
    walk_buckets(visit, &values, occupied, count);
}

/// Memory after the stored properties: of a ManagedBuffer, or of C code that has a class's shape.
static void scan_tail(struct visit *visit, const struct liveobj_object *object,
                      uintptr_t metadata) {
    uintptr_t start = object->address + liveobj_instance_size(metadata);
    uintptr_t end = object->address + object->bytes;
    if (start + sizeof(uintptr_t) <= end)
        scan(visit, start, end,
             liveobj_label_make(LIVEOBJ_LABEL_MEMORY, LIVEOBJ_OWNERSHIP_CONSERVATIVE, ""));
}

static void walk_instance(struct visit *visit, const struct liveobj_object *object,
                          uintptr_t metadata) {
    const struct liveobj_layout *layout = liveobj_layout_of_class(metadata);
    const struct liveobj_storage *storage = liveobj_storage_of(metadata);
    visit->is_precise = layout && storage;
    if (!visit->is_precise)
        return;
    walk(visit, layout, object->address);
    switch (storage->kind) {
    case LIVEOBJ_STORAGE_NONE:
        return scan_tail(visit, object, metadata);
    case LIVEOBJ_STORAGE_ARRAY:
        return walk_elements(visit, storage, object);
    case LIVEOBJ_STORAGE_DICTIONARY:
    case LIVEOBJ_STORAGE_SET:
        return walk_hash_table(visit, storage, object);
    case LIVEOBJ_STORAGE_TEXT:
        return;
    }
}

// MARK: - Contexts and boxes

static void walk_memory(struct visit *visit, const struct liveobj_object *object, size_t header) {
    scan(visit, object->address + header, object->address + object->bytes,
         liveobj_label_make(LIVEOBJ_LABEL_MEMORY, LIVEOBJ_OWNERSHIP_CONSERVATIVE, ""));
}

static void walk_context(struct visit *visit, const struct liveobj_object *object,
                         uintptr_t metadata) {
    const struct liveobj_layout *layout =
        liveobj_layout_of_context(metadata, object->address, object->bytes);
    visit->is_precise = layout != NULL;
    if (layout)
        walk(visit, layout, object->address);
    else
        walk_memory(visit, object, HEADER_BYTES);
}

static void walk_generic_box(struct visit *visit, const struct liveobj_object *object,
                             const struct liveobj_type *type) {
    enum { AT_VALUE_OFFSET = 8 };
    walk_inside(visit, strong_label(LIVEOBJ_LABEL_CONTENT), type->subject,
                object->address + liveobj_half_word(type->metadata, AT_VALUE_OFFSET));
}

/// Header, type, witness table, value.
static void walk_error(struct visit *visit, const struct liveobj_object *object,
                       const struct liveobj_type *type) {
    enum { AT_VALUE = 32 };
    if (!type->subject)
        return walk_memory(visit, object, HEADER_BYTES);
    walk_inside(visit, strong_label(LIVEOBJ_LABEL_CONTENT), type->subject,
                object->address + liveobj_value_offset(type->subject, AT_VALUE));
}

// MARK: - Any object

/// The runtime keeps the counts of an object with weak references in memory that looks like a raw
/// buffer, and refers to the object without holding it.
static bool is_side_table(const struct liveobj_object *buffer) {
    enum { LEAST_BYTES = 32, COUNTS = 1, SHIFT = 3 };
    struct liveobj_object object;
    uintptr_t address = buffer->bytes < LEAST_BYTES ? 0 : liveobj_word(buffer->address, 0);
    return address && address % sizeof(uintptr_t) == 0 && liveobj_records_find(address, &object) &&
           liveobj_word(address, COUNTS) << SHIFT == buffer->address;
}

static struct visit start_visit(liveobj_visit_reference_fn function, void *context) {
    return (struct visit){.function = function,
                          .context = context,
                          .reader = liveobj_metadata_reader(),
                          .element = LIVEOBJ_NO_ELEMENT,
                          .is_precise = true};
}

bool liveobj_references_visit_value(uintptr_t value, uintptr_t type, uint32_t label,
                                    liveobj_visit_reference_fn function, void *context) {
    struct visit visit = start_visit(function, context);
    walk_inside(&visit, label, type, value);
    return visit.is_precise;
}

bool liveobj_references_visit(const struct liveobj_object *object, const struct liveobj_type *type,
                              liveobj_visit_reference_fn function, void *context) {
    struct visit visit = start_visit(function, context);
    switch (type->kind) {
    case LIVEOBJ_TYPE_CLASS:
        walk_instance(&visit, object, type->metadata);
        break;
    case LIVEOBJ_TYPE_CLOSURE_CONTEXT_OR_BOX:
        walk_context(&visit, object, type->metadata);
        break;
    case LIVEOBJ_TYPE_GENERIC_BOX:
        walk_generic_box(&visit, object, type);
        break;
    case LIVEOBJ_TYPE_ERROR_BOX:
        walk_error(&visit, object, type);
        break;
    case LIVEOBJ_TYPE_RAW_BUFFER:
        if (!is_side_table(object))
            walk_memory(&visit, object, 0);
        break;
    case LIVEOBJ_TYPE_TASK:
        liveobj_task_visit(object, function, context);
        break;
    case LIVEOBJ_TYPE_OTHER:
    case LIVEOBJ_TYPE_UNLOADED:
        walk_memory(&visit, object, HEADER_BYTES);
        break;
    }
    return visit.is_precise;
}

void liveobj_references_scan(uintptr_t start, uintptr_t end, uint32_t label,
                             liveobj_visit_reference_fn function, void *context) {
    struct visit visit = {function, context, NULL, 0, LIVEOBJ_NO_ELEMENT, 0, false};
    scan(&visit, start, end, label);
}

// MARK: - Ahead of time

/// Enums are walked by layouts of their own.
static void prepare_slots(const struct liveobj_layout *layout);

static void prepare_value(uintptr_t type) {
    const struct liveobj_layout *layout = type ? liveobj_layout_of_value(type) : NULL;
    prepare_slots(layout);
}

/// Once for each enum: cases that share a payload would double the work with every level that they
/// nest. Non-indirect payloads cannot contain the enum itself, so this ends.
static void prepare_enum(uintptr_t type) {
    static struct liveobj_layout_table prepared;
    if (!type || liveobj_layout_table_get(&prepared, type) ||
        !liveobj_layout_table_put(&prepared, type, &prepared))
        return;
    uint32_t cases = liveobj_layout_enum_case_count(type);
    for (uint32_t tag = 0; tag < cases; tag++)
        prepare_value(liveobj_layout_enum_case(type, tag).type);
}

static void prepare_slots(const struct liveobj_layout *layout) {
    for (uint32_t i = 0; layout && i < layout->count; i++)
        prepare_enum(layout->slots[i].type);
}

static void prepare_class(uintptr_t metadata) {
    const struct liveobj_storage *storage = liveobj_storage_of(metadata);
    prepare_slots(liveobj_layout_of_class(metadata));
    if (storage) {
        prepare_slots(storage->elements);
        prepare_slots(storage->values);
    }
}

void liveobj_references_prepare(const struct liveobj_type *type) {
    switch (type->kind) {
    case LIVEOBJ_TYPE_CLASS:
        return prepare_class(type->metadata);
    case LIVEOBJ_TYPE_CLOSURE_CONTEXT_OR_BOX:
        return prepare_slots(liveobj_layout_of_context(type->metadata, 0, 0));
    case LIVEOBJ_TYPE_GENERIC_BOX:
    case LIVEOBJ_TYPE_ERROR_BOX:
        return prepare_value(type->subject);
    default:
        return; // its memory is scanned
    }
}

LIVEOBJ_ANY_MEMORY_END

#endif
