// references.c - see references.h. Owns nothing.

#if defined(__linux__)

#include "heap/references.h"
#include "layout/storage.h"
#include "metadata/address_table.h"
#include "metadata/labels.h"
#include "metadata/metadata.h"
#include "os/compiler.h"
#include "os/step.h"

#include <malloc.h>
#include <string.h>

LIVEOBJ_ANY_MEMORY_BEGIN

enum { HEADER_BYTES = 16 };

// MARK: - Storage

/// The number of elements in an array's storage. In storage that was being allocated at the time of
/// the snapshot the count is not written yet. So nothing is read beyond the storage's end, where
/// other objects lie.
static uint64_t array_count(const struct liveobj_storage *storage,
                            const struct liveobj_object *object) {
    enum { COUNT = 2, DOUBLE_CAPACITY = 3 };
    uintptr_t count = liveobj_word(object->address, COUNT);
    uintptr_t capacity = liveobj_word(object->address, DOUBLE_CAPACITY) / 2;
    uintptr_t bytes = liveobj_array_room(object->bytes) - storage->first_element;
    bool fits = storage->element_stride > 0 && count <= bytes / storage->element_stride;
    return fits && count <= capacity ? count : LIVEOBJ_NO_ELEMENTS;
}

static bool layout_has_references(const struct liveobj_layout *layout) {
    return layout && layout->has_references;
}

struct element_visit {
    liveobj_visit_reference_fn function;
    void *context;
    bool has_references; // the last element that was walked
};

static void visit_of_element(void *context, const struct liveobj_reference *reference) {
    struct element_visit *element = context;
    element->has_references = true;
    element->function(element->context, reference);
}

/// Skips an element that is equal to the one before it and has no references, as in an array of a
/// million `nil`.
static void walk_elements(struct liveobj_visit *visit, const struct liveobj_storage *storage,
                          const struct liveobj_object *object) {
    size_t stride = storage->element_stride;
    uintptr_t value = object->address + storage->first_element;
    visit->elements = array_count(storage, object);
    if (!layout_has_references(storage->elements) || visit->elements == LIVEOBJ_NO_ELEMENTS)
        return;
    struct element_visit element = {visit->function, visit->context, true};
    struct liveobj_visit inside = *visit;
    inside.function = visit_of_element;
    inside.context = &element;
    inside.outer = liveobj_label_strong(LIVEOBJ_LABEL_ELEMENT);
    for (uint64_t i = 0; i < visit->elements; i++, value += stride) {
        liveobj_snapshot_advance();
        if (!element.has_references && !memcmp((void *)value, (void *)(value - stride), stride))
            continue;
        inside.element = (uint32_t)i;
        element.has_references = false;
        liveobj_visit_layout(&inside, storage->elements, value);
    }
    visit->is_precise = inside.is_precise;
}

struct buckets {
    const struct liveobj_layout *layout;
    uintptr_t first;
    size_t stride;
    uint32_t label;
};

static void walk_bucket(struct liveobj_visit *visit, const struct buckets *buckets, size_t bucket) {
    visit->element = (uint32_t)bucket;
    liveobj_visit_layout(visit, buckets->layout, buckets->first + bucket * buckets->stride);
}

/// The bits behind the last bucket's are set.
static void walk_buckets(struct liveobj_visit *visit, const struct buckets *buckets,
                         const uint64_t *occupied, size_t count) {
    enum { BITS = 64 };
    visit->outer = buckets->label;
    for (size_t first = 0; layout_has_references(buckets->layout) && first < count; first += BITS) {
        liveobj_snapshot_advance();
        for (uint64_t bits = occupied[first / BITS]; bits; bits &= bits - 1) {
            size_t bucket = first + (size_t)__builtin_ctzll(bits);
            if (bucket < count)
                walk_bucket(visit, buckets, bucket);
        }
    }
}

