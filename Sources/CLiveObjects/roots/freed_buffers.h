// freed_buffers.h - raw buffers that Swift code allocated and C code has freed.
//
// The recorder does not see C's `free`. A record that stayed would count as growth without end, and
// what C code keeps in the memory now would be taken for the buffer's words.

#pragma once

#include "roots/roots.h"

#pragma GCC visibility push(hidden)

/// Removes the records of raw buffers for which malloc has no chunk in use, or one that is too
/// small, and of those whose memory is gone. Notes the heaps that it has read. In the snapshot
/// process only: the page map is a copy.
/// \param is_live By record index up to `liveobj_records_end`: 1 for a live object, else 0.
/// Afterwards 0 for removed records too, and not 0 for live ones.
void liveobj_freed_buffers_forget(struct liveobj_roots *roots, uint32_t *is_live);

#pragma GCC visibility pop
