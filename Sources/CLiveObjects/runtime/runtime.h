// runtime.h - where the Swift runtime of this process has its symbols (runtime.def).

#ifndef LIVEOBJ_RUNTIME_H
#define LIVEOBJ_RUNTIME_H

#include "CLiveObjects.h"
#include "runtime/image.h"

#pragma GCC visibility push(hidden)

/// The Swift runtime of this process. A member is NULL where the runtime has no such symbol.
struct liveobj_runtime {
#define LIVEOBJ_RUNTIME_SYMBOL(name) void *name;
#include "runtime/runtime.def"
#undef LIVEOBJ_RUNTIME_SYMBOL
    /// The image that holds the runtime: libswiftCore, or a static executable.
    struct liveobj_image image;
    /// The image that makes tasks. All zero for a program that was not linked with it, even if a
    /// library that is loaded later brings it along: tasks are not seen then.
    struct liveobj_image concurrency;
    /// The image that holds Foundation, or all zero likewise.
    struct liveobj_image foundation;
};

/// Finds the runtime; once, before anything else asks for it.
/// \returns LIVEOBJ_STATE_READY, LIVEOBJ_STATE_NO_RUNTIME, or LIVEOBJ_STATE_BLIND for a runtime
/// whose symbols were stripped.
enum liveobj_state liveobj_runtime_find(void);

/// The runtime that was found; all zero before.
const struct liveobj_runtime *liveobj_runtime_current(void);

#pragma GCC visibility pop

#endif