static void walk_hash_table(struct liveobj_visit *visit, const struct liveobj_storage *storage,
                            const struct liveobj_object *object) {
    bool is_set = storage->kind == LIVEOBJ_STORAGE_SET;
    const struct liveobj_hash_table *table = (const void *)object->address;
    uint64_t count = liveobj_bucket_count(table);
    struct buckets keys = {storage->elements, table->keys, storage->element_stride,
                           liveobj_label_strong(is_set ? LIVEOBJ_LABEL_MEMBER : LIVEOBJ_LABEL_KEY)};
    struct buckets values = {.stride = 0};
    if (!is_set)
        values = (struct buckets){storage->values, table->values, storage->value_stride,
                                  liveobj_label_strong(LIVEOBJ_LABEL_VALUE)};
    if (!liveobj_buckets_lie_inside(keys.first, count, keys.stride, object) ||
        !liveobj_buckets_lie_inside(values.first, count, values.stride, object))
        return;
    visit->elements = table->count <= count ? table->count : LIVEOBJ_NO_ELEMENTS;
    const uint64_t *occupied = (const uint64_t *)(object->address + liveobj_bitmap_offset(!is_set));
    walk_buckets(visit, &keys, occupied, count);
    walk_buckets(visit, &values, occupied, count);
}

/// The bytes of an object with elements, or of a ManagedBuffer. Like an array, a ManagedBuffer uses
/// all that the allocator returned. In the snapshot process only, where no thread frees the object.
static size_t bytes_with_tail(const struct liveobj_object *object) {
    size_t usable = malloc_usable_size((void *)object->address);
    return usable > object->bytes && usable <= liveobj_array_room(object->bytes) ? usable
                                                                                 : object->bytes;
}

/// Scans memory after the stored properties: of a ManagedBuffer, of a class with elements for a
/// ManagedBufferPointer, or of C code's objects with the layout of a class.
static void scan_tail(struct liveobj_visit *visit, const struct liveobj_storage *storage,
                      const struct liveobj_object *object, size_t instance_bytes) {
    bool has_tail = storage->is_managed_buffer || object->bytes > instance_bytes;
    uintptr_t start = object->address + instance_bytes;
    uintptr_t end = object->address + (has_tail ? bytes_with_tail(object) : object->bytes);
    if (start + sizeof(uintptr_t) <= end)
        liveobj_visit_scan(
            visit, start, end,
            liveobj_label_make(LIVEOBJ_LABEL_MEMORY, LIVEOBJ_OWNERSHIP_CONSERVATIVE, ""));
}

static void walk_text(struct liveobj_visit *visit, const struct liveobj_object *object) {
    enum { CAPACITY_AND_FLAGS = 2 };
    uintptr_t place = liveobj_text_breadcrumbs(
        object->address, liveobj_word(object->address, CAPACITY_AND_FLAGS), object->bytes);
    if (place)
        visit->function(
            visit->context,
            &(struct liveobj_reference){liveobj_word(place, 0),
                                        liveobj_label_make(LIVEOBJ_LABEL_OBJECT_PROPERTY,
                                                           LIVEOBJ_OWNERSHIP_STRONG, "breadcrumbs"),
                                        visit->element, 0, 0});
}

static void walk_instance(struct liveobj_visit *visit, const struct liveobj_object *object,
                          uintptr_t metadata) {
    const struct liveobj_layout *layout = liveobj_layout_of_class(metadata);
    const struct liveobj_storage *storage = liveobj_storage_of(metadata);
    visit->is_precise = layout && storage;
    if (!visit->is_precise)
        return;
    liveobj_visit_layout(visit, layout, object->address);
    if (storage->is_dispatch_object)
        liveobj_dispatch_visit_owned(liveobj_word(object->address, 2), visit->function,
                                     visit->context);
    switch (storage->kind) {
    case LIVEOBJ_STORAGE_NONE:
        if (storage->data_length)
            visit->elements = liveobj_word(object->address + storage->data_length, 0);
        return scan_tail(visit, storage, object, liveobj_instance_size(metadata));
    case LIVEOBJ_STORAGE_ARRAY:
        return walk_elements(visit, storage, object);
    case LIVEOBJ_STORAGE_DICTIONARY:
    case LIVEOBJ_STORAGE_SET:
        return walk_hash_table(visit, storage, object);
    case LIVEOBJ_STORAGE_TEXT:
        return walk_text(visit, object);
    }
}

// MARK: - Contexts and boxes

