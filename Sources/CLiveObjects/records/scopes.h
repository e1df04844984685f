// scopes.h - which scope was opened in which, and what is known of which.

#ifndef LIVEOBJ_SCOPES_H
#define LIVEOBJ_SCOPES_H

#include "os/os.h"

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// A new scope inside another one, or inside none (0).
uint32_t liveobj_scope_open(uint32_t parent);

/// The scope that a scope was opened in, a smaller number; 0 for none.
uint32_t liveobj_scope_parent(uint32_t scope);

/// What a scope and those in it have left behind by now is known.
void liveobj_scope_set_known_issue(uint32_t scope);

/// The sequence number below which the objects of a scope are known; 0 for none.
uint64_t liveobj_scope_known_before(uint32_t scope);

/// True for `outer` itself and for what was opened in it, at any depth.
bool liveobj_scope_is_within(uint32_t scope, uint32_t outer);

/// The greatest scope that anything is kept of; 0 for no scopes.
uint32_t liveobj_scopes_last(void);

void liveobj_scopes_visit_locks(liveobj_lock_visit_fn visit, void *context);

#pragma GCC visibility pop

#endif
