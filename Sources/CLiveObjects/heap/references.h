// references.h - the references of one object, of a value, or of words of unknown type.
//
// Reads memory directly. So it runs in the snapshot process only, where no other thread runs and a
// fault loses one object's references instead of ending the program.

#pragma once

#include "layout/layout.h"
#include "metadata/types.h"
#include "records/records.h"
#include "runtime/memory_reader.h"

#pragma GCC visibility push(hidden)

#define LIVEOBJ_NO_ELEMENT UINT32_MAX

struct liveobj_reference {
    uintptr_t target; // may be an object's address: the caller looks it up
    uint32_t label;
    uint32_t element;   // index in an array, bucket of a dictionary or set; LIVEOBJ_NO_ELEMENT
    uintptr_t function; // the code of a closure context; 0 for other references
    uintptr_t place;    // of the word, if it was scanned; else 0
};
typedef void (*liveobj_visit_reference_fn)(void *context,
                                           const struct liveobj_reference *reference);

// MARK: - references.c, tasks.c: an object

/// Compiles what `liveobj_references_visit` needs for objects of this type. In the program, before
/// the snapshot process starts.
void liveobj_references_prepare(const struct liveobj_type *type);

#define LIVEOBJ_NO_ELEMENTS UINT64_MAX

struct liveobj_object_contents {
    bool is_precise; // false if metadata is missing and part of the object was only scanned
    uint64_t
        elements; // of the storage of an array, a dictionary, a set or Data; LIVEOBJ_NO_ELEMENTS
};

/// Calls `visit` for every reference of an object whose deinit has not begun.
struct liveobj_object_contents liveobj_references_visit(const struct liveobj_object *object,
                                                        const struct liveobj_type *type,
                                                        liveobj_visit_reference_fn visit,
                                                        void *context);
/// Whether words of an object may be pointers in addition to its references. Those of raw buffers
/// and unknown memory are not: all of it was scanned for references. Text has none. The first
/// properties of arrays and hash tables lead into the object itself.
bool liveobj_references_may_have_pointers(const struct liveobj_object *object,
                                          const struct liveobj_type *type);
/// What a word in the object is by its type; NULL if that is not known.
const struct liveobj_slot *liveobj_references_slot_at(const struct liveobj_object *object,
                                                      const struct liveobj_type *type,
                                                      uintptr_t place);
/// Whether a word in the object is a number by its type.
static inline bool liveobj_references_is_number(const struct liveobj_object *object,
                                                const struct liveobj_type *type, uintptr_t place) {
    const struct liveobj_slot *slot = liveobj_references_slot_at(object, type, place);
    return slot && slot->kind == LIVEOBJ_SLOT_NUMBER;
}
/// Whether a word in the object may be a pointer that it retains by itself: its type says so, or
/// the memory has no type. The elements of arrays and hash tables have types.
bool liveobj_references_is_pointer(const struct liveobj_object *object,
                                   const struct liveobj_type *type, uintptr_t place);

/// The references of Swift's asynchronous tasks (tasks.c).
void liveobj_task_visit(const struct liveobj_object *task, liveobj_visit_reference_fn visit,
                        void *context);

// MARK: - dispatch_objects.c, run_loops.c: objects of the libraries below Swift
//
// Sources, queues and groups of libdispatch, timers and run loops of CoreFoundation are recognised
// by their first word, in memory of malloc and in properties of Swift's wrappers. What is read
// behind it is checked: pointers lead back, names lie in the library. In a library with another
// layout they have no handlers.
//
// `visit` is called for each object that a handler uses. The label is the name of the library's
// object, the function is the handler's code, 0 without one.

/// Finds the libraries. In the program.
void liveobj_dispatch_prepare(void);
/// Forgets what was visited: each group is visited once, with the first object that refers to it.
void liveobj_dispatch_forget(void);
void liveobj_core_prepare(void);
/// Whether an object of the library may begin with this word.
bool liveobj_dispatch_may_begin_with(uintptr_t word);
bool liveobj_core_may_begin_with(uintptr_t word);
/// Visits what handlers use that may still be called.
void liveobj_dispatch_visit_pending(uintptr_t object, liveobj_visit_reference_fn visit,
                                    void *context);
void liveobj_core_visit_pending(uintptr_t object, liveobj_visit_reference_fn visit, void *context);
/// Visits what handlers use that are called only if the owner of the object lets them, as
/// references of the owner: work in a suspended queue, handlers of a source without events, of a
/// channel without operations, of a group. Also the values of a queue that nothing runs on.
void liveobj_dispatch_visit_owned(uintptr_t object, liveobj_visit_reference_fn visit,
                                  void *context);
/// Visits what is notified when a work item has run: the block of a size, if nothing else refers to
/// it.
void liveobj_dispatch_visit_notified(uintptr_t block, size_t bytes,
                                     liveobj_visit_reference_fn visit, void *context);
/// The range of the groups that objects own. Any code with a group's address can leave it.
struct liveobj_extent liveobj_dispatch_groups(void);
/// Notes that the word is there outside of the heap.
void liveobj_dispatch_note_root(uintptr_t word);
/// Whether only an object of Swift leads to the memory, whose words are references of that object.
bool liveobj_dispatch_is_owned(uintptr_t memory);

// MARK: - value_references.c: a value

/// Visits the references of a value of `type` at the place that `label` names.
/// \returns false if part of the value was only scanned.
bool liveobj_references_visit_value(uintptr_t value, uintptr_t type, uint32_t label,
                                    liveobj_visit_reference_fn visit, void *context);

/// The references of a block on the heap, those of blocks that it captured included.
void liveobj_block_visit(uintptr_t block, uint32_t label, liveobj_visit_reference_fn visit,
                         void *context);

/// Visits the words between two addresses, of large memory only what is resident: a program may
/// have reserved more than the machine has.
void liveobj_words_visit(uintptr_t start, uintptr_t end, liveobj_extent_visit_fn visit,
                         void *context);

/// Scans words of unknown type.
void liveobj_references_scan(uintptr_t start, uintptr_t end, uint32_t label,
                             liveobj_visit_reference_fn visit, void *context);

// MARK: - Parts of an object

/// The state of the visit of one object.
struct liveobj_visit {
    liveobj_visit_reference_fn function;
    void *context;
    struct liveobj_reader *reader; // for words that may be metadata
    uint32_t outer;                // the label of the place that contains the value; 0 for none
    uint32_t element;
    uint32_t depth;
    bool is_precise;
    uint64_t elements;
};
struct liveobj_visit liveobj_visit_start(liveobj_visit_reference_fn function, void *context);

/// Visits the references of a value, by its layout.
void liveobj_visit_layout(struct liveobj_visit *visit, const struct liveobj_layout *layout,
                          uintptr_t value);
/// Visits the references of a value at the place that `label` names.
void liveobj_visit_inside(struct liveobj_visit *visit, uint32_t label, uintptr_t type,
                          uintptr_t value);
/// The object whose counts lie in a side table, which the runtime allocates for weak references; 0
/// where the object was freed. Then the side table still has its address, where another may be.
uintptr_t liveobj_side_table_object(uintptr_t side_table);
/// Visits all words that may be references.
void liveobj_visit_scan(struct liveobj_visit *visit, uintptr_t start, uintptr_t end,
                        uint32_t label);

#pragma GCC visibility pop