static void walk_memory(struct liveobj_visit *visit, const struct liveobj_object *object,
                        size_t header) {
    liveobj_visit_scan(
        visit, object->address + header, object->address + object->bytes,
        liveobj_label_make(LIVEOBJ_LABEL_MEMORY, LIVEOBJ_OWNERSHIP_CONSERVATIVE, ""));
}

static void walk_context(struct liveobj_visit *visit, const struct liveobj_object *object,
                         uintptr_t metadata) {
    const struct liveobj_layout *layout =
        liveobj_layout_of_context(metadata, object->address, object->bytes);
    visit->is_precise = layout != NULL;
    if (layout)
        liveobj_visit_layout(visit, layout, object->address);
    else
        walk_memory(visit, object, HEADER_BYTES);
}

static void walk_generic_box(struct liveobj_visit *visit, const struct liveobj_object *object,
                             const struct liveobj_type *type) {
    enum { AT_VALUE_OFFSET = 8 };
    liveobj_visit_inside(visit, liveobj_label_strong(LIVEOBJ_LABEL_CONTENT), type->subject,
                         object->address + liveobj_half_word(type->metadata, AT_VALUE_OFFSET));
}

/// An error box: header, type, witness table, value.
static void walk_error(struct liveobj_visit *visit, const struct liveobj_object *object,
                       const struct liveobj_type *type) {
    enum { AT_VALUE = 32 };
    if (!type->subject)
        return walk_memory(visit, object, HEADER_BYTES);
    liveobj_visit_inside(visit, liveobj_label_strong(LIVEOBJ_LABEL_CONTENT), type->subject,
                         object->address + liveobj_value_offset(type->subject, AT_VALUE));
}

// MARK: - Any object

uintptr_t liveobj_side_table_object(uintptr_t side_table) {
    enum { COUNTS = 1, SHIFT = 3 };
    struct liveobj_object object;
    uintptr_t address = liveobj_word(side_table, 0);
    bool is_object = address && address % sizeof(uintptr_t) == 0 &&
                     liveobj_records_find(address, &object) &&
                     liveobj_word(address, COUNTS) << SHIFT == side_table;
    return is_object ? address : 0;
}

/// Whether a raw buffer is a side table, which refers to its object without retaining it.
static bool is_side_table(const struct liveobj_object *buffer) {
    enum { LEAST_BYTES = 32 };
    return buffer->bytes >= LEAST_BYTES && liveobj_side_table_object(buffer->address);
}

struct liveobj_object_contents liveobj_references_visit(const struct liveobj_object *object,
                                                        const struct liveobj_type *type,
                                                        liveobj_visit_reference_fn function,
                                                        void *context) {
    struct liveobj_visit visit = liveobj_visit_start(function, context);
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
        walk_memory(&visit, object, HEADER_BYTES);
        break;
    }
    return (struct liveobj_object_contents){visit.is_precise, visit.elements};
}

// MARK: - Words that are no references

static bool layout_may_have_pointers(const struct liveobj_layout *layout) {
    return !layout || layout->may_have_pointers;
}

static bool class_may_have_pointers(uintptr_t metadata) {
    const struct liveobj_storage *storage = liveobj_storage_of(metadata);
    switch (storage ? storage->kind : LIVEOBJ_STORAGE_NONE) {
    case LIVEOBJ_STORAGE_TEXT:
        return false;
    case LIVEOBJ_STORAGE_ARRAY:
    case LIVEOBJ_STORAGE_SET:
        return layout_may_have_pointers(storage->elements);
    case LIVEOBJ_STORAGE_DICTIONARY:
        return layout_may_have_pointers(storage->elements) ||
               layout_may_have_pointers(storage->values);
    case LIVEOBJ_STORAGE_NONE:
        return layout_may_have_pointers(liveobj_layout_of_class(metadata));
    }
    return true;
}

bool liveobj_references_may_have_pointers(const struct liveobj_object *object,
                                          const struct liveobj_type *type) {
    switch (type->kind) {
    case LIVEOBJ_TYPE_CLASS:
        return class_may_have_pointers(type->metadata);
    case LIVEOBJ_TYPE_CLOSURE_CONTEXT_OR_BOX:
        return layout_may_have_pointers(
            liveobj_layout_of_context(type->metadata, object->address, object->bytes));
    case LIVEOBJ_TYPE_GENERIC_BOX:
    case LIVEOBJ_TYPE_ERROR_BOX:
        return true;
    default:
        return false;
    }
}

