// unloads.c - owns the dynamic linker's counts at the last look, and whether a Swift library was
// unloaded.
//
// The runtime keeps the sections of every image of Swift code that was ever loaded. Where they are
// in no image any more, the image was unloaded. Everything runs outside of hooks.

#if defined(__linux__)

#include "runtime/unloads.h"
#include "runtime/image.h"
#include "runtime/runtime.h"
#include "runtime/second_runtime.h"

#include <link.h>

/// The dynamic linker's own counts.
struct changes {
    unsigned long long loads;
    unsigned long long unloads;
};

static struct {
    struct liveobj_lock lock;
    const struct liveobj_unload_listener *listener;
    struct changes changes; // at the last look
    bool looks_again;       // for a second runtime: an image was being loaded
    const char *failure;    // atomic
} noted;

void liveobj_unloads_visit_locks(liveobj_lock_visit_fn visit, void *context) {
    visit(context, &noted.lock);
}

const char *liveobj_unloads_failure(void) {
    // Relaxed: a caller that asks because of an unload is ordered after it by other means.
    return __atomic_load_n(&noted.failure, __ATOMIC_RELAXED);
}

static bool check_sections(const void *sections, void *are_loaded) {
    struct liveobj_image image;
    *(bool *)are_loaded = liveobj_image_of((uintptr_t)sections, &image);
    return *(bool *)are_loaded;
}

/// \returns Why the types cannot be trusted any more; NULL if no Swift library was unloaded.
static const char *find_failure(void) {
    typedef void (*enumerate_fn)(bool (*visit)(const void *, void *), void *context);
    enumerate_fn enumerate =
        (enumerate_fn)liveobj_runtime_current()->swift_enumerateAllMetadataSections;
    bool are_loaded = true;
    if (!enumerate)
        return "references were not read: a library was unloaded that may have contained Swift "
               "code";
    enumerate(check_sections, &are_loaded);
    return are_loaded ? NULL : "references were not read: a Swift library was unloaded";
}

static void note_unload(void) {
    noted.listener->forget_code();
    const char *failure = noted.failure ? NULL : find_failure();
    if (!failure)
        return;
    noted.listener->distrust_metadata();
    __atomic_store_n(&noted.failure, failure, __ATOMIC_RELAXED);
}

static int read_changes(struct dl_phdr_info *info, size_t size, void *context) {
    struct changes *changes = context;
    if (size >= offsetof(struct dl_phdr_info, dlpi_subs) + sizeof info->dlpi_subs)
        *changes = (struct changes){info->dlpi_adds, info->dlpi_subs};
    return 1;
}

static void look_locked(struct changes present) {
    bool has_loads = present.loads != noted.changes.loads;
    if (present.unloads != noted.changes.unloads)
        note_unload();
    if (has_loads || noted.looks_again)
        noted.looks_again = !liveobj_second_runtime_look();
    noted.changes = present;
}

void liveobj_unloads_start(const struct liveobj_unload_listener *listener) {
    noted.listener = listener;
    dl_iterate_phdr(read_changes, &noted.changes);
    noted.looks_again = true;
    liveobj_unloads_note();
}

void liveobj_unloads_note(void) {
    struct changes present = {0, 0};
    if (!liveobj_lock_acquire(&noted.lock))
        return; // in a signal handler that interrupted this: the next call finds the changes
    // Before the look, so that changes made meanwhile are found next time.
    dl_iterate_phdr(read_changes, &present);
    look_locked(present);
    liveobj_lock_release(&noted.lock);
}

#endif
