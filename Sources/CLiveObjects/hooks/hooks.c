// hooks.c - the hooks that record allocations and deallocations of the Swift runtime.
//
// A hook has these steps: return early if this thread is at work for the recorder; set the guard;
// call the original; record; clear the guard. (The allocator's hooks set the guard after they have
// called the original.) An object is recorded after its allocation returned, and its record is
// removed before its memory is freed. So a recorded address always belongs to the program.
// Deallocations are recorded also under the guard: an object may be deallocated while the recorder
// works.
//
// No hook calls malloc or changes errno. Locks are taken only in slow paths: to refill free records
// (once in hundreds of calls) and to store a new stack trace. A signal handler that interrupts a
// hook finds the guard set: its allocations are counted but not recorded, and its deallocations are
// recorded without the thread's block. So a hook never waits for a lock that its own thread holds.
//
// Owns the originals of all that it replaced.

#if defined(__linux__)

#include "hooks/hooks.h"
#include "arch/system_call.h"
#include "hooks/hook_frame.h"
#include "metadata/task_state.h"
#include "metadata/types.h"
#include "os/os.h"
#include "records/records.h"
#include "records/thread.h"
#include "records/trace_collection.h"
#include "runtime/image.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

// The originals are the program's own work, so they may allocate and lock.
LIVEOBJ_HOOK typedef void *(*alloc_object_fn)(const void *metadata, size_t bytes,
                                              size_t alignment_mask);
LIVEOBJ_HOOK typedef void *(*malloc_fn)(size_t bytes);
LIVEOBJ_HOOK typedef int (*posix_memalign_fn)(void **memory, size_t alignment, size_t bytes);
LIVEOBJ_HOOK typedef void (*free_fn)(void *memory);
LIVEOBJ_HOOK typedef size_t (*usable_size_fn)(void *memory);
LIVEOBJ_HOOK typedef const void *(*task_local_get_fn)(const void *key);
LIVEOBJ_HOOK typedef const void *(*task_get_current_fn)(void);

static struct {
    alloc_object_fn _swift_allocObject;
    malloc_fn malloc;
    posix_memalign_fn posix_memalign;
    free_fn free;
} original;

/// NULL if it may be another allocator's than `malloc` is: a replacement need not have one.
static usable_size_fn usable_size;

static bool are_of_one_image(uintptr_t first, uintptr_t second) {
    struct liveobj_image image, other;
    return liveobj_image_of(first, &image) && liveobj_image_of(second, &other) &&
           image.start == other.start;
}

/// LIVEOBJ_HOOKS_GOT: objects are recorded in the allocator's hooks.
static bool objects_are_seen_by_got;

/// Work beyond an object's plain record; 0 lets the hooks take their short path.
enum {
    EXTRA_PAUSE = 1, // no record at all
    EXTRA_STACKS = 2,
    EXTRA_SCOPES = 4,
    EXTRA_END = 8,   // with EXTRA_PAUSE: no other work either
    EXTRA_STOP = 16, // with EXTRA_PAUSE: objects are counted as missing
};
static uint32_t extras;
static const void *scope_keys[2]; // by owner
static task_local_get_fn task_local_get;
static task_get_current_fn task_get_current;

// MARK: - Recording

LIVEOBJ_HOOK bool liveobj_hooks_have_ended(void) {
    // Relaxed: a hook during the change may see either value.
    return __atomic_load_n(&extras, __ATOMIC_RELAXED) & EXTRA_END;
}

static uint32_t scope_of(enum liveobj_scope_owner owner) {
    const void *key = scope_keys[owner];
    const uint32_t *scope = key ? task_local_get(key) : NULL;
    return scope ? *scope : 0;
}

static struct liveobj_record *record_of(uintptr_t task) {
    const uint32_t *slot = task ? liveobj_records_slot(task) : NULL;
    return slot ? &liveobj_heap.records[LIVEOBJ_LOAD_RELAXED(*slot)] : NULL;
}

LIVEOBJ_HOOK static uintptr_t running_task(void) {
    return task_get_current ? (uintptr_t)task_get_current() : 0;
}

