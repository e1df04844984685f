// address_table.c - tables by address; owns the items of metadata tables, and their memory.

#if defined(__linux__)

#include "metadata/address_table.h"
#include "os/os.h"

struct liveobj_numbered_address {
    uintptr_t address; // 0: free
    uint32_t number;
};

static struct liveobj_numbered_address *slot_of(const struct liveobj_address_table *table,
                                                uintptr_t address) {
    uint64_t hash = address * UINT64_C(0x9e3779b97f4a7c15);
    uint32_t slot = (uint32_t)(hash >> 32) & (table->capacity - 1);
    while (table->slots[slot].address && table->slots[slot].address != address)
        slot = (slot + 1) & (table->capacity - 1);
    return &table->slots[slot];
}

/// Doubles the table, so that half of the slots stay free.
static bool grow_table(struct liveobj_address_table *table) {
    enum { FIRST_CAPACITY = 1024 };
    struct liveobj_address_table larger = {
        .count = table->count, .capacity = table->capacity ? table->capacity * 2 : FIRST_CAPACITY};
    larger.slots = liveobj_os_map(larger.capacity * sizeof *larger.slots);
    if (!larger.slots)
        return false;
    for (uint32_t i = 0; i < table->capacity; i++)
        if (table->slots[i].address)
            *slot_of(&larger, table->slots[i].address) = table->slots[i];
    liveobj_address_table_end(table);
    *table = larger;
    return true;
}

uint32_t liveobj_address_find(const struct liveobj_address_table *table, uintptr_t address) {
    return table->capacity ? slot_of(table, address)->number : 0;
}

uint32_t liveobj_address_number(struct liveobj_address_table *table, uintptr_t address) {
    uint32_t number = liveobj_address_find(table, address);
    if (number || (table->count >= table->capacity / 2 && !grow_table(table)))
        return number;
    *slot_of(table, address) = (struct liveobj_numbered_address){address, ++table->count};
    return table->count;
}

void liveobj_address_table_end(struct liveobj_address_table *table) {
    liveobj_os_unmap(table->slots, table->capacity * sizeof *table->slots);
    *table = (struct liveobj_address_table){0};
}

// MARK: - Metadata

const void *liveobj_metadata_table_get(const struct liveobj_metadata_table *table,
                                       uintptr_t metadata) {
    uint32_t number = liveobj_address_find(&table->numbers, metadata);
    return number && number < table->capacity ? table->items[number] : NULL;
}

const void *liveobj_metadata_table_put(struct liveobj_metadata_table *table, uintptr_t metadata,
                                       const void *item) {
    uint32_t number = item ? liveobj_address_number(&table->numbers, metadata) : 0;
    if (!number || !liveobj_os_make_room((void **)&table->items, number, &table->capacity,
                                         sizeof *table->items))
        return NULL;
    return table->items[number] = item;
}

// MARK: - Memory

void *liveobj_metadata_table_allocate(size_t bytes) {
    enum { CHUNK_BYTES = 1 << 20 };
    static struct {
        unsigned char *next; // free memory of the last chunk
        size_t left;
    } memory;
    bytes = (bytes + 15) & ~(size_t)15;
    if (bytes > memory.left) {
        size_t chunk_bytes = bytes < CHUNK_BYTES ? CHUNK_BYTES : bytes;
        memory.next = liveobj_os_map(chunk_bytes);
        memory.left = memory.next ? chunk_bytes : 0;
    }
    if (bytes > memory.left)
        return NULL;
    void *start = memory.next;
    memory.next += bytes;
    memory.left -= bytes;
    return start;
}

#endif
