// budget.h - a limit of the user's for the memory that the recorder keeps (os_arena.c).

#pragma once

#include "os/os.h"

#pragma GCC visibility push(hidden)

/// Sets the limit, if it is below the share of the process's own limits. Called after
/// `liveobj_os_keep_within_limits`, before anything is kept.
/// \returns The bytes that the recorder may keep.
uint64_t liveobj_os_set_budget(uint64_t bytes);

/// Counts memory as kept that is mapped, but not counted, later.
/// \returns false if there is not so much.
bool liveobj_os_prepay(uint64_t bytes);

/// Gives the memory of a prepaid arena back to the system. Prepaid arenas are mapped as a whole
/// from the start, and get memory page by page; after this, they get it again. What was in it is
/// lost.
void liveobj_arena_empty(struct liveobj_arena *arena);

/// Sets how much of the kept memory that is not dense is in use, as was measured. It counts against
/// the budget.
void liveobj_os_set_sparse_bytes(uint64_t bytes);

#pragma GCC visibility pop
