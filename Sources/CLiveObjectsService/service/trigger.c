// trigger.c - owns the history of each type's number of objects. On the service thread alone.

#if defined(__linux__)

#include "service/trigger.h"
#include "os/os.h"

enum { LEAST_GROWTH = 100 };

struct history {
    uint64_t base;      // the number that growth is compared with
    uint64_t last;      // the number at the last call
    uint32_t increases; // in a row, up to the last call
    uint32_t call;      // the last call in which the type had objects
};

static struct liveobj_type_table known;
static struct history *histories; // by id in `known`
static uint32_t capacity;
static uint32_t calls;

/// \returns NULL if memory ran out.
static struct history *history_of(const struct liveobj_type *type, uint64_t objects) {
    bool is_new;
    uint32_t id = liveobj_type_table_id(&known, type, &is_new);
    if (!id || !liveobj_os_make_room((void **)&histories, id, &capacity, sizeof *histories))
        return NULL;
    if (is_new)
        histories[id] = (struct history){.base = objects, .last = objects, .call = calls};
    return &histories[id];
}

static void note_count(struct history *history, uint64_t objects) {
    bool is_increase = objects > history->last && history->call == calls - 1;
    history->increases = is_increase ? history->increases + 1 : 0;
    history->last = objects;
    history->call = calls;
}

static bool has_grown(struct liveobj_trigger trigger, const struct history *history) {
    if (history->last < history->base + LEAST_GROWTH)
        return false;
    return (trigger.factor && history->last / trigger.factor >= history->base) ||
           (trigger.intervals && history->increases >= trigger.intervals);
}

static bool update_history(struct liveobj_trigger trigger, const struct liveobj_type *type,
                           uint64_t objects) {
    struct history *history = history_of(type, objects);
    if (!history)
        return false;
    note_count(history, objects);
    if (!has_grown(trigger, history))
        return false;
    history->base = objects;
    history->increases = 0;
    return true;
}

bool liveobj_trigger_update(struct liveobj_trigger trigger, const struct liveobj_type_table *types,
                            const struct liveobj_type_counts *counts) {
    bool has_grown_type = false;
    calls++;
    for (uint32_t id = 1; id < counts->end; id++)
        has_grown_type |= update_history(trigger, &types->types[id], counts->types[id].objects);
    return has_grown_type;
}

#endif