static uint32_t scope_in(const struct liveobj_record *record) {
    return liveobj_scope_unpack(LIVEOBJ_LOAD_RELAXED(record->address),
                                LIVEOBJ_LOAD_RELAXED(record->metadata));
}

/// The scope of the running task. Needed because `Task.detached` inherits no task-local value. The
/// task that an `async let` starts lies in memory of the task that started it and has no record, so
/// its parent is used. A running task, and a parent that waits for it, can be read safely.
static uint32_t scope_of_running_task(void) {
    enum { MOST_TASKS = 16 };
    uintptr_t task = running_task();
    const struct liveobj_record *record = record_of(task);
    for (int i = 0; task && !record && i < MOST_TASKS; i++) {
        task = liveobj_task_parent(task);
        record = record_of(task);
    }
    return record ? scope_in(record) : 0;
}

/// A diff's scope takes precedence over that of the test in which it runs.
LIVEOBJ_HOOK uint32_t liveobj_hooks_current_scope(void) {
    uint32_t scope = scope_of(LIVEOBJ_SCOPE_DIFFS);
    scope = scope ? scope : scope_of(LIVEOBJ_SCOPE_TESTS);
    return scope ? scope : scope_of_running_task();
}

/// In the thread's own block, so that threads of a program that has stopped tracking do not share a
/// counter.
LIVEOBJ_HOOK static void count_missing(struct liveobj_thread *thread) {
    if (!thread)
        return liveobj_counts_add_drop();
    LIVEOBJ_INCREMENT_OWNED(thread->allocations);
    LIVEOBJ_INCREMENT_OWNED(thread->dropped);
}

/// The long path: a thread's first hook, hooks after a thread's destructors, and the extras.
__attribute__((noinline)) static void record_with_extras(void *address, uintptr_t metadata,
                                                         size_t bytes,
                                                         struct liveobj_hook_frame frame) {
    // Acquire: what an extra needs was stored before its bit.
    uint32_t wanted = __atomic_load_n(&extras, __ATOMIC_ACQUIRE);
    struct liveobj_tls *tls = liveobj_tls_get();
    struct liveobj_thread *thread = tls->thread;
    if (wanted & EXTRA_PAUSE) {
        if ((wanted & (EXTRA_STOP | EXTRA_END)) == EXTRA_STOP)
            count_missing(thread);
        return;
    }
    if (!thread && !(thread = liveobj_thread_attach())) {
        liveobj_counts_add_drop();
        return;
    }
    liveobj_traces_begin(thread);
    uint32_t stack = wanted & EXTRA_STACKS && liveobj_sampler_takes(&thread->sampler, bytes)
                         ? liveobj_hook_stack_trace(thread, frame)
                         : 0;
    liveobj_records_insert(thread,
                           (struct liveobj_object){
                               .address = (uintptr_t)address,
                               .metadata = metadata,
                               .bytes = bytes,
                               .sequence = liveobj_sequence_next(thread),
                               .stack = stack,
                               .scope = wanted & EXTRA_SCOPES ? liveobj_hooks_current_scope() : 0,
                           });
    liveobj_traces_end(thread);
    liveobj_traces_advance_if_due();
    if (LIVEOBJ_UNLIKELY(tls->ended))
        liveobj_thread_detach();
}

/// Always inline: a call would take as long as the function itself.
static inline __attribute__((always_inline)) void
record_allocation(void *address, uintptr_t metadata, size_t bytes,
                  struct liveobj_hook_frame frame) {
    struct liveobj_thread *thread = liveobj_tls_get()->thread;
    // Relaxed: an allocation during a change of the extras may see either value.
    if (LIVEOBJ_UNLIKELY(!thread || __atomic_load_n(&extras, __ATOMIC_RELAXED)))
        record_with_extras(address, metadata, bytes, frame);
    else
        liveobj_records_insert(thread, (struct liveobj_object){
                                           .address = (uintptr_t)address,
                                           .metadata = metadata,
                                           .bytes = bytes,
                                           .sequence = liveobj_sequence_next(thread),
                                       });
}

