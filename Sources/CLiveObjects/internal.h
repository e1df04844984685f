// internal.h - the recorder's private surface, as a map of its files.
//
//   handover.c    the public functions: to this copy of the recorder, or to the preloaded one
//   recorder.c    start, stop, status; the one place where the parts below are put together
//   runtime.c     where the Swift runtime's symbols lie in this process (runtime.def)
//   image.c       loaded images: segments, symbols, global-offset-table slots, build ids
//   repair.c      is the retain path sound once hooks are on, and the way to make it so
//   hooks.c       what runs inside the runtime; hooks.def lists the pointers and slots it takes
//   retain_hooks.c  the same for retains and releases
//   thread.c      what one thread owns while it records
//   records.h     object -> record and back, in every hook; records.c is the rest of it
//   page_map.h    address -> record index
//   retain_ledger.h  record -> who retained and released the object, by call site
//   watched_types.h  whether a type is one of those asked for
//   stacks.h      from registers to a stack trace id
//   reader.c      reading the heap of a running program without touching freed memory
//   free_memory.c  memory that old words lead to, kept from being handed out
//   types.c       metadata -> type id, kind and name
//   stream.h      sections and records of the capture stream
//   capture.h     the writers of a capture's sections, and their order
//   buffer.c      captures into memory and files
//   scopes.h      which scope was opened in which
//   tests.h       the tests that this process has run
//   test_journal.c  what is known of them, as soon as it is known
//   census.c      which objects, how many, of which types: what can be said without a capture
//   cycle_search.h  whether what a test left behind could keep itself alive
//   global_search.h  whether variables of the program hold what a test left behind
//   os.h          every system call
//
// Reading the heap:
//
//   heap/heap_graph.c  from the wish for references to the sections that hold them
//   heap/child.h       the copy of the process in which it is read
//   heap/walk.h        what the copy does
//   heap/labels.h      what a reference is called
//   heap/layout.h      where a type's values hold references
//   heap/captured_type.h, heap/generic_environment.h   the same of what a closure captures
//   heap/references.h  what one object refers to
//   heap/tasks.h       asynchronous tasks
//   heap/idle_threads.h  whether other threads can hold an object in a register
//   heap/roots.h       who may hold an object from outside of the heap
//   heap/malloc_chunks.h   which memory of the C library is free, and so holds nothing

#ifndef LIVEOBJ_INTERNAL_H
#define LIVEOBJ_INTERNAL_H

#include "CLiveObjects.h"
#include "os.h"
#include "stacks.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// None of this is for other images: calls and variables need no global offset table then.
#pragma GCC visibility push(hidden)

// MARK: - image.c

/// A loaded image. Pointers lead into memory of the dynamic linker and of the image itself.
struct liveobj_image {
    uintptr_t bias;
    uintptr_t start;
    uintptr_t end;
    const char *path;
    const void *headers; // ElfW(Phdr)
    size_t header_count;
    uintptr_t thread_locals; // those of the thread that looks; 0 if it has none yet
    bool is_main;
};

/// Calls `visit` for every image, the executable first, until it returns true. Takes the dynamic
/// linker's lock: outside of hooks only. `visit` must not look at images itself.
typedef bool (*liveobj_image_visit_fn)(void *context, const struct liveobj_image *image);
void liveobj_images_visit(liveobj_image_visit_fn visit, void *context);
void liveobj_images_visit_locks(liveobj_lock_visit_fn visit, void *context);

/// Whether the name of its file begins with `prefix`.
bool liveobj_image_is_named(const struct liveobj_image *image, const char *prefix);

/// Finds the image that holds `address`.
bool liveobj_image_of(uintptr_t address, struct liveobj_image *image);

/// Calls `visit` for the memory of the image's variables: what can be written, and can still be
/// once the image is relocated.
void liveobj_image_visit_variables(const struct liveobj_image *image, liveobj_extent_visit_fn visit,
                                   void *context);

/// The bounds of the symbol in the image's file on disk (`.symtab`, then `.dynsym`); {0, 0} if
/// absent.
struct liveobj_extent liveobj_image_symbol(const struct liveobj_image *image, const char *name);

