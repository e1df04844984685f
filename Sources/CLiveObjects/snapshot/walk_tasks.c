// walk_tasks.c - writes the state of each task, and what it waits for.

#if defined(__linux__)

#include "metadata/task_state.h"
#include "os/compiler.h"
#include "os/os.h"
#include "os/step.h"
#include "snapshot/walk.h"

LIVEOBJ_ANY_MEMORY_BEGIN

/// Tasks of `async let` inside of one task that are read; more than tasks have.
enum { MOST_CHILDREN = 256 };

struct task_writer {
    struct liveobj_walk *walk;
    struct liveobj_section section;
    struct liveobj_task task;
    bool has_active_child;
    uint32_t left; // children that may still be read: lists may be garbage
};

/// Looks for a task of `async let` that is not suspended: it may run without a word that refers to
/// it, as all that run or are enqueued may, and it is part of the task that has it in its memory.
static void read_child(void *context, uintptr_t child, bool is_async_let) {
    struct task_writer *writer = context;
    if (!is_async_let)
        return;
    if (writer->left == 0) {
        writer->has_active_child = true; // not known
        return;
    }
    writer->left--;
    writer->has_active_child |= liveobj_task_read(child).state < LIVEOBJ_TASK_SUSPENDED;
    liveobj_task_visit_children(child, read_child, writer);
}

static void read_task(void *context) {
    struct task_writer *writer = context;
    uintptr_t address = writer->walk->object.address;
    writer->task = liveobj_task_read(address);
    writer->has_active_child = false;
    writer->left = MOST_CHILDREN;
    if (writer->task.state == LIVEOBJ_TASK_SUSPENDED)
        liveobj_task_visit_children(address, read_child, writer);
}

// MARK: - Records

static void put_task(struct task_writer *writer) {
    enum { HEAD_BYTES = 20, HAS_ACTIVE_CHILD = 2, IS_IN_EXECUTOR = 4 };
    struct liveobj_walk *walk = writer->walk;
    struct liveobj_section *section = &writer->section;
    const struct liveobj_task *task = &writer->task;
    liveobj_section_reserve(section, HEAD_BYTES + LIVEOBJ_TASK_FRAMES * sizeof(uint64_t));
    liveobj_put_u32(section, liveobj_walk_ordinal(walk));
    liveobj_put_u32(section, task->state);
    liveobj_put_u32(section, task->wait);
    liveobj_put_u32(section, (writer->has_active_child ? HAS_ACTIVE_CHILD : 0) |
                                 (task->is_in_executor ? IS_IN_EXECUTOR : 0));
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
    if (liveobj_section_start(&writer.section, &walk->stream, "TASK"))
        put_tasks(&writer);
    liveobj_section_finish(&writer.section);
}

LIVEOBJ_ANY_MEMORY_END

#endif
