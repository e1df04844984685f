// raw_buffers.h - which raw buffers are the program's, and which are side tables of the runtime.
//
// In the snapshot process.

#pragma once

#include "records/records.h"

#pragma GCC visibility push(hidden)

/// Whether code of the program allocated a buffer, not the runtime for itself; false without a
/// stack trace.
bool liveobj_buffer_is_of_program(const struct liveobj_object *buffer);

/// The object whose counts lie in a side table, which the runtime allocates for weak references; 0
/// where the object was freed. Then the side table still has its address, where another may be.
uintptr_t liveobj_side_table_object(uintptr_t side_table);
/// Whether a raw buffer is a side table, which refers to its object without retaining it; also that
/// of an object that was freed, if the buffer has a stack trace.
bool liveobj_buffer_is_side_table(const struct liveobj_object *buffer);

#pragma GCC visibility pop
