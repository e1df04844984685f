// hooks.h - what runs inside the Swift runtime.

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
/// Has the runtime allocate and free a piece of memory, and looks whether the hooks saw both and,
/// through GOT entries, could distinguish an object from a raw buffer.
bool liveobj_hooks_test(const struct liveobj_runtime *runtime);
/// Whether hooks record stack traces.
void liveobj_hooks_set_stacks(bool on);
LIVEOBJ_HOOK bool liveobj_hooks_record_stacks(void);
void liveobj_hooks_set_scope_key(enum liveobj_scope_owner owner, const void *key);
/// The scope that is bound where the calling thread is; 0 for none.
LIVEOBJ_HOOK uint32_t liveobj_hooks_current_scope(void);

#pragma GCC visibility pop

#endif
