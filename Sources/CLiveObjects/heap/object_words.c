// object_words.c - see object_words.h. Owns nothing. Outside of hooks.

#if defined(__linux__)

#include "heap/object_words.h"
#include "layout/storage.h"
#include "metadata/metadata.h"
#include "os/compiler.h"
#include "os/step.h"

LIVEOBJ_ANY_MEMORY_BEGIN

// MARK: - Arrays

struct array_header {
    uint64_t count;
    uint64_t double_capacity;
};

/// Elements that are smaller than a reference hold none. A count that is not written yet leads
/// nowhere.
static uintptr_t end_of_elements(const struct liveobj_object *object, uintptr_t metadata,
                                 const struct array_header *header) {
    if (liveobj_storage_stride(metadata, 0) < sizeof(uintptr_t))
        return object->address + liveobj_array_element_offset(metadata, 0);
    if (header->count > header->double_capacity / 2 || header->count > object->bytes)
        return object->address + object->bytes;
    size_t bytes = liveobj_array_element_offset(metadata, header->count);
    return object->address + (bytes < liveobj_array_room(object->bytes) ? bytes : object->bytes);
}

// MARK: - Hash tables

static struct liveobj_buckets buckets_at(uintptr_t first, uint64_t count, size_t stride,
                                         const struct liveobj_object *object) {
    if (!liveobj_buckets_lie_inside(first, count, stride, object))
        stride = 0; // a table that is being made
    return (struct liveobj_buckets){first, first + count * stride, stride};
}

static void find_buckets(struct liveobj_words *words, const struct liveobj_object *object,
                         uintptr_t metadata, struct liveobj_reader *reader) {
    struct liveobj_hash_table table;
    bool has_values = liveobj_storage_kind_of(metadata) == LIVEOBJ_STORAGE_DICTIONARY;
    words->seed = object->address + offsetof(struct liveobj_hash_table, seed);
    if (!liveobj_read(reader, object->address, &table, sizeof table))
        return;
    uint64_t count = liveobj_bucket_count(&table);
    words->bitmap = object->address + liveobj_bitmap_offset(has_values);
    words->keys = buckets_at(table.keys, count, liveobj_storage_stride(metadata, 0), object);
    if (has_values)
        words->values =
            buckets_at(table.values, count, liveobj_storage_stride(metadata, 1), object);
}

static bool lies_in(const struct liveobj_buckets *buckets, uintptr_t address) {
    return address >= buckets->first && address < buckets->end;
}

enum { BITS = 64 };

/// The bits of the buckets from this one on that share a word of the bitmap.
static uint64_t taken_from(struct liveobj_words *words, size_t bucket,
                           struct liveobj_reader *reader) {
    uintptr_t address = words->bitmap + bucket / BITS * sizeof words->bits;
    if (address != words->bitmap_word &&
        !liveobj_read(reader, address, &words->bits, sizeof words->bits))
        return UINT64_MAX;
    words->bitmap_word = address;
    return words->bits >> bucket % BITS;
}

/// The place itself in a bucket that is taken; else the next one that is, or the buckets' end. Free
/// buckets are not read: a table may have reserved more memory than the machine has.
static uintptr_t behind_free_buckets(struct liveobj_words *words,
                                     const struct liveobj_buckets *buckets, uintptr_t address,
                                     struct liveobj_reader *reader) {
    size_t bucket = (address - buckets->first) / buckets->stride;
    uint64_t taken = 0;
    while (lies_in(buckets, address) && !(taken = taken_from(words, bucket, reader))) {
        liveobj_snapshot_advance();
        bucket += BITS - bucket % BITS;
        address = buckets->first + bucket * buckets->stride;
    }
    address += taken ? (size_t)__builtin_ctzll(taken) * buckets->stride : 0;
    return liveobj_round_up(address < buckets->end ? address : buckets->end, sizeof address);
}

/// The next word that may be a reference. The seed of a hash table is none.
static uintptr_t next_address(struct liveobj_words *words, struct liveobj_reader *reader) {
    uintptr_t address = words->next;
    address += address == words->seed ? sizeof address : 0;
    if (lies_in(&words->keys, address))
        address = behind_free_buckets(words, &words->keys, address, reader);
    if (lies_in(&words->values, address))
        address = behind_free_buckets(words, &words->values, address, reader);
    return address;
}

// MARK: - All words

struct liveobj_words liveobj_words_of(const struct liveobj_object *object,
                                      const struct liveobj_type *type,
                                      struct liveobj_reader *reader) {
    enum { HEADER_BYTES = 16 };
    struct array_header header;
    uint64_t capacity_and_flags;
    struct liveobj_words words = {
        .next = object->address + (type->kind == LIVEOBJ_TYPE_RAW_BUFFER ? 0 : HEADER_BYTES),
        .end = object->address + (object->bytes & ~(sizeof(uintptr_t) - 1))};
    if (type->kind != LIVEOBJ_TYPE_CLASS)
        return words;
    switch (liveobj_storage_kind_of(type->metadata)) {
    case LIVEOBJ_STORAGE_TEXT:
        words.end = words.next;
        if (!liveobj_read(reader, words.next, &capacity_and_flags, sizeof capacity_and_flags))
            break;
        uintptr_t address =
            liveobj_text_breadcrumbs(object->address, capacity_and_flags, object->bytes);
        if (address)
            words.end = (words.next = address) + sizeof(uintptr_t);
        break;
    case LIVEOBJ_STORAGE_ARRAY:
        if (liveobj_read(reader, words.next, &header, sizeof header))
            words.end = end_of_elements(object, type->metadata, &header);
        break;
    case LIVEOBJ_STORAGE_DICTIONARY:
    case LIVEOBJ_STORAGE_SET:
        find_buckets(&words, object, type->metadata, reader);
        break;
    case LIVEOBJ_STORAGE_NONE:
        break;
    }
    return words;
}

static bool has_elements(const struct liveobj_object *object, const struct liveobj_type *type) {
    return type->kind == LIVEOBJ_TYPE_CLASS &&
           liveobj_storage_kind_of(type->metadata) == LIVEOBJ_STORAGE_NONE &&
           object->bytes > liveobj_instance_size(type->metadata);
}

bool liveobj_words_are_slack(const struct liveobj_object *object, const struct liveobj_type *type,
                             uintptr_t place) {
    return place - object->address >= object->bytes && has_elements(object, type);
}

struct liveobj_words liveobj_words_with_slack(const struct liveobj_object *object,
                                              const struct liveobj_type *type,
                                              struct liveobj_reader *reader) {
    struct liveobj_words words = liveobj_words_of(object, type, reader);
    if (has_elements(object, type))
        words.end = object->address +
                    (liveobj_array_room(object->bytes) & ~(uint64_t)(sizeof(uintptr_t) - 1));
    return words;
}

bool liveobj_words_next(struct liveobj_words *words, struct liveobj_reader *reader,
                        uintptr_t *word) {
    uintptr_t address = next_address(words, reader);
    words->next = address + sizeof *word;
    return address < words->end && liveobj_read(reader, address, word, sizeof *word);
}

LIVEOBJ_ANY_MEMORY_END

#endif