/// Where the image's code contains these bytes for the first time; {0, 0} if nowhere.
struct liveobj_extent liveobj_image_code_like(const struct liveobj_image *image, const void *bytes,
                                              size_t count);

/// The name of a symbol that begins at `address`, among those that begin with `prefix`.
/// \returns false if there is none or its name does not fit.
bool liveobj_image_symbol_at(const struct liveobj_image *image, uintptr_t address,
                             const char *prefix, char *name, size_t capacity);

/// True if the file on disk has a section whose name begins with `prefix`.
bool liveobj_image_has_section(const struct liveobj_image *image, const char *prefix);

/// True if the address lies in a segment of the image with at least the wanted protection (PF_X,
/// PF_W).
bool liveobj_image_contains(const struct liveobj_image *image, uintptr_t address,
                            uint32_t segment_flags);

/// Stores `replacement` in every global-offset-table slot of the image that is bound to `symbol`.
struct liveobj_slots {
    unsigned found;   // all of them
    unsigned changed; // those that held something else
};
struct liveobj_slots liveobj_image_replace_slots(const struct liveobj_image *image,
                                                 const char *symbol, void *replacement);

/// The same in a loaded library, found by its file's name, or in the executable (NULL). Not inside
/// `liveobj_images_visit`. \returns the number of slots found.
unsigned liveobj_images_replace_slots(const char *file_name, const char *symbol, void *replacement);

struct liveobj_build_id {
    const unsigned char *bytes;
    size_t count;
};
struct liveobj_build_id liveobj_image_build_id(const struct liveobj_image *image);

// MARK: - runtime.c

/// The Swift runtime of this process. A member is NULL where the runtime has no such symbol.
struct liveobj_runtime {
#define LIVEOBJ_RUNTIME_SYMBOL(name) void *name;
#include "runtime.def"
#undef LIVEOBJ_RUNTIME_SYMBOL
    /// The image that holds the runtime: libswiftCore, or a static executable.
    struct liveobj_image image;
    /// The image that makes tasks. All zero for a program that was not linked with it, even if a
    /// library that is loaded later brings it along: tasks are not seen then.
    struct liveobj_image concurrency;
    /// The image that holds Foundation, or all zero likewise.
    struct liveobj_image foundation;
};

/// Finds the runtime.
/// \returns LIVEOBJ_STATE_READY, LIVEOBJ_STATE_NO_RUNTIME, or LIVEOBJ_STATE_BLIND for a runtime
/// whose symbols were stripped.
enum liveobj_state liveobj_runtime_find(struct liveobj_runtime *runtime);

// MARK: - repair.c

/// Whether `_swift_retain` may be switched on in this runtime. Repairs it where it can. Needs a
/// process with one thread, for it sets the hook pointers for an instant.
enum liveobj_retain_path {
    LIVEOBJ_RETAIN_PATH_SOUND,
    LIVEOBJ_RETAIN_PATH_REPAIRED,
    LIVEOBJ_RETAIN_PATH_FAULTY,
};
enum liveobj_retain_path liveobj_retain_path_prepare(const struct liveobj_runtime *runtime);

/// The variable that the repaired retain path jumps through, else NULL.
void **liveobj_retain_path_variable(void);

// MARK: - thread.c

struct batch;

/// What a thread owns while it records. Blocks outlive their threads: the next thread takes over
/// the free records, the sequence numbers and the counts that the last one left.
struct liveobj_thread {
    struct liveobj_thread *next; // in the list of all blocks, for good
    bool is_taken;               // atomic

    uint32_t *free_indices; // of records ready for use: [0, free_count), room for free_capacity
    uint32_t free_count;
    uint32_t free_capacity;
    struct batch *batch;       // where `free_indices` lie
    struct batch *spare_batch; // a full one, or NULL
    uint32_t loose;            // first of a chain of free records, or 0; see records.c

    uint64_t sequence_next; // numbers of its own: [sequence_next, sequence_end)
    uint64_t sequence_end;
    uint64_t epoch;

    struct liveobj_stack_cache *stacks;

