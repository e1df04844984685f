// capture.h - the writers of a capture's sections, and the state that they share.
//
//   recorder/write_capture.c  the order of the sections
//   capture_process.c         PROC, STAT, SAMP: the process, and how completely it was recorded
//   capture_tests.c           TEST, EVAL, FIND, SCOP, KNOW
//   capture_images.c          IMAG, and addresses as frame words
//   capture_types.c           TYPE, SUPR
//   capture_objects.c         OBJS
//   capture_counts.c          CNTS
//   capture_memory.c          MEMO
//   capture_stacks.c          STAK
//   snapshot/heap_graph.c     GRPH, and the sections with references
//
// All of it runs outside of hooks, with the calling thread's guard set.

#pragma once

#include "CLiveObjects.h"
#include "capture/stream.h"
#include "capture/test_table.h"
#include "heap/object_type.h"
#include "metadata/types.h"
#include "records/records.h"
#include "records/thread.h"
#include "runtime/memory_reader.h"

#pragma GCC visibility push(hidden)

// MARK: - capture_process.c

void liveobj_put_text(struct liveobj_section *section, const char *text);
void liveobj_put_executable(struct liveobj_section *section);

void liveobj_write_process(struct liveobj_stream *stream, uint64_t since, uint64_t next);
void liveobj_write_status(struct liveobj_stream *stream, const struct liveobj_status *status);
void liveobj_write_sampling(struct liveobj_stream *stream, const struct liveobj_status *status);

// MARK: - capture_tests.c

struct liveobj_recorded_test;
/// Writes a TEST record. \param next The sequence number at which tests that still run end.
void liveobj_put_test(struct liveobj_section *section, const struct liveobj_recorded_test *test,
                      uint64_t next);
void liveobj_write_tests(struct liveobj_stream *stream, uint64_t next);
void liveobj_write_evaluated_tests(struct liveobj_stream *stream);
void liveobj_write_test_findings(struct liveobj_stream *stream);
void liveobj_write_scopes(struct liveobj_stream *stream);
void liveobj_write_known_scopes(struct liveobj_stream *stream);

// MARK: - capture_images.c

struct liveobj_captured_images {
    struct liveobj_captured_image *items; // by id; all that are loaded, as far as there is room
    uint32_t count;
    uint32_t last; // where the last address was found: the next one is often there too
    char *paths;   // NUL-terminated; the first is empty
    size_t paths_used;
};
bool liveobj_captured_images_start(struct liveobj_captured_images *images);
void liveobj_captured_images_end(struct liveobj_captured_images *images);
void liveobj_write_images(struct liveobj_stream *stream,
                          const struct liveobj_captured_images *images);

/// The loaded image that contains an address; UINT32_MAX for none.
uint32_t liveobj_captured_image_id(struct liveobj_captured_images *images, uintptr_t address);
/// An address as the capture format encodes it: image id, and offset in the image.
uint64_t liveobj_frame_word(struct liveobj_captured_images *images, uintptr_t address);

// MARK: - capture_types.c

/// The types of objects, by id.
struct liveobj_captured_types {
    struct liveobj_type_table table;
    struct {
        uintptr_t metadata;
        uint32_t id;
    } last; // the next object often has the same one
};
/// The id of the object's type, and whether it is new; 0 if memory could not be had.
uint32_t liveobj_captured_type_id(struct liveobj_captured_types *types,
                                  const struct liveobj_object *object,
                                  struct liveobj_reader *reader, bool *is_new);
/// Writes a TYPE record. To find the type's name, the runtime may allocate and lock.
void liveobj_put_type(struct liveobj_section *section, uint32_t id, const struct liveobj_type *type,
                      struct liveobj_captured_images *images);
void liveobj_write_superclasses(struct liveobj_stream *stream,
                                const struct liveobj_captured_types *types);

// MARK: - capture_objects.c

void liveobj_put_object(struct liveobj_section *section, const struct liveobj_object *object,
                        uint32_t type, struct liveobj_strong_count count, uint32_t stack);

// MARK: - capture_counts.c

/// The number of live objects of each type, and their bytes.
struct liveobj_type_counts {
    struct liveobj_type_count {
        uint64_t objects;
        uint64_t bytes;
    } * types; // by id; zeros at first
    uint32_t end;
    uint32_t capacity;
};
/// \param type The id of the object's type; 0 if it has none because memory ran out.
/// \returns false if memory ran out.
bool liveobj_type_counts_add(struct liveobj_type_counts *counts, uint32_t type, uint64_t bytes);
void liveobj_type_counts_end(struct liveobj_type_counts *counts);
void liveobj_write_type_counts(struct liveobj_stream *stream,
                               const struct liveobj_type_counts *counts);

