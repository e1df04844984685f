// signals.c - blocks signals during a report. Owns nothing.
//
// A report is written with all signals blocked. The program's handlers must not run in the middle
// of it, and a closed pipe or a file size limit must not kill the program because of our writes.
// Async-signal-safe.

#include "safety/safety.h"

#include <errno.h>
#include <stddef.h>
#include <time.h>

struct liveobj_signals liveobj_signals_block(void) {
    struct liveobj_signals saved;
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &saved.blocked);
    sigpending(&saved.pending);
    return saved;
}

static void take_back(int signal, const struct liveobj_signals *saved) {
    if (sigismember(&saved->pending, signal) == 1)
        return; // it was pending before, so it is the program's own
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, signal);
    struct timespec now = {0, 0};
    sigtimedwait(&set, NULL, &now);
}

void liveobj_signals_restore(const struct liveobj_signals *saved) {
    int error = errno;
    take_back(SIGPIPE, saved);
    take_back(SIGXFSZ, saved);
    pthread_sigmask(SIG_SETMASK, &saved->blocked, NULL);
    errno = error;
}
