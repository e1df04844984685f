// retain_path.h - checks whether `_swift_retain` can be hooked safely, and repairs the runtime if
// not.

#ifndef LIVEOBJ_RETAIN_PATH_H
#define LIVEOBJ_RETAIN_PATH_H

#include "runtime/runtime.h"

#pragma GCC visibility push(hidden)

/// Checks whether `_swift_retain` may be hooked in this runtime, and repairs the runtime if that is
/// needed and possible. The process must have one thread, because the check sets the hook pointers
/// for a moment.
enum liveobj_retain_path {
    LIVEOBJ_RETAIN_PATH_SOUND,
    LIVEOBJ_RETAIN_PATH_REPAIRED,
    LIVEOBJ_RETAIN_PATH_FAULTY,
};
enum liveobj_retain_path liveobj_retain_path_prepare(const struct liveobj_runtime *runtime);

/// The variable through which the repaired retain path jumps; NULL if nothing was repaired.
void **liveobj_retain_path_variable(void);

#pragma GCC visibility pop

#endif
