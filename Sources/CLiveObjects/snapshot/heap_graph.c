// heap_graph.c - reads the heap in a snapshot process and writes the result.
//
// The runtime allocates and locks, so everything that needs it is done in the program. Before the
// snapshot: the layouts of all live types. After it: the names of types that appeared later. Owns,
// during one capture, the memory shared with the snapshot process.

#if defined(__linux__)

#include "capture/capture.h"
#include "heap/references.h"
#include "metadata/task_state.h"
#include "os/deadline.h"
#include "roots/roots.h"
#include "snapshot/snapshot_process.h"
#include "snapshot/walk.h"

// MARK: - Before

static void add_type(struct liveobj_capture *capture, uint32_t id) {
    const struct liveobj_type *type = &capture->types.table.types[id];
    liveobj_put_type(&capture->type_section, id, type, &capture->images);
    liveobj_references_prepare(type);
}

/// Objects with lower sequence numbers have types whose layouts are compiled. Captures with
/// references are made one at a time.
static uint64_t compiled_until;

/// Compiles the layouts of types that came since the last capture.
/// \returns false if memory for a type could not be had. Past the deadline, the rest is left out.
static bool compile_new_types(struct liveobj_capture *capture) {
    struct liveobj_object object;
    uint64_t mark = liveobj_sequence_mark();
    uint32_t position = 0, index, id = 1;
    bool is_late = false;
    while (id && !is_late && (index = liveobj_captured_next(capture, &position, compiled_until))) {
        bool is_new = false;
        if (liveobj_records_get(index, &object))
            id = liveobj_captured_type_id(&capture->types, &object, &capture->reader, &is_new);
        if (is_new)
            add_type(capture, id);
        is_late = is_new && liveobj_deadline_is_past(capture->deadline);
    }
    bool is_complete = id && !is_late && !capture->selection;
    compiled_until = is_complete ? mark : compiled_until;
    return id != 0;
}

/// Whether the snapshot process and its result stay within the limit of the program's memory
/// cgroup. Beyond the limit the system kills a process, which need not be the snapshot process.
static bool has_room_for_snapshot(const struct liveobj_capture *capture) {
    // Bytes for each object in the result, in the capture made of it, and in the snapshot process.
    enum { OBJECT_BYTES = 100 + 100 + 20, LEAST_BYTES = 8 << 20, BYTES_OF_PAGE_TABLE_BYTE = 512 };
    uint64_t live = capture->status.allocations - capture->status.deallocations;
    uint64_t records = capture->selection ? capture->selection->count : liveobj_records_end();
    uint64_t objects = live < records ? live : records;
    uint64_t resident = liveobj_os_resident_bytes();
    uint64_t wanted = LEAST_BYTES + objects * OBJECT_BYTES + resident / BYTES_OF_PAGE_TABLE_BYTE;
    // Pages are shared until one of them is written. Where running out would also kill the program,
    // assume that it writes to all of them.
    return liveobj_os_has_room(wanted, resident);
}

static const char *prepare_walk(struct liveobj_heap_walk *walk,
                                const struct liveobj_caller_context *entry) {
    static const char *const no_room =
        "references were not read: the memory limit of this process leaves no room for it";
    static const char *const no_memory =
        "references were not read: there was not enough memory for it";
    if (!has_room_for_snapshot(walk->capture))
        return no_room;
    walk->report = liveobj_os_map_shared(sizeof *walk->report);
    if (!walk->report || !compile_new_types(walk->capture))
        return no_memory;
    liveobj_dispatch_prepare();
    liveobj_core_prepare();
    if (walk->capture->selection)
        return NULL;
    liveobj_tasks_prepare();
    liveobj_threads_let_settle();
    return liveobj_roots_find(&walk->roots, entry);
}

// MARK: - After

enum { GRAPH_READ = 1, GRAPH_NOT_READ = 2 };

/// Past the deadline they only get names: compiling nested types may take minutes.
static void add_late_types(struct liveobj_capture *capture,
                           const struct liveobj_heap_walk_report *report) {
    for (uint32_t i = 0; i < report->new_type_count; i++) {
        bool is_new;
        const struct liveobj_type *type = &report->new_types[i];
        uint32_t id = liveobj_type_table_id(&capture->types.table, type, &is_new);
        capture->stream.failed |= id == 0;
        if (is_new)
            liveobj_put_type(&capture->type_section, id, type, &capture->images);
        if (is_new && !liveobj_deadline_is_past(capture->deadline))
            liveobj_references_prepare(type);
    }
}

enum { MISSES_STACKS = 1, MISSES_ROOTS = 2, HAS_REGISTERS = 4, IS_PARTIAL = 8 };