    // Written by the owner, read by anybody: relaxed atomics.
    uint64_t allocations;
    uint64_t deaths;
    uint64_t missed_deaths;
    uint64_t dropped;
};

/// What of a thread was the program's when work for the recorder began.
struct liveobj_entry {
    uintptr_t stack_pointer; // what lies deeper is the recorder's
    /// That a function leaves as they were, as complements: plain words would be found in memory.
    uintptr_t registers[10];
};

/// A thread's own variables. Initial-exec: the default model may allocate on first touch, which
/// inside a hook ends in recursion.
struct liveobj_tls {
    struct liveobj_thread *thread;
    uint32_t guard;   // not 0: this thread is at work for the recorder
    bool ended;       // its destructors have run
    int cancel_state; // the program's, during own work
    uint64_t signals; // the program's blocked ones, during a fork
    struct liveobj_entry entry;
};

/// What the guard counts: a hook that is under way, and work of the recorder's own, which may nest.
enum { LIVEOBJ_GUARD_HOOK = 1, LIVEOBJ_GUARD_OWN_WORK = 2 };

extern __thread struct liveobj_tls liveobj_tls __attribute__((tls_model("initial-exec")));

// A thread-local variable of this model is a plain load.
LIVEOBJ_UNCHECKED_BEGIN
LIVEOBJ_HOOK static inline struct liveobj_tls *liveobj_tls_get(void) {
    return &liveobj_tls;
}
LIVEOBJ_UNCHECKED_END

/// Around what a hook does while it must not be repeated by a signal handler of the same thread.
/// The fences keep the compiler from moving the work out from under the guard.
LIVEOBJ_HOOK static inline void liveobj_guard_set(struct liveobj_tls *tls) {
    tls->guard = LIVEOBJ_GUARD_HOOK;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}
LIVEOBJ_HOOK static inline void liveobj_guard_clear(struct liveobj_tls *tls) {
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    tls->guard = 0;
}

bool liveobj_threads_start(void);

/// Gives the calling thread, whose guard is set, a block, or NULL if there is no memory. Slow path.
LIVEOBJ_HOOK struct liveobj_thread *liveobj_thread_attach(void);
/// Gives up the block of a thread whose destructors have run. Slow path.
LIVEOBJ_HOOK void liveobj_thread_detach(void);

/// The sums over all blocks.
struct liveobj_counts {
    uint64_t allocations;
    uint64_t deaths;
    uint64_t missed_deaths;
    uint64_t dropped;
};
struct liveobj_counts liveobj_threads_counts(void);
/// What happened where no thread's block could be used; atomic.
extern struct liveobj_counts liveobj_counts_of_no_thread;
/// Counts an allocation that was not recorded for want of a block.
LIVEOBJ_HOOK void liveobj_counts_add_drop(void);

uint64_t liveobj_sequence_mark(void);
/// Gives the thread new numbers of its own. Slow path.
LIVEOBJ_HOOK void liveobj_sequence_refill(struct liveobj_thread *thread);
/// Raised by each mark; makes every thread take new numbers.
extern uint64_t liveobj_sequence_epoch;

static inline uint64_t liveobj_sequence_next(struct liveobj_thread *thread) {
    // Acquire: the epoch before the counter that the refill reads.
    uint64_t epoch = __atomic_load_n(&liveobj_sequence_epoch, __ATOMIC_ACQUIRE);
    if (LIVEOBJ_UNLIKELY(thread->sequence_next == thread->sequence_end || thread->epoch != epoch))
        liveobj_sequence_refill(thread);
    return thread->sequence_next++;
}

void liveobj_threads_after_fork_child(void);

// MARK: - records.c

/// Stands in for the metadata of what has none, or has it in its header only.
enum {
    LIVEOBJ_METADATA_RAW_BUFFER = 1,
    LIVEOBJ_METADATA_IN_HEADER = 2,
    LIVEOBJ_METADATA_TASK = 3,
};

/// What is known of a live object, unpacked.
struct liveobj_object {
    uintptr_t address;
    uintptr_t metadata; // or one of LIVEOBJ_METADATA_*
    uint64_t bytes;
    uint64_t sequence;
    uint32_t stack;
    uint32_t scope;
};

