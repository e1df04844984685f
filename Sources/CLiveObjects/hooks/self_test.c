// self_test.c - checks that the runtime calls the hooks: with a record when they are installed, and
// without one at each capture, because the program or another tool may replace them at any time.
//
// Owns what the hooks looked like when they worked. Outside of hooks.

#if defined(__linux__)

#include "hooks/hooks.h"
#include "metadata/types.h"
#include "os/os.h"
#include "records/records.h"
#include "records/thread.h"
#include "runtime/image.h"

typedef void *(*alloc_object_fn)(const void *metadata, size_t bytes, size_t alignment_mask);
typedef void (*slow_dealloc_fn)(void *memory, size_t bytes, size_t alignment_mask);

enum { TEST_BYTES = 48, TEST_ALIGNMENT_MASK = 7 }; // for which the runtime calls malloc

/// As of a closure's context that captures nothing: valid for another tool that looks at it.
static const struct {
    const void *destroy;
    const void *value_witnesses;
    uintptr_t kind;
    uint32_t offset_to_first_capture;
    const void *captures;
} context_metadata = {.kind = 0x400, .offset_to_first_capture = 16};

static struct {
    enum liveobj_hook_mode mode;
    alloc_object_fn allocate;
    slow_dealloc_fn deallocate;
    void **free_entry; // the runtime's GOT entry, and our hook
    void *free_hook;
} working;

static void *allocate_test_object(void) {
    return working.allocate(&context_metadata.kind, TEST_BYTES, TEST_ALIGNMENT_MASK);
}

static void deallocate_test_object(void *object) {
    working.deallocate(object, TEST_BYTES, TEST_ALIGNMENT_MASK);
}

// MARK: - At the start

static bool is_recorded(const void *memory) {
    struct liveobj_object object;
    uintptr_t metadata = working.mode == LIVEOBJ_HOOKS_GOT ? LIVEOBJ_METADATA_IN_HEADER
                                                           : (uintptr_t)&context_metadata.kind;
    return liveobj_records_find((uintptr_t)memory, &object) && object.metadata == metadata &&
           object.bytes == TEST_BYTES;
}

static bool sees_allocation_and_deallocation(void) {
    struct liveobj_object object;
    void *memory = allocate_test_object();
    bool was_recorded = is_recorded(memory);
    deallocate_test_object(memory);
    return was_recorded && !liveobj_records_find((uintptr_t)memory, &object);
}

bool liveobj_hooks_test(const struct liveobj_runtime *runtime, enum liveobj_hook_mode hook_mode) {
    if (!runtime->swift_allocObject || !runtime->swift_slowDealloc)
        return false;
    working.mode = hook_mode;
    working.allocate = (alloc_object_fn)(uintptr_t)runtime->swift_allocObject;
    working.deallocate = (slow_dealloc_fn)(uintptr_t)runtime->swift_slowDealloc;
    working.free_entry = liveobj_image_import(&runtime->image, "free");
    working.free_hook = working.free_entry ? *working.free_entry : NULL;
    uint32_t guard = liveobj_tls_get()->guard;
    liveobj_tls_get()->guard = 0; // the thread that starts tracking may be at work for the recorder
    bool works = sees_allocation_and_deallocation();
    liveobj_tls_get()->guard = guard;
    return works && !liveobj_hooks_failure();
}

// MARK: - At a capture

static const char *const lost_objects =
    "the Swift runtime's allocation functions were replaced after the start: objects that were "
    "allocated since then may be missing";
static const char *const lost_deallocations =
    "the Swift runtime's `free` was replaced after the start: objects that were deallocated since "
    "then may be counted as alive";

/// At work for the recorder: the hooks note the object, and do not record it. Without signals,
/// whose handlers may allocate.
static bool sees_own_allocation(void) {
    struct liveobj_tls *tls = liveobj_tls_get();
    uint64_t signals = liveobj_os_block_signals();
    tls->guard += LIVEOBJ_GUARD_OWN_WORK;
    tls->hidden_own_object = tls->hidden_own_memory = 0;
    void *object = allocate_test_object();
    uintptr_t hidden = ~(uintptr_t)object;
    bool is_seen = hidden == tls->hidden_own_memory &&
                   (working.mode == LIVEOBJ_HOOKS_GOT || hidden == tls->hidden_own_object);
    if (is_seen) // else it is memory of an allocator that is not known
        deallocate_test_object(object);
    tls->guard -= LIVEOBJ_GUARD_OWN_WORK;
    liveobj_os_restore_signals(signals);
    return is_seen;
}

const char *liveobj_hooks_failure(void) {
    static const char *failure;
    const char *known = __atomic_load_n(&failure, __ATOMIC_RELAXED);
    if (known)
        return known;
    if (!sees_own_allocation())
        known = lost_objects;
    else if (working.free_entry &&
             __atomic_load_n(working.free_entry, __ATOMIC_RELAXED) != working.free_hook)
        known = lost_deallocations;
    __atomic_store_n(&failure, known, __ATOMIC_RELAXED); // a constant
    return known;
}

#endif
