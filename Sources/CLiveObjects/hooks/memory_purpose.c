// memory_purpose.c - what the runtime allocates memory for, by the functions that do it.
//
// Owns the extents of these functions.

#if defined(__linux__)

#include "arch/registers.h"
#include "arch/runtime_code.h"
#include "hooks/hooks.h"
#include "metadata/types.h"

/// The extents of the functions that allocate tasks, all memory, metadata pools and objects; the
/// last ones are empty if objects are recorded by their own hook.
static struct liveobj_extent task_create;
static struct liveobj_extent slow_alloc;
static struct liveobj_extent metadata_allocate; // of metadata pools
static struct liveobj_extent object_allocators[3];

static inline bool is_inside(struct liveobj_extent extent, uintptr_t address) {
    return address - extent.start < extent.end - extent.start;
}

/// Whether the caller keeps a frame pointer. In a runtime compiled without frame pointers the
/// register has an arbitrary value, which must not be followed; the self-test then finds that the
/// hooks cannot identify the caller.
static bool is_frame_of_caller(const uintptr_t *frame, uintptr_t outer) {
    enum { MOST_BYTES = 1024 }; // `swift_slowAlloc` has few variables
    return outer % sizeof(uintptr_t) == 0 && outer - (uintptr_t)frame < MOST_BYTES;
}

/// The purpose of memory, by the caller of `swift_slowAlloc`.
/// \param record The frame record of the hook that `swift_slowAlloc` called.
/// \returns One of LIVEOBJ_METADATA_*; 0 for the runtime's metadata pools.
static uintptr_t purpose_of_slow_allocation(const uintptr_t *record) {
    const uintptr_t *outer = (const uintptr_t *)liveobj_frame_record_fp(record);
    if (!is_frame_of_caller(record, (uintptr_t)outer))
        return LIVEOBJ_METADATA_RAW_BUFFER;
    uintptr_t caller = liveobj_frame_record_pc(outer);
    if (is_inside(metadata_allocate, caller))
        return 0;
    for (size_t i = 0; i < 3; i++)
        if (is_inside(object_allocators[i], caller))
            return LIVEOBJ_METADATA_IN_HEADER;
    return LIVEOBJ_METADATA_RAW_BUFFER;
}

LIVEOBJ_HOOK uintptr_t liveobj_memory_purpose(const uintptr_t *record) {
    uintptr_t caller = liveobj_frame_record_pc(record);
    if (is_inside(task_create, caller))
        return LIVEOBJ_METADATA_TASK;
    return is_inside(slow_alloc, caller) ? purpose_of_slow_allocation(record) : 0;
}

// MARK: - Preparation

static uintptr_t find_pool_call(struct liveobj_extent code) {
    return liveobj_code_find_pool_call((const void *)code.start, (const void *)code.end);
}

/// The place where the runtime allocates its metadata pools: in a stripped runtime, which has no
/// symbol for the function, its call alone.
static struct liveobj_extent find_metadata_allocate(const struct liveobj_image *runtime) {
    struct liveobj_extent named =
        liveobj_image_symbol(runtime, "_ZN5swift17MetadataAllocator8AllocateEmm");
    uintptr_t call = named.start ? 0 : liveobj_image_find_in_code(runtime, find_pool_call);
    return call ? (struct liveobj_extent){call, call + 1} : named;
}

void liveobj_memory_purpose_prepare(const struct liveobj_runtime *runtime, bool sees_objects) {
    static const char *const names[] = {"swift_allocObject", "swift_bufferAllocate",
                                        "swift_allocBox"};
    task_create = liveobj_image_symbol(&runtime->concurrency, "swift_task_create_common");
    slow_alloc = liveobj_image_symbol(&runtime->image, "swift_slowAlloc");
    metadata_allocate = find_metadata_allocate(&runtime->image);
    for (size_t i = 0; sees_objects && i < 3; i++)
        object_allocators[i] = liveobj_image_symbol(&runtime->image, names[i]);
}

#endif
