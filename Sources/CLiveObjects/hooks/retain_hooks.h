// retain_hooks.h - the hooks that record retains and releases.

#ifndef LIVEOBJ_RETAIN_HOOKS_H
#define LIVEOBJ_RETAIN_HOOKS_H

#include "runtime/runtime.h"

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/// Replaces the runtime's retain pointers and, in all images, the GOT entries of functions that
/// retain without them.
void liveobj_retain_hooks_install(const struct liveobj_runtime *runtime);
/// Replaces these GOT entries in images that were loaded since.
/// \returns true if there were any, now or at an earlier call: their retains may have been missed.
/// Takes the dynamic linker's lock.
bool liveobj_retain_hooks_missed_images(void);

#pragma GCC visibility pop

#endif