// MARK: - capture_memory.c

/// A use of the process's memory, as numbered in the capture format.
enum liveobj_memory_use {
    LIVEOBJ_MEMORY_ALL = 0, // resident
    LIVEOBJ_MEMORY_PEAK,    // the most that was resident at a time
    LIVEOBJ_MEMORY_OBJECTS,
    LIVEOBJ_MEMORY_BEHIND, // blocks of malloc to which objects point, and memory of tasks
    LIVEOBJ_MEMORY_BUFFERS,
    LIVEOBJ_MEMORY_BLOCKS,  // all others of malloc
    LIVEOBJ_MEMORY_FREE,    // in malloc
    LIVEOBJ_MEMORY_TRIMMED, // of that, what `malloc_trim` returns to the system
    LIVEOBJ_MEMORY_STACKS,
    LIVEOBJ_MEMORY_FILES,
    LIVEOBJ_MEMORY_MAPPINGS, // anonymous ones
    LIVEOBJ_MEMORY_RECORDER,
    LIVEOBJ_MEMORY_ARENAS, // of malloc: their number
    LIVEOBJ_MEMORY_THREADS,
    LIVEOBJ_MEMORY_DESCRIPTORS,
    LIVEOBJ_MEMORY_USES,
};

/// Writes what the process's memory is used for, with the numbers of the last call. Adds what only
/// the program can ask the system for. Calls exclude each other.
/// \param memory By use. Without any resident memory nothing is written: the system did not list
/// it.
void liveobj_write_memory(struct liveobj_stream *stream, uint64_t memory[LIVEOBJ_MEMORY_USES]);

// MARK: - capture_stacks.c

/// The traces of the depot that the capture's objects have.
struct liveobj_captured_stacks {
    bool *are_used; // by depot id, below `end`; shared with the snapshot process
    uint32_t end;
};
bool liveobj_captured_stacks_start(struct liveobj_captured_stacks *stacks);
void liveobj_captured_stacks_end(struct liveobj_captured_stacks *stacks);

struct liveobj_capture;
/// Marks a trace of the depot to be written.
/// \returns Its id; 0 if the depot has no such trace.
uint32_t liveobj_captured_stack(struct liveobj_capture *capture, uint32_t stack);
void liveobj_write_stacks(struct liveobj_capture *capture);

// MARK: - The capture

/// A subset of the live objects, by the indices of their records.
struct liveobj_selection {
    uint32_t *indices; // NULL for none
    uint32_t count;
};

/// The objects that are evaluated at the end of a test.
struct liveobj_survivors {
    struct liveobj_recorded_test test;
    const struct liveobj_instance *items;
    size_t count;
};

/// A capture that is being written.
struct liveobj_capture {
    uint64_t since;
    uint64_t deadline;                         // by which references have been read
    const struct liveobj_selection *selection; // of the objects of a graph; NULL for all
    const struct liveobj_survivors *survivors; // whose holders may suffice; NULL for none
    bool is_held;                              // all of them are, and no graph was written
    bool wants_memory;                         // what the resident memory is used for
    struct liveobj_status status;
    struct liveobj_stream stream;
    struct liveobj_reader reader;
    struct liveobj_captured_images images;
    struct liveobj_captured_types types;
    struct liveobj_section type_section;
    struct liveobj_captured_stacks stacks;
};

/// The next record of a graph, of an object that may have been allocated since `sequence` or is
/// selected; 0 after the last one. Any of them may be free.
/// \param position 0 at first.
static inline uint32_t liveobj_captured_next(const struct liveobj_capture *capture,
                                             uint32_t *position, uint64_t sequence) {
    const struct liveobj_selection *selection = capture->selection;
    if (selection)
        return *position < selection->count ? selection->indices[(*position)++] : 0;
    return *position = liveobj_records_next_since(*position, sequence);
}

// MARK: - snapshot/heap_graph.c

/// Writes all live objects and their references.
/// \param entry The calling thread's state at entry into the recorder.
/// \returns NULL, or a sentence about why that failed: then no objects were written.
const char *liveobj_write_heap_graph(struct liveobj_capture *capture,
                                     const struct liveobj_caller_context *entry);
/// Writes that references were not read, and why.
void liveobj_write_no_heap_graph(struct liveobj_stream *stream, const char *why);

#pragma GCC visibility pop
