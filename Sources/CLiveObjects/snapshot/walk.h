// walk.h - the parts of the heap walk, which runs in the snapshot process.
//
//   heap_walk.c        the order of the parts; visits one object after the other; OBJS
//   walk_survivors.c   whether a test leaves nothing to explain: then nothing is written
//   walk_references.c  LABL, DECL, FUNC, REFS, ELEM
//   walk_blocks.c      BLCK
//   walk_lost_buffers.c  LOST
//   walk_roots.c       ROOT
//   walk_words.c       WORD
//   walk_tasks.c       TASK
//   walk_retains.c     LEDG
//   walk_memory.c      what the resident memory is used for, for MEMO

#pragma once

#include "capture/capture.h"
#include "capture/stream.h"
#include "heap/object_type.h"
#include "heap/references.h"
#include "metadata/address_table.h"
#include "metadata/types.h"
#include "records/records.h"
#include "roots/roots.h"
#include "snapshot/blocks.h"

#pragma GCC visibility push(hidden)

/// A reference as the capture format defines it.
struct liveobj_edge {
    uint32_t source;
    uint32_t target;
    uint32_t label;
    uint32_t element;
    uint32_t function;
};
_Static_assert(sizeof(struct liveobj_edge) == 20, "as the format says");

enum { LIVEOBJ_NEW_TYPES_LIMIT = 1 << 20 }; // address space only

/// What the snapshot process reports in addition to the sections that it writes. In memory shared
/// with the program.
struct liveobj_heap_walk_report {
    uint64_t sections;
    uint32_t unread_objects;
    uint32_t scanned_objects;
    uint32_t timeouts;
    uint32_t unread; // of `enum liveobj_unread`
    bool is_held;    // all that the capture's test left behind; nothing was written
    uint64_t memory[LIVEOBJ_MEMORY_USES];
    /// Types of objects that were allocated after the program had listed the types. Their ids
    /// follow those of the capture. The program looks up their names.
    uint32_t new_type_count;
    struct liveobj_type new_types[LIVEOBJ_NEW_TYPES_LIMIT];
};

/// The input of the walk.
struct liveobj_heap_walk {
    struct liveobj_capture *capture;
    struct liveobj_roots roots;
    struct liveobj_heap_walk_report *report;
};

/// Reads every live object. Writes OBJS, LABL, DECL, FUNC, REFS, ELEM, ROOT, WORD, BLCK,
/// LOST, TASK and LEDG. A `liveobj_snapshot_work_fn`; `context` is a `struct liveobj_heap_walk`.
bool liveobj_heap_walk(void *context, liveobj_write_fn write, void *destination);

/// What the walk has found of an object.
struct liveobj_found {
    uint32_t referrer;        // the last object, counted from 1, with a reference to it; no buffer
    int32_t unexplained : 28; // retains without a strong reference
    bool is_weak_target : 1;  // a buffer with a weak reference to it is a dead object's side table
    bool is_held : 1;         // by a root that is no stale word; a buffer by any word
    bool is_buffer : 1;       // raw memory of the program's that no object or root is known to hold
    bool is_in_use : 1;       // a suspect, by the allocator, which may have freed it for C code
};

struct liveobj_walk {
    struct liveobj_capture *capture;
    struct liveobj_roots *roots;
    struct liveobj_heap_walk_report *report;
    struct liveobj_stream stream;
    uint32_t records_end;
    uint32_t *ordinals; // by record index, counted from 1; 0 if not numbered
    uint32_t *records;  // record indexes, by ordinal
    uint32_t count;
    bool has_tasks;
    struct liveobj_task_memory task_memory;
    struct liveobj_found *found;      // by ordinal, counted from 1
    struct liveobj_suspects suspects; // by ordinal
    uint32_t *held_buffers;           // ordinals of suspects that are held, and not read yet
    uint32_t held_buffer_count;
    uint32_t held_buffer_capacity;
    bool has_unread_words;        // of an object: a buffer may be in use
    struct liveobj_blocks blocks; // that objects may point to

