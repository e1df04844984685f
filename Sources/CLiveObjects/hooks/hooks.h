// hooks.h - the hooks that record allocations and deallocations of the Swift runtime.

#ifndef LIVEOBJ_HOOKS_H
#define LIVEOBJ_HOOKS_H

#include "CLiveObjects.h"
#include "os/compiler.h"
#include "runtime/runtime.h"

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

bool liveobj_hooks_install(const struct liveobj_runtime *runtime, enum liveobj_hook_mode hook_mode);
void liveobj_hooks_pause(void);
void liveobj_hooks_resume(void);
/// Checks the hooks: the runtime allocates and frees a block.
/// \returns true if the hooks saw both and, in mode LIVEOBJ_HOOKS_GOT, can distinguish an object
/// from a raw buffer.
bool liveobj_hooks_test(const struct liveobj_runtime *runtime);
/// Sets whether hooks record stack traces.
void liveobj_hooks_set_stacks(bool on);
LIVEOBJ_HOOK bool liveobj_hooks_record_stacks(void);
void liveobj_hooks_set_scope_key(enum liveobj_scope_owner owner, const void *key);
/// The scope that is bound where the calling thread is; 0 for none.
LIVEOBJ_HOOK uint32_t liveobj_hooks_current_scope(void);

#pragma GCC visibility pop

#endif
