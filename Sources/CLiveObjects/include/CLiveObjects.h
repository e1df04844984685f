//===--- CLiveObjects.h - the recorder's whole C surface ------------------===//
//
// The recorder watches the Swift runtime of the process it lives in. It knows
// every heap object that was allocated since tracking started and is still
// alive: its address, its type's metadata, its size, when it was made and by
// which call. It explains nothing; `liveobj_capture` writes what it knows as
// one stream (Documentation/internals/capture-format.md) and others read that.
//
//   liveobj_start(&settings);           // from now on objects are recorded
//   uint64_t mark = liveobj_mark();     // a baseline is one number
//   ...
//   liveobj_capture(mark, LIVEOBJ_CONTENTS_OBJECTS, write, ctx); // those since, still alive
//
// Where it can see nothing it says so: see `liveobj_status`. A recorder that
// is not in state LIVEOBJ_TRACKING must never be taken for "no objects".
//
// One process has one recorder. A program that links this library and also
// runs under the preload library holds two copies; every function here then
// acts on the preloaded one (`handover.c`).
//
// Functions may be called from any thread and never from a signal handler,
// unless their comment says otherwise. None throws, aborts, or prints.
//
//===----------------------------------------------------------------------===//

#ifndef CLIVEOBJECTS_H
#define CLIVEOBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// For the image that holds the recorder only: two copies in one process must not mix.
#pragma GCC visibility push(hidden)

// MARK: - What can be watched

/// How far the recorder got in this process.
enum liveobj_state {
    /// The process holds no Swift runtime. There is nothing to watch.
    LIVEOBJ_STATE_NO_RUNTIME = 0,
    /// There is a Swift runtime, and it cannot be watched; `reason` says why.
    LIVEOBJ_STATE_BLIND = 1,
    /// The runtime can be watched, and tracking is off.
    LIVEOBJ_STATE_READY = 2,
    /// Every allocation is being recorded.
    LIVEOBJ_STATE_TRACKING = 3,
};

/// By which way the recorder sees allocations.
enum liveobj_hook_mode {
    LIVEOBJ_HOOKS_NONE = 0,
    /// The runtime's own hook pointers (`_swift_allocObject` and its family).
    LIVEOBJ_HOOKS_POINTERS = 1,
    /// The allocator slots in the runtime's global offset table; used where the
    /// pointers cannot be used safely.
    LIVEOBJ_HOOKS_GOT = 2,
};

/// Where stack traces come from.
enum liveobj_stack_source {
    LIVEOBJ_STACKS_OFF = 0,
    /// Unwind tables, with libunwind behind them.
    LIVEOBJ_STACKS_UNWIND = 1,
    /// Frame pointers only: libunwind is not there. Traces may miss frames.
    LIVEOBJ_STACKS_FRAME_POINTERS = 2,
};

/// What tracking shall do. Start from `liveobj_settings_default`.
struct liveobj_settings {
    /// The way to use; LIVEOBJ_HOOKS_NONE lets the recorder choose.
    enum liveobj_hook_mode hook_mode;
    /// Record the stack trace of every allocation.
    bool stacks;
    /// Record retains and releases by call site.
    bool retains;
    /// Of which types: patterns separated by commas, which match a type's whole module-qualified
    /// name without generic arguments, `*` standing for any text (`Demo.Cache,Demo.Model.*`). NULL
    /// for all objects. Need not outlive the call.
    const char *retained_types;
    /// Frames kept of one stack trace, innermost first; 1 to 512.
    uint32_t depth;
    /// Objects that can be live at once before records are dropped.
    uint64_t max_objects;
    /// Bytes that stack traces may take before they are dropped.
    uint64_t max_stack_bytes;
};

/// The state of the recorder, and what it could not do.
struct liveobj_status {
    enum liveobj_state state;
    enum liveobj_hook_mode hook_mode;
    enum liveobj_stack_source stacks;
    bool retains;
    uint32_t depth;
    /// Objects and stack traces that were not recorded because an arena was full.
    uint64_t dropped_records;
    uint64_t dropped_stacks;
    /// Addresses that were allocated again while still recorded as alive.
    uint64_t missed_deallocations;
    uint64_t allocations;
    uint64_t deallocations;
    /// One sentence for people: why nothing is watched, or what is not watched although it was
    /// asked for; else an empty string.
    const char *reason;
};

/// Depth 64, stacks on, retains off, and limits that a large test suite does
/// not reach (2^27 objects, 4 GiB of stack traces; address space, not memory).
struct liveobj_settings liveobj_settings_default(void);

