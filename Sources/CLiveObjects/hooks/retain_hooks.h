// retain_hooks.h - what runs inside the Swift runtime when it retains and releases.

#ifndef LIVEOBJ_RETAIN_HOOKS_H
#define LIVEOBJ_RETAIN_HOOKS_H

#include "runtime/runtime.h"

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/// Takes over the runtime's retain pointers and, in all images, what increments without them.
void liveobj_retain_hooks_install(const struct liveobj_runtime *runtime);
/// Whether images were loaded later that may increment unseen; from then on they are seen. Takes
/// the dynamic linker's lock.
bool liveobj_retain_hooks_missed_images(void);

#pragma GCC visibility pop

#endif
