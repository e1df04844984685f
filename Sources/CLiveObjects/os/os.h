// os.h - every system call and every fact about the machine that the recorder needs.
//
// Nothing here calls malloc, stdio or the dynamic linker's locks. Functions marked LIVEOBJ_HOOK may
// run inside a hook; all of them are async-signal-safe unless they say otherwise.

#ifndef LIVEOBJ_OS_H
#define LIVEOBJ_OS_H

#include "os/compiler.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// Memory pages are dealt with in units of this many bytes.
#define LIVEOBJ_PAGE_BYTES ((size_t)4096)

/// Zeroed memory, readable and writable; memory is taken page by page on first touch. NULL if
/// refused.
/// Never part of a core file, as all that is mapped here, and never in huge pages: a part of it may
/// stay untouched.
LIVEOBJ_HOOK void *liveobj_os_map(size_t bytes);
/// The same for memory that is about to be used throughout: in huge pages, where the system has
/// them. A fork copies them hundreds of times faster.
LIVEOBJ_HOOK void *liveobj_os_map_dense(size_t bytes);
LIVEOBJ_HOOK void liveobj_os_unmap(void *start, size_t bytes);

/// The same at this address, page-aligned, unless something is there. In huge pages, where the
/// system has them, if all of it is about to be used. \returns false if refused.
LIVEOBJ_HOOK bool liveobj_os_map_at(void *start, size_t bytes, bool is_dense);

/// An address from which on so much address space is free at the moment; NULL if there is none.
void *liveobj_os_find_room(size_t bytes);

/// Calls `visit` for every mapping that was made here and is still there, reservations included:
/// what lies in them is the recorder's own. A mapping that comes or goes meanwhile may be missed.
typedef void (*liveobj_os_visit_mapping_fn)(void *context, uintptr_t start, uintptr_t end);
void liveobj_os_visit_mappings(liveobj_os_visit_mapping_fn visit, void *context);

/// Calls `visit` for what of an extent is in memory, by pages: what was never touched, or is
/// swapped out, is not. Also for memory that may vanish meanwhile.
/// \returns false if the system did not tell of all.
struct liveobj_extent {
    uintptr_t start;
    uintptr_t end;
};
typedef void (*liveobj_extent_visit_fn)(void *context, struct liveobj_extent extent);
bool liveobj_os_visit_resident(struct liveobj_extent extent, liveobj_extent_visit_fn visit,
                               void *context);

/// Zeroed memory that this process and its copies share; NULL if refused.
void *liveobj_os_map_shared(size_t bytes);

/// A mapping of another size with the same contents, perhaps elsewhere; NULL if refused, and the
/// old one stays. `start` may be NULL.
void *liveobj_os_resize(void *start, size_t bytes, size_t new_bytes);

/// Writes everything, over interruptions and short writes.
/// \returns 0, or the errno that stopped it.
int liveobj_os_write_all(int fd, const void *bytes, size_t count);

/// A file mapped for reading. `bytes` is NULL if it cannot be had; `path` is NULL for no file.
struct liveobj_file {
    const unsigned char *bytes;
    size_t count;
};
struct liveobj_file liveobj_os_file_map(const char *path);
void liveobj_os_file_unmap(struct liveobj_file file);

/// Reads a file of unknown size, as those of /proc are, up to `capacity` bytes.
/// \returns the number of bytes read; 0 if it cannot be read.
size_t liveobj_os_file_read(const char *path, void *into, size_t capacity);

/// Calls `visit` for each line of a file of any length, without its end, until it returns false.
/// Lines of more than 4 KB are cut.
/// \returns false if the file cannot be read.
typedef bool (*liveobj_os_visit_line_fn)(void *context, const char *line);
bool liveobj_os_visit_lines(const char *path, liveobj_os_visit_line_fn visit, void *context);

/// Calls `visit` for each thread of the process, the calling one included.
typedef void (*liveobj_os_visit_thread_fn)(void *context, uint32_t thread);
void liveobj_os_visit_threads(liveobj_os_visit_thread_fn visit, void *context);
uint32_t liveobj_os_thread_id(void);
bool liveobj_os_is_main_thread(void);
/// Where a thread of this process keeps its list of robust mutexes, a part of what the C library
/// knows of it; 0 if that is unknown.
uintptr_t liveobj_os_robust_list(uint32_t thread);
/// The path of a file about a thread of this process.
void liveobj_os_thread_file(uint32_t thread, const char *name, char path[64]);

/// Nanoseconds since 1970.
uint64_t liveobj_os_wall_clock(void);

/// True if the calling thread is the only one. False where that is unknown.
bool liveobj_os_is_single_threaded(void);

/// True if the word at `address` can be read. One system call, which any sandbox lets pass.
LIVEOBJ_HOOK bool liveobj_os_is_readable(uintptr_t address);

/// True if the word at `address` can be written. Leaves it as it is, also if other threads write to
/// it.
bool liveobj_os_is_writable(uintptr_t address);

/// Sleeps, or less if a signal comes. No cancellation point.
LIVEOBJ_HOOK void liveobj_os_sleep(uint64_t nanoseconds);

/// Sleeps until `liveobj_os_wake` of the word, in this process or in a copy that shares it, or less
/// if a signal comes; not at all if the word is not `value` any more. No cancellation point.
void liveobj_os_wait(uint32_t *word, uint32_t value, uint64_t nanoseconds);
void liveobj_os_wake(uint32_t *word);

/// In nanoseconds, from any start on. Goes on whatever anybody does to the clock.
uint64_t liveobj_os_time(void);

