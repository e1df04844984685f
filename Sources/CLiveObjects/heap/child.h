// child.h - reads the heap in a copy of the process.
//
// A copy stands still while it is read, and a fault in it costs the program nothing. It is made by
// a raw `clone` without exit signal, so that the program's fork handlers do not run, its SIGCHLD
// handler is not called and its `wait` does not find it.
//
// The copy has one thread, and the locks that others held are held in it for ever. What may meet
// one of them, or memory that is not what it looks like, is done in steps (`liveobj_child_try`).

#ifndef LIVEOBJ_CHILD_H
#define LIVEOBJ_CHILD_H

#include "../internal.h"

#include <sys/types.h>

#pragma GCC visibility push(hidden)

/// What the child leaves: bytes in memory that both share.
struct liveobj_child {
    const unsigned char *bytes;
    size_t count;
    const char *failure; // NULL, or a sentence about why there is no answer

    struct liveobj_child_result *result; // the shared memory
    size_t result_bytes;
    pid_t process; // 0 once it has been waited for
};

typedef bool (*liveobj_child_work_fn)(void *context, liveobj_write_fn write, void *destination);

/// Runs `work` in a copy of the process; what it writes is in `bytes` afterwards.
/// \param capacity the most that it may write; address space only.
struct liveobj_child liveobj_child_run(liveobj_child_work_fn work, void *context, size_t capacity);
/// Gives the memory of the first `count` bytes of the answer back, which are not read any more.
void liveobj_child_discard(struct liveobj_child *child, size_t count);
/// Waits until nothing is left of the child, and gives its memory back.
void liveobj_child_end(struct liveobj_child *child);

/// In the child: runs `step`; a fault in it, or a wait of more than about 100 ms, ends it.
/// \returns false if it was ended.
bool liveobj_child_try(void (*step)(void *context), void *context);
/// In a long step, now and then: it is not waiting for anything.
void liveobj_child_advance(void);
/// In the child: how many steps took too long.
uint32_t liveobj_child_timeouts(void);

#pragma GCC visibility pop

#endif
