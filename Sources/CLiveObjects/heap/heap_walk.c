// heap_walk.c - reads every live object, in the copy of the process.
//
// Objects are numbered first, so that a reference can name an object that comes later. Whatever
// reads an object's memory is a step of its own: a fault costs that object's references and nothing
// else. Owns what it maps; all of it goes with the copy.

#if defined(__linux__)

#include "heap_walk.h"
#include "../records.h"
#include "address_table.h"
#include "layout.h"
#include "references.h"
#include "tasks.h"

/// As the format has it.
struct edge {
    uint32_t source;
    uint32_t target;
    uint32_t label;
    uint32_t element;
    uint32_t function;
};
_Static_assert(sizeof(struct edge) == 20, "as the format says");

struct walk {
    struct liveobj_heap_walk *shared;
    struct liveobj_stream stream;
    uint32_t records_end;
    uint32_t *ordinals; // by record index, counted from 1; 0 for none
    uint32_t count;

    // The object that is being looked at.
    uint32_t index;
    struct liveobj_object object;
    uint32_t type;
    bool is_new_type;
    struct liveobj_strong_count strong;

    // Its references, until all are found.
    struct edge *edges;
    uint32_t edge_count;
    uint32_t edge_capacity;
    bool is_precise;

    struct liveobj_address_table functions;
    uint32_t labels_written;
    struct liveobj_section label_section;
    struct liveobj_section function_section;
    struct liveobj_section reference_section;
};

static struct liveobj_capture *capture_of(const struct walk *walk) {
    return walk->shared->capture;
}

static struct liveobj_heap_walk_report *report_of(const struct walk *walk) {
    return walk->shared->report;
}

static void begin(struct walk *walk, struct liveobj_section *section, const char *tag) {
    liveobj_section_start(section, &walk->stream, tag);
}

/// Goes to the next live object. \returns false if there is none.
static bool next_object(struct walk *walk) {
    while (++walk->index < walk->records_end)
        if (walk->ordinals[walk->index] && liveobj_records_get(walk->index, &walk->object))
            return true;
    walk->index = 0;
    return false;
}

/// The number of the live object at an address, counted from 1; 0 for none.
static uint32_t ordinal_at(const struct walk *walk, uintptr_t address) {
    uint32_t *slot = liveobj_records_slot(address);
    uint32_t index = slot ? LIVEOBJ_GET(*slot) : 0;
    if (!index || index >= walk->records_end)
        return 0;
    uintptr_t start = LIVEOBJ_GET(liveobj_heap.records[index].address) & liveobj_value_mask;
    return start == address ? walk->ordinals[index] : 0;
}

static void number_objects(struct walk *walk) {
    struct liveobj_object object;
    for (uint32_t index = 1; index < walk->records_end; index++)
        if (liveobj_records_get(index, &object))
            walk->ordinals[index] = ++walk->count;
}

// MARK: - Objects

static void read_header(void *context) {
    struct walk *walk = context;
    struct liveobj_capture *capture = capture_of(walk);
    walk->type = liveobj_captured_type_id(&capture->types, &walk->object, &capture->reader,
                                          &walk->is_new_type);
    walk->strong = liveobj_strong_count_of(&walk->object, &capture->reader);
}

/// An object that cannot be read is an object all the same.
static void use_unreadable_type(struct walk *walk) {
    static const struct liveobj_type unreadable = {0, 0, LIVEOBJ_TYPE_OTHER};
    walk->type =
        liveobj_type_table_id(&capture_of(walk)->types.table, &unreadable, &walk->is_new_type);
    walk->strong = (struct liveobj_strong_count){false, false, 0};
}

/// \returns false if there is no room for a type.
static bool note_new_type(struct walk *walk) {
    struct liveobj_heap_walk_report *report = report_of(walk);
    if (walk->type == 0 || report->new_type_count == LIVEOBJ_NEW_TYPES_LIMIT)
        return false;
    report->new_types[report->new_type_count++] = capture_of(walk)->types.table.types[walk->type];
    return true;
}

static bool put_object(struct walk *walk, struct liveobj_objects_writer *writer) {
    walk->is_new_type = false;
    if (!liveobj_child_try(read_header, walk))
        use_unreadable_type(walk);
    if ((walk->is_new_type || walk->type == 0) && !note_new_type(walk))
        return false;
    liveobj_put_object(writer, walk->index, &walk->object, walk->type, walk->strong);
    liveobj_use_stack(capture_of(walk), walk->object.stack);
    return true;
}

