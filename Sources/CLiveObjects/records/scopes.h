// scopes.h - the parent of each scope, and the time up to which its survivors are a known issue.

#pragma once

#include "os/os.h"

#pragma GCC visibility push(hidden)

/// Makes a scope inside `parent`; 0 for no parent.
uint32_t liveobj_scope_open(uint32_t parent);

/// A scope's parent, a smaller number; 0 for none.
uint32_t liveobj_scope_parent(uint32_t scope);

/// Marks the objects that a scope and its descendants have left behind so far as a known issue.
void liveobj_scope_set_known_issue(uint32_t scope);

/// The sequence number below which a scope's objects are a known issue; 0 for none.
uint64_t liveobj_scope_known_before(uint32_t scope);

/// True for `outer` itself and for its descendants.
bool liveobj_scope_is_within(uint32_t scope, uint32_t outer);

/// The greatest scope that the tables can hold data of; 0 for no scopes.
uint32_t liveobj_scopes_last(void);

void liveobj_scopes_visit_locks(liveobj_lock_visit_fn visit, void *context);

#pragma GCC visibility pop
