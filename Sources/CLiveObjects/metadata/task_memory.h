// task_memory.h - the memory that the runtime takes for tasks.
//
// The frames of a task's functions are in slabs, which are memory of malloc. Their words are
// references of the task, and no roots: frames refer to their own task.
//
// A task of `async let` is in the memory of the task that waits for its end. It is no object of the
// heap: a word that refers to it counts as a reference to the object that it is part of.

#pragma once

#include "metadata/address_table.h"

#pragma GCC visibility push(hidden)

/// Zeroed memory is an empty list.
struct liveobj_task_memory {
    struct liveobj_address_table slabs;
    struct liveobj_address_table inner; // tasks that are in the memory of others
    uintptr_t *objects;                 // by number of the inner task: what it is part of
    uint32_t capacity;
    uintptr_t first; // the range of the addresses of inner tasks
    uintptr_t span;
};

/// Adds the slabs and inner tasks of a task. In a step of the snapshot process.
void liveobj_task_memory_add(struct liveobj_task_memory *memory, uintptr_t task);

/// Whether the address may be an inner task's. Fast: called for most words of the memory.
static inline bool liveobj_task_memory_may_find(const struct liveobj_task_memory *memory,
                                                uintptr_t address) {
    return address - memory->first < memory->span;
}
/// The task object whose memory has an inner task; 0 for other addresses.
uintptr_t liveobj_task_memory_find(const struct liveobj_task_memory *memory, uintptr_t address);

#pragma GCC visibility pop
