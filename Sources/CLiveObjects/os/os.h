// os.h - system calls and facts about the machine that several parts of the recorder use.
//
// Nothing here calls malloc, stdio or functions that take the dynamic linker's lock. Functions
// marked LIVEOBJ_HOOK may run inside a hook. All are async-signal-safe unless they say otherwise.

#pragma once

#include "os/compiler.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// The smallest page of any system: the unit in which memory that may be unmapped is read.
#define LIVEOBJ_PAGE_BYTES ((size_t)4096)
/// The system's page, the unit of mappings: 4, 16 or 64 KiB.
LIVEOBJ_HOOK size_t liveobj_os_page_bytes(void);

/// The next multiple of a power of two.
static inline uintptr_t liveobj_round_up(uintptr_t value, uintptr_t unit) {
    return (value + unit - 1) & ~(unit - 1);
}

/// Maps zeroed memory, readable and writable, that is allocated page by page on first access. NULL
/// if the system refuses.
///
/// Like all mappings made here, it is never part of a core file. It is never in huge pages, because
/// a part of it may stay untouched.
LIVEOBJ_HOOK void *liveobj_os_map(size_t bytes);
LIVEOBJ_HOOK void liveobj_os_unmap(void *start, size_t bytes);

/// Maps memory at this page-aligned address, unless something is mapped there.
/// \returns false if the system refuses.
LIVEOBJ_HOOK bool liveobj_os_map_at(void *start, size_t bytes);

/// Sets whether the children of forks get a part of a mapping, as at first, or zeros in its place.
/// The fork is shorter then: the system copies none of the part's page tables.
LIVEOBJ_HOOK void liveobj_os_set_inherited(void *start, size_t bytes, bool is_inherited);

/// The start of a range of so much address space that is free at the moment; NULL if there is none.
void *liveobj_os_find_room(size_t bytes);

typedef void (*liveobj_os_visit_mapping_fn)(void *context, uintptr_t start, uintptr_t end);
/// Calls `visit` for every mapping made here that still exists, including reservations. Its
/// contents are the recorder's own. A mapping that is made or removed meanwhile may be missed.
void liveobj_os_visit_mappings(liveobj_os_visit_mapping_fn visit, void *context);

struct liveobj_extent {
    uintptr_t start;
    uintptr_t end;
};
typedef void (*liveobj_extent_visit_fn)(void *context, struct liveobj_extent extent);
enum liveobj_pages {
    LIVEOBJ_PAGES_VISITED = 0,
    LIVEOBJ_PAGES_UNMAPPED = 1, // some are not mapped; the others were visited
    LIVEOBJ_PAGES_UNKNOWN = 2,  // the system did not report some
};
/// Visits the parts of an extent that are in memory, by pages. The extent may be unmapped
/// meanwhile. \param is_file Only pages of a private file that are the process's own copies.
enum liveobj_pages liveobj_os_visit_pages(struct liveobj_extent extent, bool is_file,
                                          liveobj_extent_visit_fn visit, void *context);

/// Maps zeroed memory that this process shares with its snapshot processes; NULL if the system
/// refuses.
void *liveobj_os_map_shared(size_t bytes);

/// Changes the size of a mapping and keeps its contents; it may move. NULL if the system refuses;
/// then the old mapping stays. `start` may be NULL.
void *liveobj_os_resize(void *start, size_t bytes, size_t new_bytes);

/// Makes room for item number `count` of an array that grows, which may move. The array is NULL at
/// first, and `capacity` 0. \returns false if memory could not be had.
bool liveobj_os_make_room(void **items, uint32_t count, uint32_t *capacity, size_t item_bytes);

/// Closes descriptors, `last` included; with `unshares` in a table that only the calling thread has
/// from then on. \returns 0, or -1 with errno: ENOSYS before Linux 5.9.
int liveobj_os_close_range(unsigned first, unsigned last, bool unshares);

/// Writes all bytes, across interruptions and short writes. \returns 0, or the errno that ended it.
int liveobj_os_write_all(int fd, const void *bytes, size_t count);

/// A file mapped for reading. `bytes` is NULL if it cannot be mapped; `path` may be NULL for no
/// file.
struct liveobj_file {
    const unsigned char *bytes;
    size_t count;
};
struct liveobj_file liveobj_os_file_map(const char *path);
void liveobj_os_file_unmap(struct liveobj_file file);

/// Reads a file of unknown size, such as those of /proc, up to `capacity` bytes.
/// \returns The number of bytes read; 0 if it cannot be read.
size_t liveobj_os_file_read(const char *path, void *into, size_t capacity);

typedef bool (*liveobj_os_visit_line_fn)(void *context, const char *line);
/// Calls `visit` for each line of a file of any length, without the line's end, until it returns
/// false. Lines of more than 4 KB are cut.
/// \returns false if the file cannot be read.
bool liveobj_os_visit_lines(const char *path, liveobj_os_visit_line_fn visit, void *context);

bool liveobj_os_begins_with(const char *text, const char *prefix);
/// Reads a number without prefix, and moves `next` behind it. 0 if none is there.
uint64_t liveobj_os_take_decimal(const char **next);
uintptr_t liveobj_os_take_hexadecimal(const char **next);
typedef void (*liveobj_os_visit_number_fn)(void *context, uint32_t number);
/// Calls `visit` for each entry of a folder of /proc that has a number for a name.
void liveobj_os_visit_numbers(const char *folder, liveobj_os_visit_number_fn visit, void *context);
void liveobj_os_append_number(char *path, uint32_t number);

