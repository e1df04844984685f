// storage.c - see storage.h.

#if defined(__linux__)

#include "layout/storage.h"
#include "metadata/address_table.h"
#include "metadata/metadata.h"
#include "os/compiler.h"

#include <string.h>

LIVEOBJ_ANY_MEMORY_BEGIN

enum liveobj_storage_kind liveobj_storage_kind_of(uintptr_t metadata) {
    static const struct {
        const char *name;
        enum liveobj_storage_kind kind;
    } known[] = {
        {"_ContiguousArrayStorage", LIVEOBJ_STORAGE_ARRAY},
        {"_DictionaryStorage", LIVEOBJ_STORAGE_DICTIONARY},
        {"_SetStorage", LIVEOBJ_STORAGE_SET},
        {"__StringStorage", LIVEOBJ_STORAGE_TEXT},
    };
    uintptr_t descriptor = liveobj_descriptor_of(metadata);
    // Most classes differ in the first character: no comparison of the module's name for them.
    if (!descriptor || *liveobj_descriptor_name(descriptor) != '_')
        return LIVEOBJ_STORAGE_NONE;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (liveobj_descriptor_is(descriptor, "Swift", known[i].name))
            return known[i].kind;
    return LIVEOBJ_STORAGE_NONE;
}

size_t liveobj_storage_stride(uintptr_t metadata, size_t argument) {
    uintptr_t type = liveobj_word(liveobj_generic_arguments(metadata), argument);
    return liveobj_witnesses_of(type)->stride;
}

size_t liveobj_array_element_offset(uintptr_t metadata, size_t index) {
    enum { ARRAY_HEADER = 32 };
    uintptr_t element = liveobj_word(liveobj_generic_arguments(metadata), 0);
    return liveobj_value_offset(element, ARRAY_HEADER) +
           index * liveobj_storage_stride(metadata, 0);
}

static void find_elements(struct liveobj_storage *storage, uintptr_t metadata) {
    uintptr_t arguments = liveobj_generic_arguments(metadata);
    uintptr_t element = liveobj_word(arguments, 0);
    storage->elements = liveobj_layout_of_value(element);
    storage->element_stride = liveobj_storage_stride(metadata, 0);
    storage->first_element = liveobj_array_element_offset(metadata, 0);
    if (storage->kind == LIVEOBJ_STORAGE_DICTIONARY) {
        storage->values = liveobj_layout_of_value(liveobj_word(arguments, 1));
        storage->value_stride = liveobj_storage_stride(metadata, 1);
    }
}

/// The offset of the number of bytes in the storage of Foundation's `Data`; 0 for other classes.
static size_t data_length(uintptr_t metadata) {
    uintptr_t descriptor = liveobj_descriptor_of(metadata);
    if (!descriptor || *liveobj_descriptor_name(descriptor) != '_' ||
        !(liveobj_descriptor_is(descriptor, "FoundationEssentials", "__DataStorage") ||
          liveobj_descriptor_is(descriptor, "Foundation", "__DataStorage")))
        return 0;
    struct liveobj_fields fields = liveobj_fields_of(metadata);
    for (uint32_t i = 0; fields.is_known && i < fields.count; i++)
        if (strcmp(liveobj_field_at(&fields, i).name, "_length") == 0)
            return liveobj_field_offset(&fields, i);
    return 0;
}

static bool is_managed_buffer(uintptr_t metadata) {
    for (; metadata; metadata = liveobj_superclass_of(metadata))
        if (liveobj_descriptor_is(liveobj_descriptor_of(metadata), "Swift", "ManagedBuffer"))
            return true;
    return false;
}

static bool is_dispatch_object(uintptr_t metadata) {
    static const char *const names[] = {"DispatchQueue", "DispatchSource", "DispatchGroup",
                                        "DispatchIO"};
    uintptr_t descriptor = liveobj_descriptor_of(metadata);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (liveobj_descriptor_is(descriptor, "Dispatch", names[i]))
            return true;
    return false;
}

const struct liveobj_storage *liveobj_storage_of(uintptr_t metadata) {
    static struct liveobj_metadata_table table;
    const struct liveobj_storage *known = liveobj_metadata_table_get(&table, metadata);
    struct liveobj_storage *storage =
        known ? NULL : liveobj_metadata_table_allocate(sizeof *storage);
    if (!storage)
        return known;
    *storage = (struct liveobj_storage){.kind = liveobj_storage_kind_of(metadata),
                                        .data_length = data_length(metadata),
                                        .is_managed_buffer = is_managed_buffer(metadata),
                                        .is_dispatch_object = is_dispatch_object(metadata)};
    if (storage->kind != LIVEOBJ_STORAGE_NONE && storage->kind != LIVEOBJ_STORAGE_TEXT)
        find_elements(storage, metadata);
    return liveobj_metadata_table_put(&table, metadata, storage);
}

LIVEOBJ_ANY_MEMORY_END

#endif
