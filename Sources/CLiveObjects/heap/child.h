// child.h - reads the heap in a copy of the process.
//
// A copy stands still while it is read, and a fault in it costs the program nothing. It is made by
// a raw `clone` without exit signal, so that the program's fork handlers do not run, its SIGCHLD
// handler is not called and its `wait` does not find it.

#ifndef LIVEOBJ_CHILD_H
#define LIVEOBJ_CHILD_H

#include "../internal.h"

#pragma GCC visibility push(hidden)

/// What the child leaves: bytes in memory that both share.
struct liveobj_child {
    const unsigned char *bytes;
    size_t count;
    size_t capacity;     // of the mapping
    const char *failure; // NULL, or a sentence about why there is no answer
};

/// Runs `work` in a copy of the process; what it writes is in `bytes` afterwards.
/// \param capacity the most that it may write; address space only.
struct liveobj_child liveobj_child_run(bool (*work)(void *context, liveobj_write_fn write,
                                                    void *destination),
                                       void *context, size_t capacity);
void liveobj_child_end(struct liveobj_child *child);

/// In the child: runs `step`; a fault in it, or a wait of more than 100 ms, ends it.
/// \returns false if it was ended.
bool liveobj_child_try(void (*step)(void *context), void *context);

#pragma GCC visibility pop

#endif
