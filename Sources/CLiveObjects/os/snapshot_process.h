// snapshot_process.h - a copy of the process, in which the heap is read.
//
// A copy stands still while it is read, and a fault in it costs the program nothing. It is made by
// a raw `clone` without exit signal, so that the program's fork handlers do not run, its SIGCHLD
// handler is not called and its `wait` does not find it.
//
// The copy has one thread, and the locks that others held are held in it for ever. What may meet
// one of them, or memory that is not what it looks like, is done in steps
// (`liveobj_snapshot_step`).

#ifndef LIVEOBJ_SNAPSHOT_PROCESS_H
#define LIVEOBJ_SNAPSHOT_PROCESS_H

#include "CLiveObjects.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sys/types.h>

#pragma GCC visibility push(hidden)

/// What runs in the program around the copying, so that nothing is half-way through a change in
/// the copy.
struct liveobj_fork_handlers {
    void (*before)(void);
    void (*after)(void);
};
void liveobj_snapshot_set_fork_handlers(const struct liveobj_fork_handlers *handlers);

/// What the child leaves: bytes in memory that both share.
struct liveobj_snapshot {
    const unsigned char *bytes;
    size_t count;
    const char *failure; // NULL, or a sentence about why there is no answer

    struct liveobj_snapshot_result *result; // the shared memory
    size_t result_bytes;
    pid_t process; // 0 once it has been waited for
};

typedef bool (*liveobj_snapshot_work_fn)(void *context, liveobj_write_fn write, void *destination);

/// Runs `work` in a copy of the process; what it writes is in `bytes` afterwards.
/// \param capacity the most that it may write; address space only.
struct liveobj_snapshot liveobj_snapshot_run(liveobj_snapshot_work_fn work, void *context,
                                             size_t capacity);
/// Gives the memory of the first `count` bytes of the answer back, which are not read any more.
void liveobj_snapshot_discard(struct liveobj_snapshot *child, size_t count);
/// Waits until nothing is left of the child, and gives its memory back.
void liveobj_snapshot_end(struct liveobj_snapshot *child);

/// In the child: runs `step`; a fault in it, or a wait of more than about 100 ms, ends it.
/// \returns false if it was ended.
bool liveobj_snapshot_step(void (*step)(void *context), void *context);
/// In a long step, now and then: it is not waiting for anything.
void liveobj_snapshot_advance(void);
/// In the child: how many steps took too long.
uint32_t liveobj_snapshot_timeouts(void);

#pragma GCC visibility pop

#endif
