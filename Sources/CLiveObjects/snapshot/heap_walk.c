// heap_walk.c - reads every live object, in the snapshot process.
//
// Objects are numbered first, so that a reference can name an object that comes later. All code
// that reads an object's memory runs as its own step: a fault loses that object's references and
// nothing else. Owns the memory that it maps; all of it is freed when the snapshot process ends.

#if defined(__linux__)

#include "CLiveObjects.h"
#include "metadata/metadata.h"
#include "os/compiler.h"
#include "os/os.h"
#include "os/step.h"
#include "roots/freed_buffers.h"
#include "runtime/memory_reader.h"
#include "snapshot/walk.h"

LIVEOBJ_ANY_MEMORY_BEGIN

// MARK: - One object after the other

static uintptr_t address_of(uint32_t index) {
    return LIVEOBJ_LOAD_RELAXED(liveobj_heap.records[index].address) & liveobj_value_mask;
}

/// Prefetches the header of a later object. Headers of large objects lie on separate pages, and
/// waiting for each of them takes longer than all other work on the object. Prefetching an invalid
/// address is harmless.
static void fetch_ahead(const struct liveobj_walk *walk) {
    enum { AHEAD = 16 };
    if (walk->number + AHEAD <= walk->count)
        __builtin_prefetch((const void *)address_of(walk->records[walk->number + AHEAD]));
}

void liveobj_walk_move(struct liveobj_walk *walk, uint32_t number) {
    walk->number = number;
    walk->object = liveobj_record_unpack(liveobj_heap.records[walk->records[number]]);
}

bool liveobj_walk_next(struct liveobj_walk *walk) {
    fetch_ahead(walk);
    bool has_next = walk->number < walk->count;
    if (has_next)
        liveobj_walk_move(walk, walk->number + 1);
    else
        walk->number = 0;
    return has_next;
}

static uint32_t find_record(const struct liveobj_walk *walk, uintptr_t address) {
    uint32_t *slot = liveobj_records_slot_of_word(address);
    uint32_t index = slot ? LIVEOBJ_LOAD_RELAXED(*slot) : 0;
    if (!index || index >= walk->records_end)
        return 0;
    return address_of(index) == address ? walk->ordinals[index] : 0;
}

uint32_t liveobj_walk_find(const struct liveobj_walk *walk, uintptr_t address) {
    uint32_t number = find_record(walk, address);
    uintptr_t task = number ? 0 : liveobj_task_memory_find(&walk->task_memory, address);
    return task ? find_record(walk, task) : number;
}

void liveobj_walk_read_header(void *context) {
    struct liveobj_walk *walk = context;
    struct liveobj_capture *capture = walk->capture;
    walk->type = liveobj_captured_type_id(&capture->types, &walk->object, &capture->reader,
                                          &walk->is_new_type);
    walk->strong = liveobj_strong_count_of(&walk->object, &capture->reader);
}

// MARK: - Objects

/// Marks the records of live objects in `ordinals`.
static bool mark_objects(struct liveobj_walk *walk) {
    struct liveobj_object object;
    uint32_t position = 0, index;
    walk->ordinals = liveobj_os_map((size_t)walk->records_end * sizeof *walk->ordinals);
    while (walk->ordinals && (index = liveobj_captured_next(walk->capture, &position, 0)))
        if (liveobj_records_get(index, &object)) {
            walk->ordinals[index] = 1;
            walk->has_tasks |= object.metadata == LIVEOBJ_METADATA_TASK;
        }
    return walk->ordinals;
}

/// Numbers the objects in the order of their records, which is the order of the walk.
static bool number_objects(struct liveobj_walk *walk) {
    walk->records = liveobj_os_map((size_t)walk->records_end * sizeof *walk->records);
    for (uint32_t index = 1; walk->records && index < walk->records_end; index++)
        if (walk->ordinals[index]) {
            walk->ordinals[index] = ++walk->count;
            walk->records[walk->count] = index;
        }
    walk->found = liveobj_os_map(((size_t)walk->count + 1) * sizeof *walk->found);
    return walk->records && walk->found;
}

