// unloads.h - notices that images were unloaded.
//
// Swift does not support the unloading of its libraries: metadata on the heap, and the runtime's
// own tables, refer to their memory ever after. So once one was unloaded, references are not read
// any more, and of the types only those are named that depend on nothing but loaded images.

#pragma once

#include "os/os.h"

#pragma GCC visibility push(hidden)

/// The reactions of the rest of the recorder to an unload.
struct liveobj_unload_listener {
    /// Removes what was derived from code at these addresses.
    void (*forget_code)(uintptr_t start, uintptr_t end);
    /// Metadata may have been unloaded.
    void (*distrust_metadata)(void);
};
/// Lists the loaded images. Called when tracking starts.
void liveobj_unloads_start(const struct liveobj_unload_listener *listener);

/// Compares the loaded images with those at the last call. Cheap if nothing was loaded or unloaded.
/// Takes the dynamic linker's lock, so it must not be called in a hook.
///
/// Called around each `dlclose` that is seen, and before each capture. Nothing is known of an image
/// that is loaded and unloaded between two calls: it may have been a Swift library.
void liveobj_unloads_note(void);

/// Why references are not read any more, a sentence; NULL in most processes.
const char *liveobj_unloads_failure(void);

/// Whether an image with this address was unloaded, so that another one may be there now. Takes no
/// lock.
bool liveobj_unloads_include(uintptr_t address);

void liveobj_unloads_visit_locks(liveobj_lock_visit_fn visit, void *context);

#pragma GCC visibility pop