/// Removes a record on a thread that has no block, or must not use it: it is at work for the
/// recorder and may have been interrupted while it changed its block, or the hooks have ended.
__attribute__((noinline)) static void forget_allocation_slowly(struct liveobj_tls *tls,
                                                               uint32_t *slot) {
    if (tls->guard || liveobj_hooks_have_ended()) {
        liveobj_records_remove_without_thread(slot);
        return;
    }
    liveobj_guard_set(tls);
    struct liveobj_thread *thread = liveobj_thread_attach();
    if (thread)
        liveobj_records_remove(thread, slot);
    else
        liveobj_records_remove_without_thread(slot);
    liveobj_thread_detach();
    liveobj_guard_clear(tls);
}

/// \returns whether there was a record.
static inline bool forget_allocation(const void *address) {
    uint32_t *slot = liveobj_records_slot((uintptr_t)address);
    if (!slot)
        return false;
    struct liveobj_tls *tls = liveobj_tls_get();
    if (LIVEOBJ_UNLIKELY(tls->guard || !tls->thread || liveobj_hooks_have_ended())) {
        forget_allocation_slowly(tls, slot);
        return true;
    }
    liveobj_guard_set(tls);
    liveobj_records_remove(tls->thread, slot);
    liveobj_guard_clear(tls);
    return true;
}

/// Allocates an object while the thread is at work for the recorder. The object is the recorder's
/// own, or a signal handler's that interrupted a hook; the handler must not use what the hook is
/// changing.
__attribute__((noinline)) static void *allocate_unrecorded(struct liveobj_tls *tls,
                                                           const void *metadata, size_t bytes,
                                                           size_t alignment_mask) {
    if (tls->guard == LIVEOBJ_GUARD_HOOK)
        liveobj_counts_add_drop();
    void *object = original._swift_allocObject(metadata, bytes, alignment_mask);
    tls->hidden_own_object = ~(uintptr_t)object;
    return object;
}

// MARK: - Objects, through the runtime's hook pointers

LIVEOBJ_HOOK_WITH_FRAME static void *hook_alloc_object(const void *metadata, size_t bytes,
                                                       size_t alignment_mask) {
    struct liveobj_tls *tls = liveobj_tls_get();
    if (LIVEOBJ_UNLIKELY(tls->guard))
        return allocate_unrecorded(tls, metadata, bytes, alignment_mask);
    liveobj_guard_set(tls); // keeps the malloc hook below from recording a raw buffer
    void *address = original._swift_allocObject(metadata, bytes, alignment_mask);
    record_allocation(address, (uintptr_t)metadata, bytes, LIVEOBJ_HOOK_FRAME());
    liveobj_guard_clear(tls);
    return address;
}

// MARK: - The allocator, through the GOTs of the runtime and its concurrency library

/// Records memory that the runtime allocated for a caller. While an object is allocated through the
/// hook pointers the guard is set, so this memory is a task, a raw buffer, or, in mode
/// LIVEOBJ_HOOKS_GOT, an object.
__attribute__((noinline)) static void record_memory(void *memory, size_t bytes,
                                                    struct liveobj_hook_frame frame) {
    struct liveobj_tls *tls = liveobj_tls_get();
    uintptr_t purpose = memory ? liveobj_memory_purpose(frame.record) : 0;
    if (!purpose)
        return;
    liveobj_guard_set(tls);
    record_allocation(memory, purpose, bytes, frame);
    liveobj_guard_clear(tls);
}

/// Allocates for the recorder's own work. Without the words of the memory's former use: they would
/// count as references, because the object has no record that tells where it ends. Larger memory is
/// a mapping of its own, which begins as zeros.
__attribute__((noinline)) static void *allocate_own(size_t bytes) {
    enum { MOST_BYTES = 32 << 20 };
    void *memory = original.malloc(bytes);
    if (memory && bytes < MOST_BYTES)
        memset(memory, 0, usable_size ? usable_size(memory) : bytes);
    liveobj_tls_get()->hidden_own_memory = ~(uintptr_t)memory;
    return memory;
}

