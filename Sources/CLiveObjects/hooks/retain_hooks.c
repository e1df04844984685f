// retain_hooks.c - the hooks that record retains and releases.
//
// For an object of a type that is not watched, a hook costs one load, of its record's account. For
// the others the steps are those of hooks.c. Under the guard (in a signal handler, or in the
// recorder's own work) the call is counted without its call site. Otherwise: set the guard, record
// the stack trace, add to the ledger, clear the guard. Retains are recorded after the runtime's
// work where that may fail. Releases are recorded before it, because it may be the object's last.
//
// Owns the originals of all that it replaced.

#if defined(__linux__)

#include "arch/address.h"
#include "arch/runtime_code.h"
#include "arch/system_call.h"
#include "hooks/hook_frame.h"
#include "hooks/hooks.h"
#include "records/records.h"
#include "records/retain_ledger.h"
#include "records/thread.h"
#include "records/trace_collection.h"
#include "runtime/image.h"

// The originals are the program's own work, so they may allocate and lock.
LIVEOBJ_HOOK typedef void *(*retain_fn)(void *object);
LIVEOBJ_HOOK typedef void *(*retain_n_fn)(void *object, uint32_t count);
LIVEOBJ_HOOK typedef void (*release_fn)(void *object);
LIVEOBJ_HOOK typedef void (*release_n_fn)(void *object, uint32_t count);

typedef retain_fn RETAIN_fn;
typedef release_fn RETAIN_IN_PLACE_fn;
typedef retain_n_fn RETAIN_N_fn;
typedef release_fn RELEASE_fn;
typedef release_n_fn RELEASE_N_fn;

static struct {
    retain_fn _swift_retain;
    retain_n_fn _swift_retain_n;
    release_fn _swift_release;
    release_n_fn _swift_release_n;
    retain_fn _swift_tryRetain;
#define LIVEOBJ_RETAIN_SLOT(name, kind) kind##_fn name;
#include "hooks/hooks.def"
} original;

// MARK: - Recording

/// The address of an object as retain and release take it: null, or with flags in its spare bits.
/// The sign bit of an immortal object stays, so it has the address of no record.
static inline uintptr_t object_address(const void *object) {
    return (uintptr_t)object & (LIVEOBJ_OBJECT_POINTER_MASK | (uintptr_t)1 << 63);
}

/// The record of an object that has an account; 0 for all others.
static inline uint32_t watched_record(const void *object) {
    const uint32_t *slot = liveobj_page_map_find(&liveobj_heap.map, object_address(object));
    uint32_t record = slot ? LIVEOBJ_LOAD_RELAXED(*slot) : 0;
    return record && LIVEOBJ_UNLIKELY(liveobj_ledger_has(record)) ? record : 0;
}

static void add_with_site(struct liveobj_thread *thread, uint32_t record, uint32_t retains,
                          uint32_t releases, struct liveobj_hook_frame frame) {
    if (!liveobj_hooks_record_stacks()) {
        liveobj_ledger_add(record, 0, retains, releases);
        return;
    }
    liveobj_traces_begin(thread);
    liveobj_ledger_add(record, liveobj_hook_stack_trace(thread, frame), retains, releases);
    liveobj_traces_end(thread);
    liveobj_traces_advance_if_due();
}

/// Not inlined, to keep the hooks' short path short.
__attribute__((noinline)) static void
add_retains(uint32_t record, uint32_t retains, uint32_t releases, struct liveobj_hook_frame frame) {
    struct liveobj_tls *tls = liveobj_tls_get();
    if (LIVEOBJ_UNLIKELY(liveobj_hooks_have_ended()))
        return;
    if (LIVEOBJ_UNLIKELY(tls->guard)) {
        liveobj_ledger_add(record, 0, retains, releases);
        return;
    }
    liveobj_guard_set(tls);
    struct liveobj_thread *thread = tls->thread ? tls->thread : liveobj_thread_attach();
    if (LIVEOBJ_LIKELY(thread != NULL))
        add_with_site(thread, record, retains, releases, frame);
    else
        liveobj_ledger_add(record, 0, retains, releases);
    if (LIVEOBJ_UNLIKELY(tls->ended))
        liveobj_thread_detach();
    liveobj_guard_clear(tls);
}

/// Not inlined, as above.
__attribute__((noinline)) static void close_account(uint32_t record) {
    if (!liveobj_hooks_have_ended())
        liveobj_ledger_try_close(record);
}

/// Whether this many releases are the object's last, so that its account is not needed any more.
/// Reads the reference counts in the object's header (heap/object_type.c describes them); false if
/// they are in a side table.
static bool is_last_release(const void *object, uint32_t count) {
    const uint64_t *header = (const uint64_t *)object_address(object);
    // Relaxed: the owner of the only reference is the only thread that uses the object.
    uint64_t bits = __atomic_load_n(&header[1], __ATOMIC_RELAXED);
    bool is_mortal = (uint32_t)bits != UINT32_MAX;
    return is_mortal && bits >> 32 == (uint64_t)(count - 1) << 1;
}

static inline void record_retain(const void *object, uint32_t count,
                                 struct liveobj_hook_frame frame) {
    uint32_t record = watched_record(object);
    if (!record)
        return;
    add_retains(record, count, 0, frame);
    __asm__ volatile(""); // no tail call, which would write over the frame that it is given
}

