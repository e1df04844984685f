// roots.h - the roots: references to objects from outside of the heap.
//
// `liveobj_roots_find` runs in the program just before the snapshot process starts, and asks the
// system where memory lies. In the snapshot process `liveobj_roots_place_stacks` finds the stacks
// in it, and `liveobj_roots_scan` reads it, or `liveobj_roots_scan_in_use` a part of it.

#pragma once

#include "heap/suspects.h"
#include "metadata/task_memory.h"
#include "records/thread.h"
#include "roots/dispatch_continuations.h"
#include "roots/malloc_chunks.h"
#include "roots/mappings.h"
#include "roots/waiting_threads.h"

#pragma GCC visibility push(hidden)

/// The kind of a root, as numbered in the capture format.
enum liveobj_root_kind {
    LIVEOBJ_ROOT_GLOBAL = 1,       // place: the variable's address
    LIVEOBJ_ROOT_STACK = 2,        // place: the thread's id
    LIVEOBJ_ROOT_THREAD_LOCAL = 3, // place: the thread's id; 0 if unknown
    LIVEOBJ_ROOT_C_MEMORY = 4,     // place: the address of the word; 0 for one of `words`
    LIVEOBJ_ROOT_HANDLER = 5,      // place: the address of the block's code; 0 for no block
    LIVEOBJ_ROOT_KIND_LAST = LIVEOBJ_ROOT_HANDLER,
};

/// A word outside of the heap that refers to an object.
struct liveobj_root {
    enum liveobj_root_kind kind;
    uintptr_t target; // may be an object's address: the caller looks it up
    uintptr_t word;   // with its tag; 0 for one that can only be a plain address
    uintptr_t place;
    uint32_t label; // of a handler: the name of the object that will call it; 0 if unknown
    bool is_in_use; // of C memory: the word cannot be old
};

/// Called for a chunk of the C library's allocator that is in use, with the address that malloc
/// returned.
typedef void (*liveobj_visit_chunk_fn)(void *context, uintptr_t content, uint64_t bytes);

typedef void (*liveobj_visit_root_fn)(void *context, const struct liveobj_root *root);

struct liveobj_memory_range {
    uintptr_t start;
    uintptr_t end;
    enum liveobj_root_kind kind; // GLOBAL, STACK or C_MEMORY
    uint32_t thread;             // for STACK
    bool ends_at_stack; // at a thread's stack pointer, below which its last calls left stale words
    bool is_idle;       // a stack: only the thread's variables on it are in use
    bool is_shared;     // with other processes
    bool is_file;       // only the pages that are the process's own copies are read
    bool is_of_libc;    // variables: malloc's own lead to the ends of chunks
    bool is_inaccessible;    // made readable before it is read
    uint64_t resident_bytes; // of a mapping, as the system lists it
};

/// A heap of the C library's allocator, whose chunks were read to the end.
struct liveobj_known_heap {
    uintptr_t start; // of the memory that begins with it
    struct liveobj_chunks chunks;
};

/// What the list of mappings says about the process's resident memory, in bytes. All are 0 where
/// the system does not list it.
struct liveobj_resident {
    uint64_t all;
    uint64_t files; // of files, and of the variables of the program and its libraries
    uint64_t recorder;
    uint64_t shared; // memory that other processes may have too
    uint64_t stacks; // of mappings with a stack in them; once the stacks are placed
};

/// The memory that holds roots: variables, stacks, anonymous memory and changed pages of private
/// files, also if it is read-only or inaccessible by now. Without the recorder's own.
struct liveobj_roots {
    struct liveobj_memory_range *ranges;
    uint32_t count;
    uint32_t capacity;
    struct liveobj_memory_range *mappings; // that become ranges when the stacks are known
    uint32_t mapping_count;
    uint32_t mapping_capacity;
    struct liveobj_extent *taken; // added with another kind, or the recorder's own
    uint32_t taken_count;
    uint32_t taken_capacity;
    uint32_t image_count; // the first of `taken`, which are variables of images
    struct liveobj_resident resident;
    struct liveobj_known_heap *heaps; // of `ranges`: to find one takes a walk over its chunks
    uint32_t heap_count;
    uint32_t heap_capacity;
    uintptr_t *words; // that the snapshot process does not have: the kernel does, or no fork gets
    uint32_t word_count;
    uint32_t word_capacity;
    struct liveobj_stopped_threads threads; // the others
    size_t thread_local_bytes;              // of one thread, at its control block; at most
    const struct liveobj_caller_context *entry;
    uint32_t own_thread;
    uintptr_t first_stack; // an address in the stack on which the process began; 0 if unknown
    uint32_t unread;       // of `enum liveobj_unread`
    bool failed;           // memory ran out
    liveobj_visit_chunk_fn visit_chunk; // NULL for none
    void *visit_context;
    struct liveobj_waiting_code waiting_code;
    struct liveobj_continuation_caches caches;
};

/// \param entry The calling thread's state at entry into the recorder. Must live as long as
/// `roots`.
/// \returns NULL, or a sentence about what failed.
const char *liveobj_roots_find(struct liveobj_roots *roots,
                               const struct liveobj_caller_context *entry);
void liveobj_roots_end(struct liveobj_roots *roots);
/// Adds a range; notes it if memory ran out.
void liveobj_roots_add(struct liveobj_roots *roots, struct liveobj_memory_range range);
/// Whether a thread's stack pointer is not known.
bool liveobj_roots_miss_stacks(const struct liveobj_roots *roots);
/// Divides the mappings by the stacks in them. In the snapshot process.
/// \returns false if memory ran out.
bool liveobj_roots_place_stacks(struct liveobj_roots *roots);
/// Whether the words around the address are in memory that C code may have allocated.
/// A `liveobj_is_heap_fn`.
bool liveobj_roots_is_heap(const void *roots, uintptr_t address);
/// Whether the memory begins with a heap of malloc. Quick for the heaps that are known. In a step.
bool liveobj_roots_find_chunks(const struct liveobj_roots *roots, uintptr_t start, uintptr_t end,
                               struct liveobj_chunks *chunks);
/// Visits words that may refer to objects, or lead to a suspect. Skips words inside live objects:
/// those are references. In the memory of tasks, which are references too, it visits only the words
/// that lead to a suspect, without a target. \returns what was not read, of `enum liveobj_unread`.
uint32_t liveobj_roots_scan(const struct liveobj_roots *roots,
                            const struct liveobj_task_memory *tasks,
                            const struct liveobj_suspects *suspects, liveobj_visit_root_fn visit,
                            void *context);
/// Visits words of the program's variables, and of the parts of its stacks that are in use.
void liveobj_roots_scan_in_use(const struct liveobj_roots *roots, liveobj_visit_root_fn visit,
                               void *context);

#pragma GCC visibility pop