static const struct liveobj_slot *slot_at(const struct liveobj_layout *layout, size_t offset) {
    for (uint32_t i = 0; layout && i < layout->count; i++) {
        const struct liveobj_slot *slot = &layout->slots[i];
        if (offset - slot->offset < slot->bytes)
            return slot;
    }
    return NULL;
}

/// The same in a value of an array or a hash table.
/// \param offset From the first value.
static const struct liveobj_slot *slot_in(const struct liveobj_layout *layout, size_t stride,
                                          uintptr_t offset) {
    return stride ? slot_at(layout, offset % stride) : NULL;
}

static const struct liveobj_slot *slot_in_instance(const struct liveobj_object *object,
                                                   uintptr_t metadata, uintptr_t place) {
    const struct liveobj_storage *storage = liveobj_storage_of(metadata);
    const struct liveobj_hash_table *table = (const void *)object->address;
    uintptr_t offset = place - object->address;
    switch (storage ? storage->kind : LIVEOBJ_STORAGE_NONE) {
    case LIVEOBJ_STORAGE_ARRAY:
        return offset < storage->first_element ? NULL
                                               : slot_in(storage->elements, storage->element_stride,
                                                         offset - storage->first_element);
    case LIVEOBJ_STORAGE_DICTIONARY:
    case LIVEOBJ_STORAGE_SET:
        if (storage->values && table->values >= table->keys && place >= table->values)
            return slot_in(storage->values, storage->value_stride, place - table->values);
        return place < table->keys
                   ? NULL
                   : slot_in(storage->elements, storage->element_stride, place - table->keys);
    default:
        return slot_at(liveobj_layout_of_class(metadata), offset);
    }
}

const struct liveobj_slot *liveobj_references_slot_at(const struct liveobj_object *object,
                                                      const struct liveobj_type *type,
                                                      uintptr_t place) {
    enum { AT_VALUE_OFFSET = 8 };
    uintptr_t offset = place - object->address;
    switch (type->kind) {
    case LIVEOBJ_TYPE_CLASS:
        return slot_in_instance(object, type->metadata, place);
    case LIVEOBJ_TYPE_CLOSURE_CONTEXT_OR_BOX:
        return slot_at(liveobj_layout_of_context(type->metadata, object->address, object->bytes),
                       offset);
    case LIVEOBJ_TYPE_GENERIC_BOX:
        return slot_at(liveobj_layout_of_value(type->subject),
                       offset - liveobj_half_word(type->metadata, AT_VALUE_OFFSET));
    default:
        return NULL;
    }
}

bool liveobj_references_is_pointer(const struct liveobj_object *object,
                                   const struct liveobj_type *type, uintptr_t place) {
    const struct liveobj_slot *slot = liveobj_references_slot_at(object, type, place);
    if (slot)
        return slot->kind == LIVEOBJ_SLOT_POINTER || slot->kind == LIVEOBJ_SLOT_UNMANAGED;
    return type->kind == LIVEOBJ_TYPE_CLASS &&
           liveobj_storage_kind_of(type->metadata) == LIVEOBJ_STORAGE_NONE;
}

// MARK: - Ahead of time

/// Prepares the enums in a layout, which are walked by separate layouts.
static void prepare_slots(const struct liveobj_layout *layout);

static void prepare_value(uintptr_t type) {
    const struct liveobj_layout *layout = type ? liveobj_layout_of_value(type) : NULL;
    prepare_slots(layout);
}

/// Prepares each enum once: otherwise cases that share a payload would double the work with every
/// level of nesting. Non-indirect payloads cannot contain the enum itself, so the recursion ends.
static void prepare_enum(uintptr_t type) {
    static struct liveobj_metadata_table prepared;
    if (!type || liveobj_metadata_table_get(&prepared, type) ||
        !liveobj_metadata_table_put(&prepared, type, &prepared))
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