/// For how many nanoseconds a thread of this process has run; UINT64_MAX if it has ended.
uint64_t liveobj_os_thread_time(uint32_t thread);

/// Gives the processor away; for the retry of a spin lock.
LIVEOBJ_HOOK void liveobj_os_yield(void);

/// Blocks the calling thread's signals but those that a fault raises.
/// \returns what was blocked before.
uint64_t liveobj_os_block_signals(void);
void liveobj_os_restore_signals(uint64_t before);

// MARK: - os_room.c

/// What a limit leaves, in bytes. Without a limit both are UINT64_MAX.
struct liveobj_room {
    uint64_t limit;
    uint64_t left;
};

/// Room for mappings: the tightest of RLIMIT_AS, RLIMIT_DATA and, where the system promises no more
/// than it has (vm.overcommit_memory=2), the rest of that. Beyond it an allocation fails. Not in a
/// hook: reads files.
struct liveobj_room liveobj_os_address_room(void);

/// Room for memory in use: the tightest of the process's memory cgroup and those around it, of both
/// versions. Beyond it the system kills a process of the group, or all of them. Not in a hook.
struct liveobj_memory_room {
    struct liveobj_room room;
    bool ends_all; // memory.oom.group: running out ends the whole group
};
struct liveobj_memory_room liveobj_os_memory_room(void);
/// Whether the process can use so much more, in addition to helpers that the system ends before it
/// where it ends processes one by one.
bool liveobj_os_has_room(uint64_t own_bytes, uint64_t helper_bytes);
/// The same by other files than those of /proc/self; for tests.
struct liveobj_memory_room liveobj_os_memory_room_told_by(const char *cgroups, const char *mounts);

/// What of the process's address space is in memory.
uint64_t liveobj_os_resident_bytes(void);

// MARK: - os_arena.c

/// Reads the limits that are not asked for each time. Before anything is kept; not in a hook.
void liveobj_os_keep_within_limits(void);

/// True once the limits, or the system, left the recorder no memory that it wanted to keep.
bool liveobj_os_was_short_of_memory(void);

/// Memory for as long as the process lives; see `liveobj_os_map`. NULL if it is refused, or more
/// than the recorder may keep under the limits of the process.
/// \param is_dense whether all of it will be written to.
LIVEOBJ_HOOK void *liveobj_os_map_kept(size_t bytes, bool is_dense);
LIVEOBJ_HOOK void liveobj_os_unmap_kept(void *start, size_t bytes, bool is_dense);

/// Kept memory that grows at its end and never moves. Growing needs a lock.
struct liveobj_arena {
    unsigned char *start;
    size_t bytes; // those that are there: zeroed when new; atomic
    size_t most;
};
/// \returns false if there is no room for a first piece.
bool liveobj_arena_start(struct liveobj_arena *arena, uint64_t most_bytes);
/// Makes the arena have at least the wanted bytes. \returns false if it cannot.
LIVEOBJ_HOOK bool liveobj_arena_grow(struct liveobj_arena *arena, size_t wanted);

/// The bytes that are there.
static inline size_t liveobj_arena_bytes(const struct liveobj_arena *arena) {
    // Acquire: pairs with the release in `liveobj_arena_grow`.
    return __atomic_load_n(&arena->bytes, __ATOMIC_ACQUIRE);
}

// MARK: - os_lock.c

/// A lock that is held for a few instructions, or a few system calls. No thread ever waits for a
/// lock that its own thread holds.
struct liveobj_lock {
    uintptr_t holder; // atomic: 0 while it is free
};

/// Waits while another thread holds the lock, for some seconds at most.
/// \returns false if the lock cannot be had: the calling thread holds it itself and was interrupted
/// by a signal, or the thread that holds it gets no further or is gone.
LIVEOBJ_HOOK __attribute__((warn_unused_result)) bool
liveobj_lock_acquire(struct liveobj_lock *lock);
LIVEOBJ_HOOK bool liveobj_lock_try(struct liveobj_lock *lock);
LIVEOBJ_HOOK void liveobj_lock_release(struct liveobj_lock *lock);

/// Whether the calling thread holds it.
bool liveobj_lock_is_own(const struct liveobj_lock *lock);

/// Waits until the lock is free; not at all if the calling thread does.
/// \param deadline in the time of `liveobj_os_time`. \returns false if it is still held.
bool liveobj_lock_wait_until_free(const struct liveobj_lock *lock, uint64_t deadline);

/// Before a fork: takes the lock, so that what it guards is consistent in the child. A lock that
/// the calling thread holds stays as it is: the thread goes on under it in the child as well.
/// \returns false if another thread holds it.
bool liveobj_lock_try_before_fork(struct liveobj_lock *lock);
void liveobj_lock_after_fork(struct liveobj_lock *lock);
/// \returns false if a thread holds the lock that the child does not have: what it guards may be
/// half-way through a change for ever, and the lock is never to be had again.
bool liveobj_lock_after_fork_child(struct liveobj_lock *lock);

/// Calls `visit` for each of the locks that a part of the recorder has.
typedef void (*liveobj_lock_visit_fn)(void *context, struct liveobj_lock *lock);
typedef void (*liveobj_locks_visit_fn)(liveobj_lock_visit_fn visit, void *context);

/// Takes several locks before a fork, and gives them back in the parent. Waits for at most 0.2 s.
void liveobj_locks_before_fork(liveobj_locks_visit_fn visit_all);
void liveobj_locks_after_fork(liveobj_locks_visit_fn visit_all);

#pragma GCC visibility pop

#endif
