// task_memory.c - see task_memory.h. Owns the lists, until the snapshot process ends.

#if defined(__linux__)

#include "metadata/task_memory.h"
#include "metadata/metadata.h"
#include "metadata/task_state.h"
#include "os/compiler.h"
#include "os/os.h"

LIVEOBJ_ANY_MEMORY_BEGIN

struct adding {
    struct liveobj_task_memory *memory;
    uintptr_t object;
    uint32_t depth;
};

static void add_slabs(struct liveobj_task_memory *memory, uintptr_t task) {
    const struct liveobj_task_slab *slab =
        (const struct liveobj_task_slab *)liveobj_word_at(task, LIVEOBJ_TASK_AT_FIRST_SLAB);
    for (uint32_t i = 0; slab && i < LIVEOBJ_TASK_LIST_LIMIT; i++, slab = slab->next)
        liveobj_address_number(&memory->slabs, (uintptr_t)slab);
}

static void widen_span(struct liveobj_task_memory *memory, uintptr_t address) {
    uintptr_t first = memory->span && memory->first < address ? memory->first : address;
    uintptr_t end =
        memory->first + memory->span > address ? memory->first + memory->span : address + 1;
    memory->first = first;
    memory->span = end - first;
}

/// \returns false if the task was added before, or there is no memory.
static bool add_inner(struct liveobj_task_memory *memory, uintptr_t task, uintptr_t object) {
    uint32_t known = memory->inner.count;
    uint32_t number = liveobj_address_number(&memory->inner, task);
    if (number <= known || !liveobj_os_make_room((void **)&memory->objects, known,
                                                 &memory->capacity, sizeof *memory->objects))
        return false;
    memory->objects[known] = object;
    widen_span(memory, task);
    return true;
}

static void add_child(void *context, uintptr_t child, bool is_async_let) {
    enum { MOST_NESTED = 256 };
    struct adding outer = *(const struct adding *)context;
    if (!is_async_let || outer.depth == MOST_NESTED ||
        !add_inner(outer.memory, child, outer.object))
        return;
    struct adding adding = {outer.memory, outer.object, outer.depth + 1};
    add_slabs(outer.memory, child);
    liveobj_task_visit_children(child, add_child, &adding);
}

void liveobj_task_memory_add(struct liveobj_task_memory *memory, uintptr_t task) {
    struct adding adding = {memory, task, 0};
    if (!liveobj_task_is_readable(task))
        return;
    add_slabs(memory, task);
    liveobj_task_visit_children(task, add_child, &adding);
}

uintptr_t liveobj_task_memory_find(const struct liveobj_task_memory *memory, uintptr_t address) {
    uint32_t number = liveobj_task_memory_may_find(memory, address)
                          ? liveobj_address_find(&memory->inner, address)
                          : 0;
    return number ? memory->objects[number - 1] : 0;
}

LIVEOBJ_ANY_MEMORY_END

#endif
