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
    /// Removes what was derived from code.
    void (*forget_code)(void);
    /// Metadata may have been unloaded.
    void (*distrust_metadata)(void);
};

/// Called when tracking starts.
void liveobj_unloads_start(const struct liveobj_unload_listener *listener);

/// Looks whether images were unloaded since the last call. Takes the dynamic linker's lock, so it
/// must not be called in a hook. Called after each `dlclose` that is seen, and before each capture.
void liveobj_unloads_note(void);

/// Why references are not read any more, a sentence; NULL in most processes.
const char *liveobj_unloads_failure(void);

void liveobj_unloads_visit_locks(liveobj_lock_visit_fn visit, void *context);

#pragma GCC visibility pop
