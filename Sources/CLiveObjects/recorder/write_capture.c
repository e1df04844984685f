// write_capture.c - writes all live objects as one stream
// (Documentation/internals/capture-format.md).
//
// Owns the memory for one capture, which comes from the system and is freed at the end of the
// capture. Outside of hooks, with the calling thread's guard set, so that nothing that happens here
// is recorded. No lock of the records is held while the runtime is asked for names, because the
// runtime allocates and locks. Captures with references are made one at a time.

#if defined(__linux__)

#include "recorder/write_capture.h"
#include "capture/stream.h"
#include "heap/object_type.h"
#include "metadata/metadata.h"
#include "os/deadline.h"
#include "records/records.h"
#include "records/trace_collection.h"
#include "runtime/memory_reader.h"
#include "runtime/unloads.h"

// MARK: - Objects

/// Calls `visit` for the live objects of a capture without references, until it returns false.
typedef bool (*visit_object_fn)(struct liveobj_capture *capture, void *context,
                                const struct liveobj_object *object);

static void visit_objects(struct liveobj_capture *capture, uint64_t next, visit_object_fn visit,
                          void *context) {
    uint32_t index = 0;
    struct liveobj_object object;
    while (!capture->stream.failed && (index = liveobj_records_next_since(index, capture->since)))
        if (liveobj_records_get(index, &object) && object.sequence >= capture->since &&
            object.sequence < next)
            capture->stream.failed |= !visit(capture, context, &object);
}

/// The id of the object's type, which is written if it is new.
/// \returns 0 if memory ran out: half a capture would look complete.
static uint32_t written_type_of(struct liveobj_capture *capture,
                                const struct liveobj_object *object) {
    bool is_new;
    uint32_t type = liveobj_captured_type_id(&capture->types, object, &capture->reader, &is_new);
    if (is_new)
        liveobj_put_type(&capture->type_section, type, &capture->types.table.types[type],
                         &capture->images);
    return type;
}

static bool put_recorded_object(struct liveobj_capture *capture, void *section,
                                const struct liveobj_object *object) {
    uint32_t type = written_type_of(capture, object);
    struct liveobj_strong_count count = liveobj_strong_count_of(object, &capture->reader);
    liveobj_put_object(section, object, type, count,
                       liveobj_captured_stack(capture, object->stack));
    return type != 0;
}

static void write_recorded_objects(struct liveobj_capture *capture, uint64_t next) {
    struct liveobj_section section;
    if (!liveobj_section_start(&section, &capture->stream, "OBJS"))
        return;
    section.before = &capture->type_section;
    visit_objects(capture, next, put_recorded_object, &section);
    liveobj_section_finish(&section);
}

static bool count_object(struct liveobj_capture *capture, void *counts,
                         const struct liveobj_object *object) {
    return liveobj_type_counts_add(counts, written_type_of(capture, object), object->bytes);
}

static void write_counts(struct liveobj_capture *capture,
                         const struct liveobj_capture_request *request, uint64_t next) {
    struct liveobj_type_counts counts = {0};
    visit_objects(capture, next, count_object, &counts);
    liveobj_section_flush(&capture->type_section);
    liveobj_write_type_counts(&capture->stream, &counts);
    if (request->visit_counts && !capture->stream.failed)
        request->visit_counts(request->visit_context, &capture->types.table, &counts);
    liveobj_type_counts_end(&counts);
}

// MARK: - References

/// Captures with references are made one at a time, because they share the compiled layouts. No
/// thread waits for this lock while it holds another, so a program that forks meanwhile need not
/// wait.
static struct {
    struct liveobj_lock lock;
    bool is_lost; // in a forked child: the thread that had the lock does not exist here
} captures;

static const char *const lost_reason =
    "references were not read: the process was forked while another thread read them";
static const char *const slow_reason =
    "references were not read: another capture takes too long or was broken off";

static const char *acquire_capture_lock(uint64_t deadline) {
    static const uint64_t pause = 1000000;
    if (captures.is_lost)
        return lost_reason;
    while (!liveobj_deadline_is_past(deadline)) {
        if (liveobj_lock_try(&captures.lock))
            return NULL;
        if (liveobj_lock_is_own(&captures.lock)) // a signal handler interrupted the holder
            break;
        liveobj_os_sleep(pause);
    }
    return slow_reason;
}

static void release_capture_lock(void) {
    liveobj_lock_release(&captures.lock);
}

void liveobj_captures_after_fork_child(void) {
    captures.is_lost |= !liveobj_lock_after_fork_child(&captures.lock);
}