static uint32_t graph_flags(struct liveobj_heap_walk *walk) {
    if (walk->capture->selection)
        return MISSES_STACKS | MISSES_ROOTS | IS_PARTIAL;
    return (liveobj_roots_miss_stacks(&walk->roots) ? MISSES_STACKS : 0) |
           (walk->report->unread ? MISSES_ROOTS : 0) |
           (walk->roots.threads.is_complete ? HAS_REGISTERS : 0);
}

/// Why roots may be missing, by bit of `enum liveobj_unread`.
static const char *const unread_roots[LIVEOBJ_UNREAD_KINDS] = {
    "Some memory outside of the heap could not be read.",
    "The system does not say which pages of mapped files the process has changed.",
    "Files that are mapped shared and writable were not read.",
    "Memory that is swapped out was not read.",
    "Memory that a fork leaves out or clears was not read in full.",
    "What the kernel keeps for the process could not be read in full.",
};

static void put_notes(struct liveobj_section *section,
                      const struct liveobj_heap_walk_report *report) {
    static const char *const locked =
        "another thread held the locks of the Swift runtime while references were read, so some "
        "types' properties are not known";
    uint32_t has_timeouts = report->timeouts > 0;
    liveobj_put_u32(section, has_timeouts + (uint32_t)__builtin_popcount(report->unread));
    if (has_timeouts)
        liveobj_put_text(section, locked);
    for (uint32_t i = 0; i < LIVEOBJ_UNREAD_KINDS; i++)
        if (report->unread >> i & 1)
            liveobj_put_text(section, unread_roots[i]);
}

static void write_state(struct liveobj_stream *stream, struct liveobj_heap_walk *walk) {
    struct liveobj_section section;
    if (!liveobj_section_start(&section, stream, "GRPH"))
        return;
    const struct liveobj_heap_walk_report *report = walk->report;
    liveobj_put_u32(&section, GRAPH_READ);
    liveobj_put_u32(&section, walk->roots.threads.count + 1);
    liveobj_put_u32(&section, report->unread_objects);
    liveobj_put_u32(&section, report->scanned_objects);
    liveobj_put_u32(&section, graph_flags(walk));
    put_notes(&section, report);
    liveobj_section_finish(&section);
}

/// Forwards the result in pieces and frees each piece once it is written, because both the result
/// and the capture count as the program's memory.
static void forward_result(struct liveobj_stream *stream, struct liveobj_snapshot *child) {
    enum { PIECE_BYTES = 4 << 20 };
    for (size_t done = 0; done < child->count; liveobj_snapshot_discard(child, done)) {
        size_t left = child->count - done, piece = left < PIECE_BYTES ? left : PIECE_BYTES;
        liveobj_stream_forward(stream, child->bytes + done, piece);
        done += piece;
    }
}

static void write_answer(struct liveobj_heap_walk *walk, struct liveobj_snapshot *child) {
    struct liveobj_capture *capture = walk->capture;
    add_late_types(capture, walk->report);
    liveobj_section_flush(&capture->type_section);
    write_state(&capture->stream, walk);
    if (capture->wants_memory)
        liveobj_write_memory(&capture->stream, walk->report->memory);
    liveobj_write_superclasses(&capture->stream, &capture->types);
    forward_result(&capture->stream, child);
    capture->stream.sections += walk->report->sections;
}

/// More than any heap for which the records have room.
static size_t answer_capacity(void) {
    static const uint64_t most = UINT64_C(1) << 37;
    uint64_t share = liveobj_os_address_room().left / 8;
    return share < most ? share : most;
}

const char *liveobj_write_heap_graph(struct liveobj_capture *capture,
                                     const struct liveobj_caller_context *entry) {
    struct liveobj_heap_walk walk = {.capture = capture};
    const char *failure = prepare_walk(&walk, entry);
    if (!failure) {
        struct liveobj_snapshot child =
            liveobj_snapshot_run(liveobj_heap_walk, capture->selection ? NULL : &walk.roots.threads,
                                 &walk, answer_capacity(), capture->deadline);
        failure = child.failure;
        capture->is_held = !failure && walk.report->is_held;
        if (!failure && !capture->is_held)
            write_answer(&walk, &child);
        liveobj_snapshot_end(&child);
    }
    liveobj_roots_end(&walk.roots);
    liveobj_os_unmap(walk.report, sizeof *walk.report);
    return failure;
}

void liveobj_write_no_heap_graph(struct liveobj_stream *stream, const char *why) {
    enum { NOTHING_READ = 4 * sizeof(uint32_t) };
    static const unsigned char zeros[NOTHING_READ];
    struct liveobj_section section;
    if (!liveobj_section_start(&section, stream, "GRPH"))
        return;
    liveobj_put_u32(&section, GRAPH_NOT_READ);
    liveobj_put(&section, zeros, sizeof zeros);
    liveobj_put_u32(&section, 1);
    liveobj_put_text(&section, why);
    liveobj_section_finish(&section);
}

#endif
