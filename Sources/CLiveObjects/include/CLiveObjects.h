// CLiveObjects.h - the public interface of the recorder.
//
// The recorder hooks the Swift runtime of its own process. For each live object that was allocated
// since tracking started it records the address, the type's metadata, the size, a sequence number
// and the stack trace of the allocation. It interprets nothing: `liveobj_capture` writes all
// records as one stream of bytes (Documentation/internals/capture-format.md), and analysis reads
// that.
//
//   liveobj_start(&settings);           // objects are recorded from here on
//   uint64_t mark = liveobj_mark();     // a baseline is a sequence number
//   ...
//   liveobj_capture(mark, LIVEOBJ_CONTENTS_OBJECTS, write, context); // live objects since the mark
//
// A process without objects and a process that cannot be tracked look the same in a count. Check
// `liveobj_status`: only in LIVEOBJ_STATE_TRACKING does "no objects" mean that there are none.
//
// A process has one recorder. Where a program links this library and also runs under the preload
// library, there are two copies; all functions then call the preloaded one (recorder/forwarding.c).
//
// All functions may be called from any thread, and not from a signal handler unless stated. None
// throws, aborts or prints.

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Hidden: two copies in one process must not call each other's functions by name.
#pragma GCC visibility push(hidden)

// MARK: - Tracking

/// Whether the recorder tracks objects in this process.
enum liveobj_state {
    /// The process has loaded no Swift runtime.
    LIVEOBJ_STATE_NO_RUNTIME = 0,
    /// The Swift runtime cannot be hooked; `liveobj_status.reason` says why.
    LIVEOBJ_STATE_BLIND = 1,
    /// The runtime can be hooked, and tracking is off.
    LIVEOBJ_STATE_READY = 2,
    /// Every allocation is recorded.
    LIVEOBJ_STATE_TRACKING = 3,
};

/// The mechanism by which the recorder sees allocations.
enum liveobj_hook_mode {
    LIVEOBJ_HOOKS_NONE = 0,
    /// The runtime's own hook pointers (`_swift_allocObject` and its family).
    LIVEOBJ_HOOKS_POINTERS = 1,
    /// The entries for the allocator in the runtime's global offset table. Used where the hook
    /// pointers cannot be used safely.
    LIVEOBJ_HOOKS_GOT = 2,
};

/// The source of stack traces.
enum liveobj_stack_source {
    LIVEOBJ_STACKS_OFF = 0,
    /// Unwind tables, and frame pointers where code has none.
    LIVEOBJ_STACKS_UNWIND = 1,
};

/// The settings of tracking. Begin with `liveobj_settings_default`.
struct liveobj_settings {
    /// LIVEOBJ_HOOKS_NONE lets the recorder choose.
    enum liveobj_hook_mode hook_mode;
    /// Record stack traces of allocations.
    bool stacks;
    /// Count retains and releases by call site.
    bool retains;
    /// The types whose retains are counted: patterns, separated by commas, that match a type's
    /// whole module-qualified name without generic arguments. `*` matches any text
    /// (`Demo.Cache,Demo.Model.*`). NULL for all objects. Need not outlive the call.
    const char *retained_types;
    /// Record what the program and C libraries allocate with malloc, as raw buffers.
    bool malloc;
    /// The number of frames recorded of a stack trace, innermost first; 1 to 512.
    uint32_t depth;
    /// The number of live objects above which new ones are not recorded.
    uint64_t max_objects;
    /// The bytes of stack traces above which new ones are not recorded; 0 for a sixteenth of the
    /// memory of the machine, or of the process's memory cgroup.
    uint64_t max_stack_bytes;
    /// An allocation of n bytes gets a stack trace with the probability 1 - exp(-n / sample_bytes);
    /// 0 for every allocation. At most 2^32 - 1.
    uint64_t sample_bytes;
    /// The memory of the recorder, in bytes, above which objects and stack traces are not recorded.
    /// 0 for no limit; at least 4 MiB.
    uint64_t budget_bytes;
};

/// The state of the recorder, and what it could not record.
struct liveobj_status {
    enum liveobj_state state;
    enum liveobj_hook_mode hook_mode;
    enum liveobj_stack_source stacks;
    bool retains;
    bool has_budget;
    bool was_stopped; // for a while at least
    uint32_t depth;
    uint64_t sample_bytes;
    /// Objects and stack traces that were not recorded, because a limit was reached, memory for
    /// records could not be had, or tracking was stopped.
    uint64_t dropped_records;
    uint64_t dropped_stacks;
    /// Addresses that were allocated while a live object was recorded there.
    uint64_t missed_deallocations;
    uint64_t allocations;
    uint64_t deallocations;
    /// A sentence for users: why nothing is recorded, or which setting has no effect. Empty
    /// otherwise. Never NULL.
    const char *reason;
};

/// The defaults: stacks on for every allocation, depth 64, retains off, at most 2^27 objects and a
/// sixteenth of the memory for stack traces. The limits reserve address space, not memory.
struct liveobj_settings liveobj_settings_default(void);

/// Starts tracking. Does nothing if it is on.
///
/// Objects allocated before the first start are not recorded. After `liveobj_stop`, tracking goes
/// on with the settings of the first start.
///
/// \param settings NULL for the defaults.
/// \returns LIVEOBJ_STATE_TRACKING, or the state that prevents it.
enum liveobj_state liveobj_start(const struct liveobj_settings *settings);