static bool write_objects(struct walk *walk) {
    bool is_complete = true;
    struct liveobj_objects_writer writer;
    if (!liveobj_objects_writer_start(&writer, &walk->stream, NULL,
                                      capture_of(walk)->status.retains))
        return false;
    while (is_complete && next_object(walk))
        is_complete = put_object(walk, &writer);
    liveobj_objects_writer_end(&writer);
    return is_complete;
}

// MARK: - Labels and functions

static void put_new_labels(struct walk *walk) {
    for (uint32_t end = liveobj_labels_end(); walk->labels_written < end; walk->labels_written++) {
        struct liveobj_label label = liveobj_label_get(walk->labels_written);
        liveobj_section_reserve(&walk->label_section, LIVEOBJ_STRING_LIMIT + 64);
        liveobj_put_u32(&walk->label_section, walk->labels_written);
        liveobj_put_u32(&walk->label_section, label.kind);
        liveobj_put_u32(&walk->label_section, label.ownership);
        liveobj_put_text(&walk->label_section, label.text);
    }
}

/// Of a function's first address, named like a return address.
static uint64_t code_word(struct walk *walk, uintptr_t function) {
    return liveobj_frame_word(&capture_of(walk)->images, function + 1);
}

static uint32_t function_id(struct walk *walk, uintptr_t function) {
    uint32_t known = walk->functions.count;
    uint32_t id = function ? liveobj_address_number(&walk->functions, function) : 0;
    if (id > known) {
        liveobj_section_reserve(&walk->function_section, sizeof(uint64_t));
        liveobj_put_u64(&walk->function_section, code_word(walk, function));
    }
    return id;
}

// MARK: - References

static struct edge *new_edge(struct walk *walk) {
    enum { FIRST_CAPACITY = 1 << 16 };
    if (walk->edge_count == walk->edge_capacity) {
        uint32_t capacity = walk->edge_capacity ? walk->edge_capacity * 2 : FIRST_CAPACITY;
        struct edge *moved = liveobj_os_resize(walk->edges, walk->edge_capacity * sizeof *moved,
                                               capacity * sizeof *moved);
        if (!moved)
            return NULL;
        walk->edges = moved;
        walk->edge_capacity = capacity;
    }
    return &walk->edges[walk->edge_count++];
}

static void add_edge(void *context, const struct liveobj_reference *reference) {
    struct walk *walk = context;
    liveobj_child_advance();
    uint32_t target = ordinal_at(walk, reference->target);
    struct edge *edge = target ? new_edge(walk) : NULL;
    if (edge)
        *edge = (struct edge){walk->ordinals[walk->index] - 1, target - 1, reference->label,
                              reference->element, function_id(walk, reference->function)};
}

static void read_references(void *context) {
    struct walk *walk = context;
    struct liveobj_capture *capture = capture_of(walk);
    read_header(walk);
    // What a deinit has left of an object is not to be read.
    walk->is_precise = walk->strong.is_pinned ||
                       liveobj_references_visit(
                           &walk->object, &capture->types.table.types[walk->type], add_edge, walk);
}

static void put_edges(struct walk *walk) {
    enum { EDGES_AT_ONCE = 4096 };
    _Static_assert(EDGES_AT_ONCE * sizeof(struct edge) < LIVEOBJ_RECORD_LIMIT, "fits a section");
    if (walk->edge_count > 0)
        put_new_labels(walk);
    for (uint32_t first = 0, count; first < walk->edge_count; first += count) {
        uint32_t left = walk->edge_count - first;
        count = left < EDGES_AT_ONCE ? left : EDGES_AT_ONCE;
        liveobj_section_reserve(&walk->reference_section, count * sizeof(struct edge));
        liveobj_put(&walk->reference_section, &walk->edges[first], count * sizeof(struct edge));
    }
}

static void put_references(struct walk *walk) {
    enum { TIMEOUTS_LIMIT = 3 };
    walk->edge_count = 0;
    if (liveobj_child_try(read_references, walk)) {
        put_edges(walk);
        report_of(walk)->scanned_objects += !walk->is_precise;
        return;
    }
    report_of(walk)->unread_objects++;
    // The runtime's locks are held for ever, and whoever asks for a type waits in vain.
    if (liveobj_child_timeouts() == TIMEOUTS_LIMIT)
        liveobj_layouts_close();
}

