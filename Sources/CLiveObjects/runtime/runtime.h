// runtime.h - the addresses of the Swift runtime's symbols (runtime.def) in this process.

#pragma once

#include "CLiveObjects.h"
#include "os/os.h"
#include "runtime/image.h"

#pragma GCC visibility push(hidden)

/// The Swift runtime of this process. A member is NULL if the runtime has no such symbol.
struct liveobj_runtime {
#define LIVEOBJ_RUNTIME_SYMBOL(name) void *name;
#include "runtime/runtime.def"
#undef LIVEOBJ_RUNTIME_SYMBOL
    /// The runtime's image: libswiftCore, or a static executable.
    struct liveobj_image image;
    /// The image that creates tasks. All zero if the program was not linked with it, even if a
    /// library that is loaded later needs it; tasks are not recorded then.
    struct liveobj_image concurrency;
    /// Foundation's image, likewise.
    struct liveobj_image foundation;
};

/// Finds the runtime. Called once, before all other uses.
/// \returns LIVEOBJ_STATE_READY, LIVEOBJ_STATE_NO_RUNTIME, or LIVEOBJ_STATE_BLIND for a runtime
/// whose symbols were stripped.
enum liveobj_state liveobj_runtime_find(void);

/// The runtime that was found; all zero before.
LIVEOBJ_HOOK const struct liveobj_runtime *liveobj_runtime_current(void);

/// Begins a call of a function of the runtime that may lock. One thread makes such calls at a time.
/// \returns false if the call must not be made: this thread makes one, and was interrupted by a
/// signal, or another one has not come back for seconds.
bool liveobj_runtime_enter(void);
void liveobj_runtime_leave(void);
void liveobj_runtime_visit_locks(liveobj_lock_visit_fn visit, void *context);

#pragma GCC visibility pop