/// Starts tracking, or changes nothing if it is on already.
///
/// Objects allocated before the first start are never seen. A start after a
/// stop goes on with the settings of the first start.
///
/// \param settings What to record; NULL for the defaults.
/// \returns LIVEOBJ_STATE_TRACKING on success, else why not.
enum liveobj_state liveobj_start(const struct liveobj_settings *settings);

/// Records no new objects from now on. The deallocations of recorded objects are
/// still followed, so that what remains recorded stays true.
void liveobj_stop(void);

/// The recorder's present state. Async-signal-safe.
struct liveobj_status liveobj_status(void);

/// The recorder of this process, where another one than this copy is used:
/// true if calls go to the preloaded library's copy.
bool liveobj_is_handed_over(void);

// MARK: - Baselines and scopes

/// A baseline: objects recorded after this call returned have this sequence
/// number or a greater one; objects recorded before it was called, a smaller
/// one. Async-signal-safe.
uint64_t liveobj_mark(void);

/// A new scope id. Never 0. The scope that is bound where it is made becomes its
/// parent.
uint32_t liveobj_scope_make(void);

/// Whose task-local value holds a scope id.
enum liveobj_scope_owner {
    /// The preload library's: test cases.
    LIVEOBJ_SCOPE_TESTS = 0,
    /// The API's: diffs, which may run inside a test case.
    LIVEOBJ_SCOPE_DIFFS = 1,
};

/// Names the task-local value that holds an owner's current scope id (its first four bytes are a
/// `uint32_t`).
///
/// While a key is set, every allocation looks the value up and stores it with
/// the object; a diff's scope goes before a test's. Objects made where nothing is bound have the
/// scope in which the running task was made, if that is known, else scope 0.
/// \param key The `TaskLocal` object, which must live for ever; NULL for none.
void liveobj_scope_set_key(enum liveobj_scope_owner owner, const void *key);

/// Where no task-local value can be bound: from now on the running task works in this scope, and so
/// do the tasks that it makes, as long as no bound value says otherwise. Cost as with a key.
/// \param scope 0 for the one in which the task was made.
/// \returns false if no task runs here, or it is not recorded: nothing has changed then.
bool liveobj_scope_set_task(uint32_t scope);

// MARK: - Own work

/// Allocations of the calling thread are not recorded until the matching
/// `liveobj_ignore_end`. Pairs nest. A thread must not end, and Swift code
/// must not suspend, in between.
void liveobj_ignore_begin(void);
void liveobj_ignore_end(void);

/// Overwrites what calls that have returned left on the calling thread's stack, 16 KB of it.
///
/// The frames of the next capture would lie over it, and references that they did not
/// overwrite would look like theirs.
void liveobj_stack_forget(void);

/// Takes free memory to which old words on the calling thread's stack may lead, so that no object
/// made meanwhile has such an address and looks held.
/// \returns what to give back, on any thread; NULL for none.
struct liveobj_free_memory *liveobj_free_memory_take(void);
void liveobj_free_memory_give_back(struct liveobj_free_memory *taken);

// MARK: - Captures

/// Takes the next bytes of a capture; returns false to give up.
typedef bool (*liveobj_write_fn)(void *context, const void *bytes, size_t count);

/// What a capture holds.
enum liveobj_contents {
    /// The live objects with a sequence number of `since` or greater.
    LIVEOBJ_CONTENTS_OBJECTS = 0,
    /// All live objects, what refers to what among them, and who may hold them
    /// from outside of the heap; `since` is noted as the baseline only.
    LIVEOBJ_CONTENTS_GRAPH = 1,
};

/// Writes what is live.
///
/// Allocates nothing by itself; the runtime allocates a type's name the first
/// time it is asked for. Other threads may go on meanwhile: what they allocate
/// after the call began is not in the capture, and what they free during it
/// may be.
///
/// References are read in a copy of the process (`heap/child.h`), which stands
/// still: one moment for all of them. Where the system refuses the copy the
/// capture says so and holds the objects alone. One capture with references is
/// made at a time; a second one waits for its turn.
///
/// In any other state than LIVEOBJ_STATE_TRACKING the capture holds the state,
/// the reason and no objects.
/// \returns false if `write` gave up or memory for the work could not be had.
bool liveobj_capture(uint64_t since, enum liveobj_contents contents, liveobj_write_fn write,
                     void *context);

/// A capture in memory, for `liveobj_buffer_free`.
struct liveobj_buffer {
    void *bytes;
    size_t count;
};

/// `liveobj_capture` into memory of its own. `bytes` is NULL on failure.
struct liveobj_buffer liveobj_capture_to_memory(uint64_t since, enum liveobj_contents contents);
void liveobj_buffer_free(struct liveobj_buffer buffer);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#include "CLiveObjectsTests.h"

#endif
