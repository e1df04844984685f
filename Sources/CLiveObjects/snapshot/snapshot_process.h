// snapshot_process.h - runs code in a forked copy of the process, in which the heap is read.
//
// The snapshot process stands still while it is read, and a fault in it does not affect the
// program. It is made by a raw `clone` without exit signal. So the program's fork handlers do not
// run, its SIGCHLD handler is not called, and its `wait` does not find the process.
//
// The snapshot process has one thread; locks that other threads held stay held in it. Work that may
// need one of those locks, or may read memory that is not what it seems, is done in steps
// (os/step.h).

#pragma once

#include "CLiveObjects.h"
#include "roots/stopped_threads.h"

#include <sys/types.h>

#pragma GCC visibility push(hidden)

/// Sets functions that run in the program before and after the fork, so that the recorder's data is
/// consistent in the snapshot process.
void liveobj_snapshot_set_fork_handlers(void (*before)(void), void (*after)(void));

/// The result of a snapshot process, in memory that it shares with the program.
struct liveobj_snapshot {
    const unsigned char *bytes;
    size_t count;
    const char *failure; // NULL, or a sentence that says why there is no result

    struct liveobj_snapshot_result *result; // the shared memory
    size_t result_bytes;
    pid_t process; // 0 once it has been waited for
};

typedef bool (*liveobj_snapshot_work_fn)(void *context, liveobj_write_fn write, void *destination);

/// Runs `work` in a snapshot process. `bytes` is what it has written.
/// \param threads Are stopped while the process is copied, with the recorder's locks held. NULL for
/// none.
/// \param capacity The most that it may write; only address space is reserved.
/// \param deadline When it is ended, by the clock of `liveobj_os_time`.
struct liveobj_snapshot liveobj_snapshot_run(liveobj_snapshot_work_fn work,
                                             struct liveobj_stopped_threads *threads, void *context,
                                             size_t capacity, uint64_t deadline);
/// Frees the memory of the first `count` bytes of the result, which are not read any more.
void liveobj_snapshot_discard(struct liveobj_snapshot *child, size_t count);
/// Waits until the snapshot process has ended, and frees the shared memory.
void liveobj_snapshot_end(struct liveobj_snapshot *child);

#pragma GCC visibility pop
