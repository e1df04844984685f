// signals.h - no signal interrupts a report.

#ifndef LIVEOBJ_PRELOAD_SIGNALS_H
#define LIVEOBJ_PRELOAD_SIGNALS_H

#include <signal.h>

#pragma GCC visibility push(hidden)

/// The signals of a thread before they were blocked.
struct liveobj_signals {
    sigset_t blocked;
    sigset_t pending;
};

/// Blocks all signals of this thread.
struct liveobj_signals liveobj_signals_block(void);

/// Restores the signals, and removes those that our own writes caused (SIGPIPE, SIGXFSZ).
void liveobj_signals_restore(const struct liveobj_signals *saved);

#pragma GCC visibility pop

#endif
