// address_table.c - owns nothing; see address_table.h.

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
static bool grow(struct liveobj_address_table *table) {
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
    if (number || (table->count >= table->capacity / 2 && !grow(table)))
        return number;
    *slot_of(table, address) = (struct liveobj_numbered_address){address, ++table->count};
    return table->count;
}

void liveobj_address_table_end(struct liveobj_address_table *table) {
    liveobj_os_unmap(table->slots, table->capacity * sizeof *table->slots);
    *table = (struct liveobj_address_table){0};
}

#endif