/// Calls `visit` for each thread of the process, including the calling one.
void liveobj_os_visit_threads(liveobj_os_visit_number_fn visit, void *context);
uint32_t liveobj_os_thread_id(void);
bool liveobj_os_is_main_thread(void);
/// The address of a thread's list of robust mutexes, which is part of the C library's data of the
/// thread; 0 if it is unknown.
uintptr_t liveobj_os_robust_list(uint32_t thread);
/// The path of a file about a thread of this process.
void liveobj_os_thread_file(uint32_t thread, const char *name, char path[64]);

/// Nanoseconds since 1970.
uint64_t liveobj_os_wall_clock(void);
/// True if the calling thread is the only one. False if that is unknown.
bool liveobj_os_is_single_threaded(void);

/// True if the word at `address` can be read. One system call; false if a filter forbids it.
LIVEOBJ_HOOK bool liveobj_os_is_readable(uintptr_t address);

/// True if the word at `address` can be written. Does not change it, even if other threads write to
/// it.
bool liveobj_os_is_writable(uintptr_t address);

/// Sleeps, or less if a signal comes. Not a cancellation point.
LIVEOBJ_HOOK void liveobj_os_sleep(uint64_t nanoseconds);

/// Sleeps until `liveobj_os_wake` is called for the word, in this process or in a snapshot process
/// that shares it. Returns early if a signal comes, and at once if the word is not `value` any
/// more. Not a cancellation point.
void liveobj_os_wait(uint32_t *word, uint32_t value, uint64_t nanoseconds);
void liveobj_os_wake(uint32_t *word);

/// A time in nanoseconds with an arbitrary zero. Changes of the system's clock do not affect it.
LIVEOBJ_HOOK uint64_t liveobj_os_time(void);

/// The processor time of a thread of this process, in nanoseconds; UINT64_MAX if it has ended.
uint64_t liveobj_os_thread_time(uint32_t thread);

/// Yields the processor, before another try for a lock.
LIVEOBJ_HOOK void liveobj_os_yield(void);

/// Blocks all signals of the calling thread, except those that a fault raises.
/// \returns The signals that were blocked before.
uint64_t liveobj_os_block_signals(void);
void liveobj_os_restore_signals(uint64_t before);

// MARK: - os_room.c

/// A limit, and the rest that it leaves, in bytes. Without a limit both are UINT64_MAX.
struct liveobj_room {
    uint64_t limit;
    uint64_t left;
};

/// The room for mappings: the smallest of RLIMIT_AS, RLIMIT_DATA and, if the system does not
/// overcommit memory (vm.overcommit_memory=2), its commit limit. An allocation beyond it fails.
/// Must not be called in a hook: reads files.
struct liveobj_room liveobj_os_address_room(void);

/// The room for memory in use: the smallest of the process's memory cgroup and its ancestors, of
/// both versions. Beyond it the system kills a process of the group, or all of them. Must not be
/// called in a hook.
struct liveobj_memory_room {
    struct liveobj_room room;
    bool ends_all; // memory.oom.group: running out ends the whole group
};
struct liveobj_memory_room liveobj_os_memory_room(void);
/// Whether the process can use `own_bytes` more. `helper_bytes` are counted only if the system
/// would end the whole group; otherwise it ends the helper processes first.
bool liveobj_os_has_room(uint64_t own_bytes, uint64_t helper_bytes);
/// The same from other files than /proc/self/cgroup and those below /sys/fs/cgroup; for tests.
struct liveobj_memory_room liveobj_os_memory_room_from(const char *cgroups, const char *mount);

/// The bytes of the process's address space that are in memory.
uint64_t liveobj_os_resident_bytes(void);

// MARK: - os_lock.c

/// A lock that is held for a few instructions, or a few system calls. A thread never waits for a
/// lock that it holds itself.
struct liveobj_lock {
    uintptr_t holder; // atomic: 0 while it is free
};

/// Waits while another thread holds the lock, for some seconds at most.
/// \returns false if the lock cannot be had: the calling thread holds it and was interrupted by a
/// signal, or the thread that holds it makes no progress or has ended.
LIVEOBJ_HOOK __attribute__((warn_unused_result)) bool
liveobj_lock_acquire(struct liveobj_lock *lock);
LIVEOBJ_HOOK bool liveobj_lock_try(struct liveobj_lock *lock);
LIVEOBJ_HOOK void liveobj_lock_release(struct liveobj_lock *lock);

/// Whether the calling thread holds the lock.
bool liveobj_lock_is_own(const struct liveobj_lock *lock);

/// Waits until the lock is free.
/// \param deadline In the time of `liveobj_os_time`.
/// \returns false if it is still held, at once if the calling thread holds it.
bool liveobj_lock_wait_until_free(const struct liveobj_lock *lock, uint64_t deadline);

/// Before a fork: takes the lock, so that what it guards is consistent in the child. A lock that
/// the calling thread holds stays as it is: the thread goes on under it in the child as well.
/// \returns false if another thread holds it.
bool liveobj_lock_try_before_fork(struct liveobj_lock *lock);
void liveobj_lock_after_fork(struct liveobj_lock *lock);
/// \returns false if the lock's holder is a thread that the child does not have. The lock can then
/// never be taken, and its data may be inconsistent.
bool liveobj_lock_after_fork_child(struct liveobj_lock *lock);

/// Calls `visit` for each lock of a part of the recorder.
typedef void (*liveobj_lock_visit_fn)(void *context, struct liveobj_lock *lock);
typedef void (*liveobj_locks_visit_fn)(liveobj_lock_visit_fn visit, void *context);

/// Takes several locks before a fork, and gives them back in the parent. Waits for at most 0.2 s.
void liveobj_locks_before_fork(liveobj_locks_visit_fn visit_all);
void liveobj_locks_after_fork(liveobj_locks_visit_fn visit_all);

#pragma GCC visibility pop