/// \returns why there are no references; NULL if they were written.
static const char *write_references(struct liveobj_capture *capture,
                                    const struct liveobj_caller_context *entry) {
    const char *failure = liveobj_unloads_failure();
    if (!failure)
        failure = acquire_capture_lock(capture->deadline);
    if (failure)
        return failure;
    liveobj_metadata_share_cache(&capture->reader);
    failure = liveobj_write_heap_graph(capture, entry);
    capture->reader.shared = NULL;
    release_capture_lock();
    return failure;
}

// MARK: - The capture

static bool start_work(struct liveobj_capture *capture) {
    liveobj_reader_start(&capture->reader);
    liveobj_traces_hold();
    return liveobj_captured_stacks_start(&capture->stacks) &&
           liveobj_section_start(&capture->type_section, &capture->stream, "TYPE");
}

static void end_work(struct liveobj_capture *capture) {
    liveobj_section_finish(&capture->type_section);
    liveobj_type_table_end(&capture->types.table);
    liveobj_captured_images_end(&capture->images);
    liveobj_captured_stacks_end(&capture->stacks);
    liveobj_traces_release();
}

static bool wants_graph(const struct liveobj_capture_request *request) {
    return request->contents == LIVEOBJ_CONTENTS_GRAPH ||
           request->contents == LIVEOBJ_CONTENTS_GRAPH_OF_TEST ||
           request->contents == LIVEOBJ_CONTENTS_GRAPH_AND_MEMORY;
}

/// Objects, with or without references.
static void write_live(struct liveobj_capture *capture,
                       const struct liveobj_capture_request *request, uint64_t next) {
    const char *failure = NULL;
    bool has_graph = wants_graph(request);
    if (!liveobj_captured_images_start(&capture->images)) {
        capture->stream.failed = true;
        return;
    }
    liveobj_write_images(&capture->stream, &capture->images);
    if (has_graph)
        failure = write_references(capture, request->caller);
    capture->stream.failed |= failure && capture->selection;
    if (!has_graph || failure)
        write_recorded_objects(capture, next);
    if (failure)
        liveobj_write_no_heap_graph(&capture->stream, failure);
    if (!capture->is_held)
        liveobj_write_stacks(capture);
}

/// The number of objects of each type, without images and tests: many of these are stored.
static void write_live_counts(struct liveobj_capture *capture,
                              const struct liveobj_capture_request *request, uint64_t next) {
    liveobj_unloads_note();
    write_counts(capture, request, next);
}

static void write_all_tests(struct liveobj_capture *capture,
                            const struct liveobj_capture_request *request, uint64_t next) {
    liveobj_write_tests(&capture->stream, next);
    liveobj_write_evaluated_tests(&capture->stream);
    if (request->contents != LIVEOBJ_CONTENTS_GRAPH_OF_TEST)
        liveobj_write_test_findings(&capture->stream);
    liveobj_write_scopes(&capture->stream);
    liveobj_write_known_scopes(&capture->stream);
}

bool liveobj_capture_write(const struct liveobj_capture_request *request) {
    struct liveobj_capture capture = {
        .since = request->since,
        .deadline = liveobj_deadline_in(LIVEOBJ_READING_SECONDS),
        .selection = request->selection,
        .survivors = request->survivors,
        .wants_memory = request->contents == LIVEOBJ_CONTENTS_GRAPH_AND_MEMORY,
        .status = request->status,
        .stream = {.write = request->write, .context = request->context},
    };
    uint64_t next = liveobj_sequence_mark();
    liveobj_stream_begin(&capture.stream);
    liveobj_write_process(&capture.stream, capture.since, next);
    liveobj_write_status(&capture.stream, &capture.status);
    liveobj_write_sampling(&capture.stream, &capture.status);
    bool wants_counts = request->contents == LIVEOBJ_CONTENTS_COUNTS;
    if (!wants_counts && request->contents != LIVEOBJ_CONTENTS_UNATTRIBUTED)
        write_all_tests(&capture, request, next);
    if (capture.status.state == LIVEOBJ_STATE_TRACKING) {
        if (!start_work(&capture))
            capture.stream.failed = true;
        else if (wants_counts)
            write_live_counts(&capture, request, next);
        else
            write_live(&capture, request, next);
        end_work(&capture);
    }
    liveobj_stream_end(&capture.stream);
    if (request->is_held)
        *request->is_held = capture.is_held;
    return !capture.stream.failed;
}

#endif