static void add_task_memory(void *context) {
    struct liveobj_walk *walk = context;
    liveobj_task_memory_add(&walk->task_memory, walk->object.address);
}

/// Finds the memory of all tasks: words of any object may refer to a task in it.
static void find_task_memory(struct liveobj_walk *walk) {
    while (walk->has_tasks && liveobj_walk_next(walk))
        if (walk->object.metadata == LIVEOBJ_METADATA_TASK)
            liveobj_snapshot_step(add_task_memory, walk);
}

/// Gives an object that cannot be read a type, so that it is written like any other.
static void use_unreadable_type(struct liveobj_walk *walk) {
    static const struct liveobj_type unreadable = {0, 0, LIVEOBJ_TYPE_OTHER};
    walk->type =
        liveobj_type_table_id(&walk->capture->types.table, &unreadable, &walk->is_new_type);
    walk->strong = (struct liveobj_strong_count){.was_weakly_referenced = true};
}

/// \returns false if there is no room for another type.
static bool note_new_type(struct liveobj_walk *walk) {
    struct liveobj_heap_walk_report *report = walk->report;
    if (walk->type == 0 || report->new_type_count == LIVEOBJ_NEW_TYPES_LIMIT)
        return false;
    report->new_types[report->new_type_count++] = walk->capture->types.table.types[walk->type];
    return true;
}

static bool put_walked_object(struct liveobj_walk *walk, struct liveobj_section *section) {
    walk->is_new_type = false;
    if (!liveobj_snapshot_step(liveobj_walk_read_header, walk))
        use_unreadable_type(walk);
    if ((walk->is_new_type || walk->type == 0) && !note_new_type(walk))
        return false;
    liveobj_put_object(section, &walk->object, walk->type, walk->strong,
                       liveobj_captured_stack(walk->capture, walk->object.stack));
    return true;
}

static bool write_walked_objects(struct liveobj_walk *walk) {
    bool is_complete = true;
    struct liveobj_section section;
    if (!liveobj_section_start(&section, &walk->stream, "OBJS"))
        return false;
    while (is_complete && liveobj_walk_next(walk))
        is_complete = put_walked_object(walk, &section);
    liveobj_section_finish(&section);
    return is_complete;
}

// MARK: - The walk

bool liveobj_heap_walk(void *context, liveobj_write_fn write, void *destination) {
    struct liveobj_heap_walk *wanted = context;
    struct liveobj_walk walk = {.capture = wanted->capture,
                                .roots = &wanted->roots,
                                .report = wanted->report,
                                .stream = {.write = write, .context = destination},
                                .records_end = liveobj_records_end()};
    walk.capture->reader.direct = true; // no other thread runs
    liveobj_reader_cache_pages();
    liveobj_reader_start(liveobj_metadata_reader());
    bool has_stacks = !walk.capture->selection && liveobj_roots_place_stacks(walk.roots);
    walk.report->is_held = has_stacks && walk.capture->survivors &&
                           liveobj_walk_proves_held(&walk, walk.capture->survivors);
    if (walk.report->is_held)
        return true;
    if (!mark_objects(&walk))
        return false;
    if (has_stacks)
        liveobj_freed_buffers_forget(walk.roots, walk.ordinals);
    if (!number_objects(&walk) || !write_walked_objects(&walk))
        return false;
    find_task_memory(&walk);
    liveobj_walk_write_references(&walk);
    if (!walk.capture->selection) {
        liveobj_walk_find_buffers(&walk);
        liveobj_walk_find_suspects(&walk);
        liveobj_walk_write_roots(&walk);
        liveobj_walk_write_words(&walk);
        liveobj_walk_write_blocks(&walk);
        if (walk.capture->wants_memory)
            liveobj_walk_count_memory(&walk);
        liveobj_walk_write_lost_buffers(&walk);
        liveobj_walk_write_tasks(&walk);
    }
    liveobj_walk_write_retains(&walk);
    walk.report->sections = walk.stream.sections;
    walk.report->timeouts = liveobj_snapshot_timeouts();
    return !walk.stream.failed;
}

LIVEOBJ_ANY_MEMORY_END

#endif
