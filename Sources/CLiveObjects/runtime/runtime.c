// runtime.c - finds the Swift runtime in this process, and owns the result and the lock for calls.
//
// Weak references are tried first: they work for a runtime in a shared library and for one that
// this copy of the recorder was linked with. A static executable under the preload library has
// neither, so its symbols are looked up in its file. Runs outside of hooks.

#if defined(__linux__)

#include "runtime/runtime.h"
#include "os/step.h"

#define LIVEOBJ_RUNTIME_SYMBOL(name) extern char name __attribute__((weak, visibility("default")));
#include "runtime/runtime.def"
#undef LIVEOBJ_RUNTIME_SYMBOL

static struct liveobj_runtime current;

static bool find_by_reference(struct liveobj_runtime *runtime) {
#define LIVEOBJ_RUNTIME_SYMBOL(name) runtime->name = &name;
#include "runtime/runtime.def"
#undef LIVEOBJ_RUNTIME_SYMBOL
    return runtime->swift_retain != NULL;
}

static void find_in_file(struct liveobj_runtime *runtime) {
#define LIVEOBJ_RUNTIME_SYMBOL(name)                                                               \
    runtime->name = (void *)liveobj_image_symbol(&runtime->image, #name).start;
#include "runtime/runtime.def"
#undef LIVEOBJ_RUNTIME_SYMBOL
}

static bool take_first(void *context, const struct liveobj_image *image) {
    *(struct liveobj_image *)context = *image;
    return true;
}

static enum liveobj_state find_core(struct liveobj_runtime *runtime) {
    if (find_by_reference(runtime)) {
        bool found = liveobj_image_of((uintptr_t)runtime->swift_retain, &runtime->image);
        return found ? LIVEOBJ_STATE_READY : LIVEOBJ_STATE_BLIND;
    }
    liveobj_images_visit(take_first, &runtime->image);
    // Every Swift module has sections of metadata. A program without them is not tracked.
    if (!runtime->image.path || !liveobj_image_has_section(&runtime->image, "swift5_"))
        return LIVEOBJ_STATE_NO_RUNTIME;
    find_in_file(runtime);
    return runtime->swift_retain ? LIVEOBJ_STATE_READY : LIVEOBJ_STATE_BLIND;
}

enum liveobj_state liveobj_runtime_find(void) {
    enum liveobj_state state = find_core(&current);
    if (current.swift_task_create_common)
        liveobj_image_of((uintptr_t)current.swift_task_create_common, &current.concurrency);
    if (current._CFRuntimeCreateInstance)
        liveobj_image_of((uintptr_t)current._CFRuntimeCreateInstance, &current.foundation);
    return state;
}

LIVEOBJ_HOOK const struct liveobj_runtime *liveobj_runtime_current(void) {
    return &current;
}

// MARK: - Calls

/// A fork waits for it. Else a program without threads of its own could have a child in which a
/// lock of the runtime is held forever, by the recorder's thread.
static struct liveobj_lock calls;

void liveobj_runtime_visit_locks(liveobj_lock_visit_fn visit, void *context) {
    visit(context, &calls);
}

// A snapshot process has one thread, and leaves calls by jumps.
bool liveobj_runtime_enter(void) {
    return liveobj_snapshot_is_in_step() || liveobj_lock_acquire(&calls);
}

void liveobj_runtime_leave(void) {
    if (!liveobj_snapshot_is_in_step())
        liveobj_lock_release(&calls);
}

#endif