    // The current object.
    uint32_t number; // its ordinal; 0 before the first one
    struct liveobj_object object;
    uint32_t type;
    bool is_new_type;
    struct liveobj_strong_count strong;

    // The current object's references, until all are found.
    struct liveobj_edge *edges;
    uint32_t edge_count;
    uint32_t edge_capacity;
    struct liveobj_object_contents contents;

    struct liveobj_address_table functions;
    uint32_t labels_written;
    uint32_t pointer_label; // 0 until a pointer is searched for
    struct liveobj_section label_section;
    struct liveobj_section declaration_section; // of labels
    struct liveobj_section function_section;
    struct liveobj_section reference_section;
    struct liveobj_section element_section;
};

/// Moves to the next live object. After the last one, moves back to the start.
/// \returns false if there is no next object.
bool liveobj_walk_next(struct liveobj_walk *walk);
/// Moves to the object with this ordinal.
void liveobj_walk_move(struct liveobj_walk *walk, uint32_t number);
/// The index of the current object among all objects, counted from 0.
static inline uint32_t liveobj_walk_ordinal(const struct liveobj_walk *walk) {
    return walk->number - 1;
}
/// Reads the current object's type and counts. A fault ends the step.
void liveobj_walk_read_header(void *walk);

/// The index of the live object at an address, counted from 1; 0 if there is none. A task of
/// `async let` has that of the task whose memory it is in.
uint32_t liveobj_walk_find(const struct liveobj_walk *walk, uintptr_t address);

/// A function's first address, encoded as a return address.
static inline uint64_t liveobj_walk_code_word(struct liveobj_walk *walk, uintptr_t function) {
    return liveobj_frame_word(&walk->capture->images, function + 1);
}

/// Starts and finishes the sections of labels and their declarations.
bool liveobj_walk_start_labels(struct liveobj_walk *walk);
void liveobj_walk_finish_labels(struct liveobj_walk *walk);
/// Writes the labels that were made since the last call.
void liveobj_walk_put_new_labels(struct liveobj_walk *walk);

/// Adds a reference of the current object.
void liveobj_walk_add_edge(struct liveobj_walk *walk, struct liveobj_edge edge);
void liveobj_walk_put_edges(struct liveobj_walk *walk, struct liveobj_section *section);

void liveobj_walk_write_references(struct liveobj_walk *walk);
/// Adds the blocks that the current object may point to: words of its stored properties.
void liveobj_walk_find_blocks(struct liveobj_walk *walk, const struct liveobj_type *type);
void liveobj_walk_write_blocks(struct liveobj_walk *walk);
/// Whether roots hold all that a test left behind, as far as strong references show it. Before
/// objects are numbered.
bool liveobj_walk_proves_held(struct liveobj_walk *walk, const struct liveobj_survivors *survivors);
/// Whether code of the program allocated a raw buffer, not the runtime for itself. In a step.
bool liveobj_buffer_may_be_lost(const struct liveobj_object *buffer);
/// Finds the raw buffers to which no object refers, after the references were written.
void liveobj_walk_find_buffers(struct liveobj_walk *walk);
/// Lists these buffers and the objects with an unexplained retain, if no root is known to hold
/// them.
void liveobj_walk_find_suspects(struct liveobj_walk *walk);
void liveobj_walk_write_roots(struct liveobj_walk *walk);
void liveobj_walk_write_words(struct liveobj_walk *walk);
void liveobj_walk_write_lost_buffers(struct liveobj_walk *walk);
void liveobj_walk_write_tasks(struct liveobj_walk *walk);
void liveobj_walk_write_retains(struct liveobj_walk *walk);
/// Counts what the memory of malloc and anonymous mappings is used for, and adds what the list of
/// mappings says about the rest.
/// After all blocks behind objects were found.
void liveobj_walk_count_memory(struct liveobj_walk *walk);

#pragma GCC visibility pop
