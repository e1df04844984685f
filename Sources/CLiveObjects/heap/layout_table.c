// layout_table.c - see layout_table.h.

#if defined(__linux__)

#include "layout_table.h"
#include "../os.h"

const void *liveobj_layout_table_get(const struct liveobj_layout_table *table, uintptr_t metadata) {
    uint32_t number = liveobj_address_find(&table->numbers, metadata);
    return number && number < table->capacity ? table->items[number] : NULL;
}

static bool make_room(struct liveobj_layout_table *table, uint32_t number) {
    enum { FIRST_CAPACITY = 512 };
    if (number < table->capacity)
        return true;
    size_t capacity = table->capacity ? table->capacity * 2 : FIRST_CAPACITY;
    const void **items = liveobj_os_resize((void *)table->items, table->capacity * sizeof *items,
                                           capacity * sizeof *items);
    if (items) {
        table->items = items;
        table->capacity = capacity;
    }
    return items != NULL;
}

const void *liveobj_layout_table_put(struct liveobj_layout_table *table, uintptr_t metadata,
                                     const void *item) {
    uint32_t number = item ? liveobj_address_number(&table->numbers, metadata) : 0;
    if (!number || !make_room(table, number))
        return NULL;
    return table->items[number] = item;
}

void *liveobj_layout_allocate(size_t bytes) {
    enum { CHUNK_BYTES = 1 << 20 };
    static unsigned char *next;
    static size_t left;
    bytes = (bytes + 15) & ~(size_t)15;
    if (bytes > CHUNK_BYTES)
        return liveobj_os_map(bytes);
    if (bytes > left) {
        next = liveobj_os_map(CHUNK_BYTES);
        left = next ? CHUNK_BYTES : 0;
    }
    if (bytes > left)
        return NULL;
    void *start = next;
    next += bytes;
    left -= bytes;
    return start;
}

#endif