bool liveobj_records_start(uint64_t max_objects);
/// Indices are below this for ever.
uint32_t liveobj_records_limit(void);
/// Indices are below this at present.
uint32_t liveobj_records_room(void);

/// Records have the indices [1, end).
uint32_t liveobj_records_end(void);
/// \returns false if no live object has this index. Another thread may free the object meanwhile.
bool liveobj_records_get(uint32_t index, struct liveobj_object *object);
bool liveobj_records_find(uintptr_t address, struct liveobj_object *object);

void liveobj_records_visit_locks(liveobj_lock_visit_fn visit, void *context);

// MARK: - hooks.c

bool liveobj_hooks_install(const struct liveobj_runtime *runtime, enum liveobj_way way);
void liveobj_hooks_pause(void);
void liveobj_hooks_resume(void);
/// Has the runtime allocate and free a piece of memory, and looks whether the hooks saw both and,
/// by the second way, told an object from a raw buffer.
bool liveobj_hooks_test(const struct liveobj_runtime *runtime);
/// Whether hooks record stack traces.
void liveobj_hooks_set_stacks(bool on);
LIVEOBJ_HOOK bool liveobj_hooks_record_stacks(void);
void liveobj_hooks_set_scope_key(enum liveobj_scope_owner owner, const void *key);
bool liveobj_hooks_set_task_scope(uint32_t scope);
/// The scope that is bound where the calling thread is; 0 for none.
LIVEOBJ_HOOK uint32_t liveobj_hooks_current_scope(void);

// MARK: - retain_hooks.c

/// Takes over the runtime's retain pointers and, in all images, what increments without them.
void liveobj_retain_hooks_install(const struct liveobj_runtime *runtime);
/// Whether images were loaded later that may increment unseen; from then on they are seen. Takes
/// the dynamic linker's lock.
bool liveobj_retain_hooks_were_late(void);

// MARK: - reader.c

/// Metadata that proved to be sound.
struct liveobj_known_metadata {
    uintptr_t address;
    /// Of what it leads to directly, some lies where an image was until then; 0 if none does.
    uint64_t last_unload;
};

/// Reads memory of this process that may not be there, or not any more.
struct liveobj_reader {
    bool direct;  // in the copy of the process: plain loads will do
    bool refused; // the system does not let us look
    uintptr_t page;
    uint32_t unloads; // what is known of metadata is as old as this one
    struct liveobj_known_metadata known[256];
    unsigned char bytes[LIVEOBJ_PAGE_BYTES];
};
void liveobj_reader_start(struct liveobj_reader *reader);
/// \returns false if the memory is not there (any more).
bool liveobj_read(struct liveobj_reader *reader, uintptr_t address, void *into, size_t count);
/// For an address that may never have been one.
bool liveobj_read_checked(struct liveobj_reader *reader, uintptr_t address, void *into,
                          size_t count);
/// The same, by one call of the system for all of it.
bool liveobj_read_block(struct liveobj_reader *reader, uintptr_t address, void *into, size_t count);

// MARK: - types.c

/// Kinds as the capture format numbers them.
enum liveobj_type_kind {
    LIVEOBJ_TYPE_CLASS = 1,
    LIVEOBJ_TYPE_CLOSURE_CONTEXT_OR_BOX = 2,
    LIVEOBJ_TYPE_GENERIC_BOX = 3,
    LIVEOBJ_TYPE_ERROR_BOX = 4,
    LIVEOBJ_TYPE_RAW_BUFFER = 5,
    LIVEOBJ_TYPE_OTHER = 6,
    LIVEOBJ_TYPE_TASK = 7,
    /// Its metadata went with an image that was unloaded. In the format: LIVEOBJ_TYPE_OTHER.
    LIVEOBJ_TYPE_UNLOADED = 8,
};

struct liveobj_type {
    uintptr_t metadata;
    /// The metadata that names it: its own, or that of what is boxed; 0 for none. Of
    /// LIVEOBJ_TYPE_UNLOADED: the sequence number at which the image was unloaded.
    uintptr_t subject;
    enum liveobj_type_kind kind;
};