LIVEOBJ_HOOK void liveobj_hooks_record_buffer(void *memory, size_t bytes,
                                              struct liveobj_hook_frame frame) {
    struct liveobj_tls *tls = liveobj_tls_get();
    if (!memory || tls->guard)
        return;
    liveobj_guard_set(tls);
    record_allocation(memory, LIVEOBJ_METADATA_RAW_BUFFER, bytes, frame);
    liveobj_guard_clear(tls);
}

LIVEOBJ_HOOK bool liveobj_hooks_forget_buffer(const void *memory) {
    return forget_allocation(memory);
}

LIVEOBJ_HOOK_WITH_FRAME static void *hook_malloc(size_t bytes) {
    uint32_t guard = liveobj_tls_get()->guard;
    if (LIVEOBJ_LIKELY(guard == LIVEOBJ_GUARD_HOOK))
        return original.malloc(bytes);
    if (guard)
        return allocate_own(bytes);
    void *memory = original.malloc(bytes);
    record_memory(memory, bytes, LIVEOBJ_HOOK_FRAME());
    return memory;
}

LIVEOBJ_HOOK_WITH_FRAME static int hook_posix_memalign(void **memory, size_t alignment,
                                                       size_t bytes) {
    if (LIVEOBJ_LIKELY(liveobj_tls_get()->guard))
        return original.posix_memalign(memory, alignment, bytes);
    int error = original.posix_memalign(memory, alignment, bytes);
    record_memory(error ? NULL : *memory, bytes, LIVEOBJ_HOOK_FRAME());
    return error;
}

static bool clears_freed; // atomic

/// Larger memory is a mapping of its own, which goes away, and may not be writable any more.
/// Without a record it may have been freed before: its first words are then malloc's, which has to
/// notice.
__attribute__((noinline)) static void clear(void *memory, bool was_recorded) {
    enum { MOST_BYTES = 128 << 10, BYTES_OF_MALLOC = 16 };
    size_t start = was_recorded ? 0 : BYTES_OF_MALLOC, bytes = memory ? usable_size(memory) : 0;
    if (bytes > start && bytes < MOST_BYTES)
        memset((char *)memory + start, 0, bytes - start);
}

LIVEOBJ_HOOK static void hook_free(void *memory) {
    bool was_recorded = forget_allocation(memory);
    // Relaxed: memory that is freed at the moment of the change may be cleared or not.
    if (LIVEOBJ_UNLIKELY(__atomic_load_n(&clears_freed, __ATOMIC_RELAXED)))
        clear(memory, was_recorded);
    original.free(memory);
}

// MARK: - Installation