static void write_references(struct walk *walk) {
    begin(walk, &walk->label_section, "LABL");
    begin(walk, &walk->function_section, "FUNC");
    begin(walk, &walk->reference_section, "REFS");
    walk->function_section.before = &walk->label_section;
    walk->reference_section.before = &walk->function_section;
    walk->labels_written = 1;
    while (!walk->stream.failed && next_object(walk))
        put_references(walk);
    liveobj_section_finish(&walk->reference_section);
    liveobj_section_finish(&walk->function_section);
    liveobj_section_finish(&walk->label_section);
}

// MARK: - Roots

struct root_writer {
    struct walk *walk;
    struct liveobj_section section;
    uint32_t *counts; // by ordinal: four bits a kind
};

static bool is_wanted(struct root_writer *writer, uint32_t ordinal, enum liveobj_root_kind kind) {
    enum { MOST = 8, BITS = 4 };
    uint32_t *counts = &writer->counts[ordinal];
    uint32_t shift = (uint32_t)kind * BITS;
    if ((*counts >> shift & ((1u << BITS) - 1)) == MOST)
        return false;
    *counts += 1u << shift;
    return true;
}

static uint64_t place_of(struct walk *walk, const struct liveobj_root *root) {
    switch (root->kind) {
    case LIVEOBJ_ROOT_GLOBAL:
        return liveobj_frame_word(&capture_of(walk)->images, root->place);
    case LIVEOBJ_ROOT_DISPATCH_BLOCK:
        return code_word(walk, root->place);
    default:
        return root->place;
    }
}

static void put_root(void *context, const struct liveobj_root *root) {
    struct root_writer *writer = context;
    uint32_t ordinal = ordinal_at(writer->walk, root->target);
    if (!ordinal || !is_wanted(writer, ordinal - 1, root->kind))
        return;
    struct {
        uint32_t kind, ordinal;
        uint64_t place, reserved;
    } record = {root->kind, ordinal - 1, place_of(writer->walk, root), 0};
    _Static_assert(sizeof record == 24, "as the format says");
    liveobj_section_reserve(&writer->section, sizeof record);
    liveobj_put(&writer->section, &record, sizeof record);
}

static void write_roots(struct walk *walk) {
    struct root_writer writer = {.walk = walk,
                                 .counts = liveobj_os_map((walk->count + 1) * sizeof(uint32_t))};
    begin(walk, &writer.section, "ROOT");
    report_of(walk)->misses_roots =
        !writer.counts || !liveobj_roots_scan(&walk->shared->roots, put_root, &writer);
    liveobj_section_finish(&writer.section);
}

// MARK: - Tasks

struct task_reading {
    uintptr_t address;
    struct liveobj_task task;
};

static void read_task(void *context) {
    struct task_reading *reading = context;
    reading->task = liveobj_task_read(reading->address);
}

static void put_task(struct walk *walk, struct liveobj_section *section) {
    struct task_reading reading = {.address = walk->object.address};
    if (!liveobj_child_try(read_task, &reading))
        return;
    const struct liveobj_task *task = &reading.task;
    liveobj_section_reserve(section, (5 + 2 * LIVEOBJ_TASK_FRAMES) * sizeof(uint32_t));
    liveobj_put_u32(section, walk->ordinals[walk->index] - 1);
    liveobj_put_u32(section, task->state);
    liveobj_put_u32(section, task->wait);
    liveobj_put_u32(section, 0);
    liveobj_put_u32(section, task->frame_count);
    for (uint32_t i = 0; i < task->frame_count; i++)
        liveobj_put_u64(section, code_word(walk, task->frames[i]));
}

static void write_tasks(struct walk *walk) {
    struct liveobj_section section;
    begin(walk, &section, "TASK");
    while (next_object(walk))
        if (walk->object.metadata == LIVEOBJ_METADATA_TASK)
            put_task(walk, &section);
    liveobj_section_finish(&section);
}

// MARK: - All of it

bool liveobj_heap_walk(void *context, liveobj_write_fn write, void *destination) {
    struct walk walk = {.shared = context,
                        .stream = {.write = write, .context = destination},
                        .records_end = liveobj_records_end()};
    walk.ordinals = liveobj_os_map((size_t)walk.records_end * sizeof *walk.ordinals);
    if (!walk.ordinals)
        return false;
    capture_of(&walk)->reader.direct = true; // nobody else runs
    number_objects(&walk);
    if (!write_objects(&walk))
        return false;
    write_references(&walk);
    write_roots(&walk);
    write_tasks(&walk);
    report_of(&walk)->sections = walk.stream.sections;
    report_of(&walk)->timeouts = liveobj_child_timeouts();
    return !walk.stream.failed;
}

#endif