/// Reads the object's reference counts as the runtime packs them.
struct liveobj_strong_count {
    bool is_known;
    bool is_pinned;  // deinit has begun or run; unowned references keep the memory
    bool is_visited; // weak or unowned references to it were made
    uint32_t value;
};
struct liveobj_strong_count liveobj_strong_count_of(const struct liveobj_object *object,
                                                    struct liveobj_reader *reader);

/// What the object is an instance of; by its record and, where that is not enough, its header. Type
/// and subject are what may be followed: of what cannot be read, or proved to be unreadable in the
/// copy of the process, LIVEOBJ_TYPE_OTHER is all that is said.
struct liveobj_type liveobj_type_of(const struct liveobj_object *object,
                                    struct liveobj_reader *reader);
/// The same, as it looks at first sight; for heap/type_trial.c.
struct liveobj_type liveobj_type_at_first_sight(const struct liveobj_object *object,
                                                struct liveobj_reader *reader);
/// Whether metadata, or its descriptor, superclass or generic arguments lie where an image was that
/// is gone.
bool liveobj_metadata_is_lost(uintptr_t metadata, struct liveobj_reader *reader);

/// Whether `header`, the first word of an object, is that of an asynchronous task. A task is
/// recorded before the runtime has written its header.
bool liveobj_type_is_task(uintptr_t header);

/// The number of values that a closure context or box holds; 0 for other kinds, and without
/// reflection metadata.
uint32_t liveobj_type_capture_count(const struct liveobj_type *type);

struct liveobj_name {
    const char *text;
    size_t length;
};
/// The type's name as the runtime spells it; empty for none. The runtime allocates and locks here.
struct liveobj_name liveobj_type_name(const struct liveobj_type *type);

/// Types by id, from 1 in the order in which they were first seen.
struct liveobj_type_table {
    struct liveobj_type *types; // by id
    uint32_t *slots;            // open addressing: ids
    uint32_t count;
    uint32_t capacity; // of `slots`, a power of two; twice that of `types`
};
bool liveobj_type_table_start(struct liveobj_type_table *table);
void liveobj_type_table_end(struct liveobj_type_table *table);
/// The id of `type`, and whether it is a new one; 0 if there is no memory for it.
uint32_t liveobj_type_table_id(struct liveobj_type_table *table, const struct liveobj_type *type,
                               bool *is_new);

// MARK: - capture.c

/// `liveobj_capture`, for a thread whose guard is set.
struct liveobj_capture_request {
    uint64_t since;
    enum liveobj_contents contents;
    const struct liveobj_selection *selection; // NULL for all; only with references
    liveobj_write_fn write;
    void *context;
    const struct liveobj_entry *entry;
};
bool liveobj_capture_write(const struct liveobj_capture_request *request);
void liveobj_captures_after_fork_child(void);

// MARK: - census.c

/// `liveobj_live_count`, `liveobj_visit_types` and `liveobj_test_visit_instances`, for a thread
/// whose guard is set.
struct liveobj_kept_test;
uint64_t liveobj_census_count(uint64_t since);
void liveobj_census_visit(uint64_t since, liveobj_visit_type_fn visit, void *context);
void liveobj_census_visit_test(const struct liveobj_kept_test *test,
                               liveobj_visit_instance_fn visit, void *context);

// MARK: - recorder.c

/// Probe and repair; once, as early as possible.
void liveobj_recorder_prepare(void);
/// Around a call that may unload libraries (unloads.h).
void liveobj_recorder_note_unloads(void);
const struct liveobj_runtime *liveobj_recorder_runtime(void);
struct liveobj_status liveobj_recorder_status(void);
/// Whether a capture can be made without waiting for a lock of the recorder's that is not given
/// back: false if the calling thread holds one itself (it was interrupted by a signal), or another
/// thread still does after the given time. Async-signal-safe.
bool liveobj_recorder_locks_are_free(uint64_t nanoseconds);
/// Around a fork of the process: nothing of the recorder's is half-way through a change.
void liveobj_recorder_before_fork(void);
void liveobj_recorder_after_fork(void);

#pragma GCC visibility pop

#endif