/// \returns Whether a GOT entry of `free`, the last in the list, was replaced.
static bool replace_slots(const struct liveobj_image *image) {
    unsigned replaced = 0;
#define LIVEOBJ_SLOT(name, hook)                                                                   \
    replaced = liveobj_image_replace_got_entries(image, #name, (void *)(uintptr_t)hook).found;
#include "hooks/hooks.def"
    return replaced > 0;
}

/// All of them before the first hook can run. In a static executable, this file's own GOT entries
/// are among those that are replaced.
static void save_originals(const struct liveobj_runtime *runtime) {
    // The barrier hides from the optimiser that `original` has only this value: a direct call would
    // go through the replaced GOT entry again.
#define LIVEOBJ_SLOT(name, hook)                                                                   \
    original.name = (name##_fn)name;                                                               \
    __asm__ volatile("" : "+r"(original.name));
#include "hooks/hooks.def"
    if (are_of_one_image((uintptr_t)original.malloc, (uintptr_t)malloc_usable_size))
        usable_size = (usable_size_fn)malloc_usable_size;
    if (objects_are_seen_by_got)
        return;
#define LIVEOBJ_POINTER(name, hook) LIVEOBJ_SAVE_POINTER(runtime, name)
#include "hooks/hooks.def"
}

/// \returns false if the deallocations of objects cannot be recorded.
static bool install_slots(const struct liveobj_runtime *runtime) {
    if (!replace_slots(&runtime->image))
        return false;
    // Tasks are allocated and freed through the same functions. Without these GOT entries tasks are
    // not recorded.
    replace_slots(&runtime->concurrency);
    // CoreFoundation itself frees some objects: the one that each NSURL is copied from.
    if (runtime->foundation.path)
        liveobj_image_replace_got_entries(&runtime->foundation, "free",
                                          (void *)(uintptr_t)hook_free);
    return true;
}

void liveobj_hooks_clear_freed(void) {
    const struct liveobj_runtime *runtime = liveobj_runtime_current();
    const uintptr_t *queue = runtime->_dispatch_main_q; // begins with an address in libdispatch
    uintptr_t libraries[] = {queue ? *queue : 0, (uintptr_t)runtime->_NSConcreteMallocBlock};
    struct liveobj_image image;
    // Sanitizers and other allocators check or use what is freed in ways of their own.
    if (!usable_size || !are_of_one_image((uintptr_t)original.malloc, (uintptr_t)getenv))
        return;
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
        if (libraries[i] && liveobj_image_of(libraries[i], &image))
            liveobj_image_replace_got_entries(&image, "free", (void *)(uintptr_t)hook_free);
    __atomic_store_n(&clears_freed, true, __ATOMIC_RELAXED); // relaxed: see hook_free
}

static void install_pointers(const struct liveobj_runtime *runtime) {
#define LIVEOBJ_POINTER(name, hook) LIVEOBJ_REPLACE_POINTER(runtime, name, hook)
#include "hooks/hooks.def"
}

bool liveobj_hooks_install(const struct liveobj_runtime *runtime,
                           enum liveobj_hook_mode hook_mode) {
    task_local_get = (task_local_get_fn)(uintptr_t)runtime->swift_task_localValueGet;
    task_get_current = (task_get_current_fn)(uintptr_t)runtime->swift_task_getCurrent;
    // Before 6.2 a task that moves to another executor is still current when that one has it, and
    // may have ended on another thread.
    if (runtime->swift_task_immediate)
        liveobj_stacks_set_tasks(running_task, liveobj_task_owns);
    liveobj_tasks_prepare();
    objects_are_seen_by_got = hook_mode == LIVEOBJ_HOOKS_GOT;
    liveobj_memory_purpose_prepare(runtime, objects_are_seen_by_got);
    save_originals(runtime);
    liveobj_order_threads();
    if (!install_slots(runtime))
        return false;
    if (hook_mode == LIVEOBJ_HOOKS_POINTERS)
        install_pointers(runtime);
    return true;
}

// MARK: - Switches

static void set_extra(uint32_t extra, bool on) {
    // Release: what the extra needs is stored before its bit.
    if (on)
        __atomic_fetch_or(&extras, extra, __ATOMIC_RELEASE);
    else
        __atomic_fetch_and(&extras, ~extra, __ATOMIC_RELEASE);
}

void liveobj_hooks_pause(void) {
    set_extra(EXTRA_PAUSE, true);
}

void liveobj_hooks_stop(void) {
    set_extra(EXTRA_PAUSE | EXTRA_STOP, true);
}

void liveobj_hooks_end(void) {
    set_extra(EXTRA_PAUSE | EXTRA_END, true);
}

void liveobj_hooks_resume(void) {
    set_extra(EXTRA_PAUSE | EXTRA_STOP, false);
}

void liveobj_hooks_set_stacks(bool on) {
    set_extra(EXTRA_STACKS, on);
}

LIVEOBJ_HOOK bool liveobj_hooks_record_stacks(void) {
    // Acquire: what stack traces need was stored before their bit.
    return __atomic_load_n(&extras, __ATOMIC_ACQUIRE) & EXTRA_STACKS;
}

void liveobj_hooks_set_scope_key(enum liveobj_scope_owner owner, const void *key) {
    scope_keys[owner] = key; // a key lives forever, for a thread that has just read it
    set_extra(EXTRA_SCOPES, task_local_get && (scope_keys[0] || scope_keys[1]));
}

#endif
