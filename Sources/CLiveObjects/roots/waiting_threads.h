// waiting_threads.h - threads that wait for work.
//
// All frames of such a thread belong to the libraries that hand out work. It holds nothing of the
// program: what the words on its stack refer to is left from the work that it did last.

#pragma once

#include "roots/stopped_threads.h"
#include "runtime/image.h"

#pragma GCC visibility push(hidden)

/// The code of the libraries in which threads wait for work.
struct liveobj_waiting_code {
    struct liveobj_extent items[16];
    uint32_t count;
};
/// Adds the image's code, if it is one of these libraries.
void liveobj_waiting_code_take(struct liveobj_waiting_code *code,
                               const struct liveobj_image *image);

/// In the snapshot process, in a step: whether a stopped thread waits for work.
bool liveobj_thread_waits_for_work(const struct liveobj_waiting_code *code,
                                   const struct liveobj_stopped_thread *thread);

/// Waits, before a snapshot, until the other threads have gone to sleep, or have run for 3 ms each:
/// most that run are about to finish. The time is time on a processor, because on a busy machine
/// they may have to wait for one. Waits at most 10 s.
void liveobj_threads_let_settle(void);

#pragma GCC visibility pop
