// arena.h - the memory that is charged to the recorder, within shares of the limits of the
// process's memory, and within the user's (os_arena.c).

#pragma once

#include "os/os.h"

#pragma GCC visibility push(hidden)

/// Reads the limits that are not read for each allocation. Called before anything is charged; not
/// in a hook.
void liveobj_os_read_limits(void);

/// A sixteenth of the memory that this process may use: of its memory cgroup's, or the machine's.
uint64_t liveobj_os_memory_share(void);

/// True once the limits or the system refused memory that the recorder wanted.
bool liveobj_os_was_short_of_memory(void);

/// Maps memory that is charged to the recorder; see `liveobj_os_map`. NULL if the system refuses,
/// or if the recorder would have more than its share of the process's limits.
/// \param is_dense Whether all of it will be written to.
LIVEOBJ_HOOK void *liveobj_os_map_charged(size_t bytes, bool is_dense);
LIVEOBJ_HOOK void liveobj_os_unmap_charged(void *start, size_t bytes, bool is_dense);

/// Charged memory that grows at its end and never moves. The caller's lock must guard growth.
struct liveobj_arena {
    unsigned char *start;
    size_t bytes; // those that are mapped: zeroed when new; atomic
    size_t most;
    bool is_prepaid;  // see `liveobj_os_prepay`
    bool is_for_self; // a fork's child gets zeros
};
/// \returns false if there is no room for a first piece.
bool liveobj_arena_start(struct liveobj_arena *arena, uint64_t most_bytes);
/// Makes the arena have at least `wanted` bytes. \returns false if it cannot.
LIVEOBJ_HOOK bool liveobj_arena_grow(struct liveobj_arena *arena, size_t wanted);

static inline size_t liveobj_arena_bytes(const struct liveobj_arena *arena) {
    // Acquire: pairs with the release in `liveobj_arena_grow`.
    return __atomic_load_n(&arena->bytes, __ATOMIC_ACQUIRE);
}

// MARK: - The user's limit

/// Sets the limit, if it is below the share of the process's own limits. Called after
/// `liveobj_os_read_limits`, before anything is charged.
/// \returns The bytes that the recorder may have.
uint64_t liveobj_os_set_budget(uint64_t bytes);

/// Charges memory that is mapped, but not charged, later.
/// \returns false if there is not so much.
bool liveobj_os_prepay(uint64_t bytes);

/// Gives an arena's memory back to the system, and keeps the mapping, which gets memory page by
/// page again. What was in it is lost. Prepaid arenas are mapped as a whole from the start.
LIVEOBJ_HOOK void liveobj_arena_empty(struct liveobj_arena *arena);

/// Sets how much of the charged memory that is not dense is in use, as was measured. It counts
/// against the budget.
void liveobj_os_set_sparse_bytes(uint64_t bytes);

#pragma GCC visibility pop