/// Stops recording new objects. Deallocations of recorded objects are still recorded, so that the
/// records stay correct.
void liveobj_stop(void);

/// The current status. Async-signal-safe.
struct liveobj_status liveobj_status(void);

/// Whether calls go to the preloaded copy of the recorder, and not to this one.
bool liveobj_is_forwarding(void);

// MARK: - Baselines and scopes

/// A baseline. Objects recorded before the call have a smaller sequence number, objects recorded
/// after it have this one or a greater one. Async-signal-safe.
uint64_t liveobj_mark(void);

/// A new scope id, never 0. Its parent is the scope that is bound on the calling task or thread.
uint32_t liveobj_scope_make(void);

/// The owner of a task-local value that holds a scope id.
enum liveobj_scope_owner {
    /// Test cases; bound by the preload library's companions.
    LIVEOBJ_SCOPE_TESTS = 0,
    /// Diffs, which may run inside a test case; bound by the Swift API.
    LIVEOBJ_SCOPE_DIFFS = 1,
};

/// Sets the task-local value in which an owner binds scope ids. The first four bytes of the value
/// are a `uint32_t`.
///
/// While a key is set, every allocation reads the value and records it with the object. A diff's
/// scope takes precedence over a test's. Without a bound value, an object gets the scope in which
/// the running task was created, or 0 if that is unknown.
/// \param key The `TaskLocal` object, which must never be deallocated; NULL for none.
void liveobj_scope_set_key(enum liveobj_scope_owner owner, const void *key);

// MARK: - Types

/// Whether an image of the process declares a type or protocol whose module-qualified name, without
/// generic arguments and private contexts, contains a text, or with whose name and a dot the text
/// begins. No instance is needed. True where that is unknown.
bool liveobj_declares_type(const char *text);

// MARK: - Work of LiveObjects itself

/// Stops recording allocations of the calling thread until the matching `liveobj_ignore_end`.
/// Calls nest. Between them the thread must not end, and Swift code must not suspend.
void liveobj_ignore_begin(void);
void liveobj_ignore_end(void);

/// Overwrites 16 KB of the calling thread's stack below the current frame.
///
/// Functions that have returned left addresses of objects there. The frames of the next capture
/// cover that memory, and addresses that they do not overwrite would count as references.
void liveobj_stack_overwrite(void);

/// Allocates the free blocks of memory whose addresses are still on the calling thread's stack, so
/// that no object allocated meanwhile has such an address and seems to be referenced.
/// \returns The blocks, for `liveobj_reserved_memory_free` on any thread; NULL for none.
struct liveobj_reserved_memory *liveobj_reserved_memory_allocate(void);
void liveobj_reserved_memory_free(struct liveobj_reserved_memory *taken);

// MARK: - Captures

/// Receives the next bytes of a capture. Returns false to stop the capture.
typedef bool (*liveobj_write_fn)(void *context, const void *bytes, size_t count);

/// The contents of a capture.
enum liveobj_contents {
    /// The live objects with a sequence number of `since` or greater.
    LIVEOBJ_CONTENTS_OBJECTS = 0,
    /// All live objects, the references between them, and the roots: references from outside of
    /// the heap. `since` is recorded as the baseline, and leaves no object out.
    LIVEOBJ_CONTENTS_GRAPH = 1,
    /// The types of the live objects with a sequence number of `since` or greater, with the number
    /// and the bytes of their objects.
    LIVEOBJ_CONTENTS_COUNTS = 2,
    /// The objects of LIVEOBJ_CONTENTS_OBJECTS without the process's tests and scopes, which become
    /// more with each test: for measurements in a test.
    LIVEOBJ_CONTENTS_UNATTRIBUTED = 3,
    /// LIVEOBJ_CONTENTS_GRAPH without the findings of tests, which become more with each test that
    /// fails: for the evaluation of a test.
    LIVEOBJ_CONTENTS_GRAPH_OF_TEST = 4,
    /// LIVEOBJ_CONTENTS_GRAPH, and what the resident memory of the process is used for.
    LIVEOBJ_CONTENTS_GRAPH_AND_MEMORY = 5,
};

/// Writes a capture of the live objects.
///
/// Allocates nothing, but for type names, which the runtime allocates when they are first asked
/// for. Other threads may run meanwhile. Objects that they allocate after the call began are left
/// out; objects that they deallocate during the call may be included.
///
/// References are read in a snapshot process (snapshot/snapshot_process.h), so all of them are of
/// one moment. Where the system refuses such a process, the capture says so and has no references.
/// Captures with references are made one at a time; another call waits.
///
/// In any other state than LIVEOBJ_STATE_TRACKING the capture has the status and no objects.
/// \returns false if `write` returned false, or memory for the work could not be had.
bool liveobj_capture(uint64_t since, enum liveobj_contents contents, liveobj_write_fn write,
                     void *context);

/// A capture in memory. Free it with `liveobj_buffer_free`.
struct liveobj_buffer {
    void *bytes;
    size_t count;
};

/// `liveobj_capture` into allocated memory. `bytes` is NULL on failure.
struct liveobj_buffer liveobj_capture_to_memory(uint64_t since, enum liveobj_contents contents);
void liveobj_buffer_free(struct liveobj_buffer buffer);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#include "CLiveObjectsTests.h"
