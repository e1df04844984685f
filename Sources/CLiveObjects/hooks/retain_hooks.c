// retain_hooks.c - what runs inside retains and releases, where they are recorded.
//
// A retain or release of an object whose type is not watched costs one load of its record's
// account. For the others the steps are those of hooks.c: under the guard the call is counted
// without its call site (a signal handler's, or the recorder's own); else guard, stack trace,
// ledger, and guard off. Retains are recorded after the runtime's work where that may fail,
// releases before it, for it may be the object's last. Owns the originals of all it took over.

#if defined(__linux__)

#define _GNU_SOURCE
#include "hooks/retain_hooks.h"
#include "hooks/hook_frame.h"
#include "hooks/hooks.h"
#include "hooks/retain_path.h"
#include "os/address.h"
#include "os/atomic.h"
#include "os/compiler.h"
#include "records/records.h"
#include "records/retain_ledger.h"
#include "records/thread.h"
#include "runtime/image.h"
#include "runtime/runtime.h"

// What a hook calls of the runtime is the host's own work, so it may do as it likes.
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

/// The address of an object as retain and release take it; 0 for what is none: null, and pointers
/// with the sign bit set (immortal objects). The other spare bits may hold flags.
static inline uintptr_t object_address(const void *object) {
    return (intptr_t)object > 0 ? (uintptr_t)object & LIVEOBJ_OBJECT_POINTER_MASK : 0;
}

/// The record of an object that has an account; 0 for all others.
static inline uint32_t watched_record(const void *object) {
    uint32_t *slot = liveobj_records_slot(object_address(object));
    uint32_t record = slot ? LIVEOBJ_LOAD_RELAXED(*slot) : 0;
    return record && LIVEOBJ_UNLIKELY(liveobj_ledger_has(record)) ? record : 0;
}

static uint32_t call_site(struct liveobj_tls *tls, const uintptr_t *frame) {
    struct liveobj_thread *thread = tls->thread ? tls->thread : liveobj_thread_attach();
    return thread && liveobj_hooks_record_stacks() ? liveobj_hook_stack_trace(thread, frame) : 0;
}

/// Not inlined: the hooks' short path stays short.
__attribute__((noinline)) static void add(uint32_t record, uint32_t retains, uint32_t releases,
                                          const uintptr_t *frame) {
    struct liveobj_tls *tls = liveobj_tls_get();
    if (LIVEOBJ_UNLIKELY(tls->guard)) {
        liveobj_ledger_add(record, 0, retains, releases);
        return;
    }
    liveobj_guard_set(tls);
    liveobj_ledger_add(record, call_site(tls, frame), retains, releases);
    if (LIVEOBJ_UNLIKELY(tls->ended))
        liveobj_thread_detach();
    liveobj_guard_clear(tls);
}

/// Whether releasing so often ends the object: its account is not read any more. Read of
/// the reference counts as types.c describes them; a count in a side table says no.
static bool is_last_release(const void *object, uint32_t count) {
    const uint64_t *header = (const uint64_t *)object_address(object);
    // Relaxed: the holder of the only reference has it to itself.
    uint64_t bits = __atomic_load_n(&header[1], __ATOMIC_RELAXED);
    bool is_mortal = (uint32_t)bits != UINT32_MAX;
    return is_mortal && bits >> 32 == (uint64_t)(count - 1) << 1;
}

static inline void retained(const void *object, uint32_t count, const uintptr_t *frame) {
    uint32_t record = watched_record(object);
    if (record)
        add(record, count, 0, frame);
}

static inline void will_release(const void *object, uint32_t count, const uintptr_t *frame) {
    uint32_t record = watched_record(object);
    if (!record)
        return;
    if (is_last_release(object, count))
        liveobj_ledger_try_close(record);
    else
        add(record, 0, count, frame);
}

// MARK: - The runtime's pointers

LIVEOBJ_HOOK static void *hook_retain(void *object) {
    retained(object, 1, LIVEOBJ_HOOK_FRAME());
    return original._swift_retain(object);
}

LIVEOBJ_HOOK static void *hook_retain_n(void *object, uint32_t count) {
    retained(object, count, LIVEOBJ_HOOK_FRAME());
    return original._swift_retain_n(object, count);
}

LIVEOBJ_HOOK static void hook_release(void *object) {
    will_release(object, 1, LIVEOBJ_HOOK_FRAME());
    original._swift_release(object);
}

LIVEOBJ_HOOK static void hook_release_n(void *object, uint32_t count) {
    will_release(object, count, LIVEOBJ_HOOK_FRAME());
    original._swift_release_n(object, count);
}

LIVEOBJ_HOOK static void *hook_try_retain(void *object) {
    void *result = original._swift_tryRetain(object);
    retained(result, 1, LIVEOBJ_HOOK_FRAME());
    return result;
}

// MARK: - What counts references without the pointers

#define HOOK_RETAIN(name)                                                                          \
    LIVEOBJ_HOOK static void *hook_##name(void *object_or_variable) {                              \
        void *result = original.name(object_or_variable);                                          \
        retained(result, 1, LIVEOBJ_HOOK_FRAME());                                                 \
        return result;                                                                             \
    }
#define HOOK_RETAIN_IN_PLACE(name)                                                                 \
    LIVEOBJ_HOOK static void hook_##name(void *object) {                                           \
        original.name(object);                                                                     \
        retained(object, 1, LIVEOBJ_HOOK_FRAME());                                                 \
    }
#define HOOK_RETAIN_N(name)                                                                        \
    LIVEOBJ_HOOK static void *hook_##name(void *object, uint32_t count) {                          \
        void *result = original.name(object, count);                                               \
        retained(result, count, LIVEOBJ_HOOK_FRAME());                                             \
        return result;                                                                             \
    }
#define HOOK_RELEASE(name)                                                                         \
    LIVEOBJ_HOOK static void hook_##name(void *object) {                                           \
        will_release(object, 1, LIVEOBJ_HOOK_FRAME());                                             \
        original.name(object);                                                                     \
    }
#define HOOK_RELEASE_N(name)                                                                       \
    LIVEOBJ_HOOK static void hook_##name(void *object, uint32_t count) {                           \
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

/// \returns the number of slots that led elsewhere until now.
static unsigned take_all_slots(void) {
    unsigned changed = 0;
    liveobj_images_visit(take_slots, &changed);
    return changed;
}

void liveobj_retain_hooks_install(const struct liveobj_runtime *runtime) {
#define LIVEOBJ_RETAIN_SLOT(name, kind) original.name = (kind##_fn)(uintptr_t)runtime->name;
#include "hooks/hooks.def"
#define LIVEOBJ_RETAIN_POINTER(name, hook) LIVEOBJ_TAKE_POINTER(runtime, name, hook)
#include "hooks/hooks.def"
    void **repaired = liveobj_retain_path_variable();
    if (repaired)
        __atomic_store_n(repaired, (void *)(uintptr_t)hook_retain, __ATOMIC_RELEASE);
    take_all_slots();
}

/// Slots of a library that was loaded since, or one that the dynamic linker bound in the moment in
/// which it was taken.
bool liveobj_retain_hooks_missed_images(void) {
    static bool were_late;
    were_late |= take_all_slots() > 0;
    return were_late;
}

#endif
