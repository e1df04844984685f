// walk_tasks.c - writes the state of each task, and whether anything could still resume it.
//
// A continuation holds a task's address as a trivial value, which is not among the references. So
// if a task waits for a continuation, all objects are searched for its address. C memory is not
// searched: libdispatch keeps the addresses of tasks that have completed.

#if defined(__linux__)

#include "metadata/task_state.h"
#include "os/compiler.h"
#include "os/os.h"
#include "os/snapshot_process.h"
#include "snapshot/walk.h"

LIVEOBJ_ANY_MEMORY_BEGIN

struct task_writer {
    struct liveobj_walk *walk;
    struct liveobj_section section;
    struct liveobj_task task;
};

static void read_task(void *context) {
    struct task_writer *writer = context;
    writer->task = liveobj_task_read(writer->walk->object.address);
}

// MARK: - Continuations

static bool waits_for_continuation(const struct liveobj_task *task) {
    return task->state == LIVEOBJ_TASK_SUSPENDED && task->wait == LIVEOBJ_TASK_WAIT_CONTINUATION;
}

/// Visits all objects: `liveobj_walk_next` begins again only at the end.
static bool any_task_waits(struct task_writer *writer) {
    bool found = false;
    while (liveobj_walk_next(writer->walk))
        if (writer->walk->object.metadata == LIVEOBJ_METADATA_TASK &&
            liveobj_snapshot_step(read_task, writer))
            found |= waits_for_continuation(&writer->task);
    return found;
}

static void search_object(void *context) {
    struct liveobj_walk *walk = context;
    uintptr_t end = walk->object.address + walk->object.bytes;
    for (uintptr_t place = walk->object.address; place + sizeof(uintptr_t) <= end;
         place += sizeof(uintptr_t)) {
        uintptr_t target = *(const uintptr_t *)place & LIVEOBJ_REFERENCE_MASK;
        uint32_t number = liveobj_walk_find(walk, target);
        if (number && target != walk->object.address)
            walk->unaccounted_words[number - 1]++;
        if (place % LIVEOBJ_PAGE_BYTES == 0)
            liveobj_snapshot_advance();
    }
}

static void search_objects(struct liveobj_walk *walk) {
    while (liveobj_walk_next(walk))
        liveobj_snapshot_step(search_object, walk);
}

/// Whether nothing can resume the task. Only claimed if every stack was read.
static bool is_lost(const struct task_writer *writer) {
    const struct liveobj_walk *walk = writer->walk;
    return waits_for_continuation(&writer->task) && !walk->roots->misses_stacks &&
           !walk->is_in_reach[liveobj_walk_ordinal(walk)] &&
           walk->unaccounted_words[liveobj_walk_ordinal(walk)] <= 0;
}

// MARK: - Records

static void put_task(struct task_writer *writer) {
    enum { HEAD_BYTES = 20, LOST = 1 };
    struct liveobj_walk *walk = writer->walk;
    struct liveobj_section *section = &writer->section;
    const struct liveobj_task *task = &writer->task;
    liveobj_section_reserve(section, HEAD_BYTES + LIVEOBJ_TASK_FRAMES * sizeof(uint64_t));
    liveobj_put_u32(section, liveobj_walk_ordinal(walk));
    liveobj_put_u32(section, task->state);
    liveobj_put_u32(section, task->wait);
    liveobj_put_u32(section, is_lost(writer) ? LOST : 0);
    liveobj_put_u32(section, task->frame_count);
    for (uint32_t i = 0; i < task->frame_count; i++)
        liveobj_put_u64(section, liveobj_walk_code_word(walk, task->frames[i]));
}

static void put_tasks(struct task_writer *writer) {
    while (liveobj_walk_next(writer->walk))
        if (writer->walk->object.metadata == LIVEOBJ_METADATA_TASK &&
            liveobj_snapshot_step(read_task, writer))
            put_task(writer);
}

void liveobj_walk_write_tasks(struct liveobj_walk *walk) {
    struct task_writer writer = {.walk = walk};
    if (!walk->has_tasks)
        return;
    if (any_task_waits(&writer))
        search_objects(walk);
    if (liveobj_section_start(&writer.section, &walk->stream, "TASK"))
        put_tasks(&writer);
    liveobj_section_finish(&writer.section);
}

LIVEOBJ_ANY_MEMORY_END

#endif