static inline void will_release(const void *object, uint32_t count,
                                struct liveobj_hook_frame frame) {
    uint32_t record = watched_record(object);
    if (!record)
        return;
    if (is_last_release(object, count))
        close_account(record);
    else
        add_retains(record, 0, count, frame);
}

// MARK: - The runtime's hook pointers

LIVEOBJ_HOOK_WITH_FRAME static void *hook_retain(void *object) {
    record_retain(object, 1, LIVEOBJ_HOOK_FRAME());
    return original._swift_retain(object);
}

/// In the adapter's place, for runtimes whose retain path was repaired (retain_path.c).
LIVEOBJ_HOOK_WITH_FRAME LIVEOBJ_RETAIN_CONVENTION static void *hook_adapter(void *object) {
    record_retain(object, 1, LIVEOBJ_HOOK_FRAME());
    return original._swift_retain(object);
}

LIVEOBJ_HOOK_WITH_FRAME static void *hook_retain_n(void *object, uint32_t count) {
    record_retain(object, count, LIVEOBJ_HOOK_FRAME());
    return original._swift_retain_n(object, count);
}

LIVEOBJ_HOOK_WITH_FRAME static void hook_release(void *object) {
    will_release(object, 1, LIVEOBJ_HOOK_FRAME());
    original._swift_release(object);
}

LIVEOBJ_HOOK_WITH_FRAME static void hook_release_n(void *object, uint32_t count) {
    will_release(object, count, LIVEOBJ_HOOK_FRAME());
    original._swift_release_n(object, count);
}

LIVEOBJ_HOOK_WITH_FRAME static void *hook_try_retain(void *object) {
    void *result = original._swift_tryRetain(object);
    record_retain(result, 1, LIVEOBJ_HOOK_FRAME());
    return result;
}

// MARK: - Functions that count references without the hook pointers

#define HOOK_RETAIN(name)                                                                          \
    LIVEOBJ_HOOK_WITH_FRAME static void *hook_##name(void *object_or_variable) {                   \
        void *result = original.name(object_or_variable);                                          \
        record_retain(result, 1, LIVEOBJ_HOOK_FRAME());                                            \
        return result;                                                                             \
    }
#define HOOK_RETAIN_IN_PLACE(name)                                                                 \
    LIVEOBJ_HOOK_WITH_FRAME static void hook_##name(void *object) {                                \
        original.name(object);                                                                     \
        record_retain(object, 1, LIVEOBJ_HOOK_FRAME());                                            \
    }
#define HOOK_RETAIN_N(name)                                                                        \
    LIVEOBJ_HOOK_WITH_FRAME static void *hook_##name(void *object, uint32_t count) {               \
        void *result = original.name(object, count);                                               \
        record_retain(result, count, LIVEOBJ_HOOK_FRAME());                                        \
        return result;                                                                             \
    }
#define HOOK_RELEASE(name)                                                                         \
    LIVEOBJ_HOOK_WITH_FRAME static void hook_##name(void *object) {                                \
        will_release(object, 1, LIVEOBJ_HOOK_FRAME());                                             \
        original.name(object);                                                                     \
    }
#define HOOK_RELEASE_N(name)                                                                       \
    LIVEOBJ_HOOK_WITH_FRAME static void hook_##name(void *object, uint32_t count) {                \
        will_release(object, count, LIVEOBJ_HOOK_FRAME());                                         \
        original.name(object, count);                                                              \
    }
#define LIVEOBJ_RETAIN_SLOT(name, kind) HOOK_##kind(name)
#include "hooks/hooks.def"

// MARK: - Installation

static bool take_slots(void *changed, const struct liveobj_image *image) {
#define LIVEOBJ_RETAIN_SLOT(name, kind)                                                            \
    if (original.name)                                                                             \
        *(unsigned *)changed +=                                                                    \
            liveobj_image_replace_got_entries(image, #name, (void *)(uintptr_t)hook_##name)        \
                .changed;
#include "hooks/hooks.def"
    return false;
}

/// \returns The number of GOT entries that had another value until now.
static unsigned take_all_slots(void) {
    unsigned changed = 0;
    liveobj_images_visit(take_slots, &changed);
    return changed;
}

void liveobj_retain_hooks_install(const struct liveobj_runtime *runtime) {
#define LIVEOBJ_RETAIN_SLOT(name, kind) original.name = (kind##_fn)(uintptr_t)runtime->name;
#include "hooks/hooks.def"
#define LIVEOBJ_RETAIN_POINTER(name, hook) LIVEOBJ_SAVE_POINTER(runtime, name)
#include "hooks/hooks.def"
    liveobj_order_threads();
#define LIVEOBJ_RETAIN_POINTER(name, hook) LIVEOBJ_REPLACE_POINTER(runtime, name, hook)
#include "hooks/hooks.def"
    void **repaired = liveobj_retain_path_variable();
    if (repaired)
        __atomic_store_n(repaired, (void *)(uintptr_t)hook_adapter, __ATOMIC_RELEASE);
    take_all_slots();
}

/// Counts GOT entries of images that were loaded since, and those that the dynamic linker bound at
/// the moment when they were replaced.
bool liveobj_retain_hooks_missed_images(void) {
    static bool were_late;
    were_late |= take_all_slots() > 0;
    return were_late;
}

#endif
