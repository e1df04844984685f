// retain_path.h - whether the retain path is sound once hooks are on, and its repair.

#ifndef LIVEOBJ_RETAIN_PATH_H
#define LIVEOBJ_RETAIN_PATH_H

#include "runtime/runtime.h"

#pragma GCC visibility push(hidden)

/// Whether `_swift_retain` may be switched on in this runtime. Repairs it where it can. Needs a
/// process with one thread, for it sets the hook pointers for an instant.
enum liveobj_retain_path {
    LIVEOBJ_RETAIN_PATH_SOUND,
    LIVEOBJ_RETAIN_PATH_REPAIRED,
    LIVEOBJ_RETAIN_PATH_FAULTY,
};
enum liveobj_retain_path liveobj_retain_path_prepare(const struct liveobj_runtime *runtime);

/// The variable that the repaired retain path jumps through, else NULL.
void **liveobj_retain_path_variable(void);

#pragma GCC visibility pop

#endif
