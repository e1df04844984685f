// timers.h - no timer of the program expires during a report.

#ifndef LIVEOBJ_PRELOAD_TIMERS_H
#define LIVEOBJ_PRELOAD_TIMERS_H

#pragma GCC visibility push(hidden)

/// Stops the program's timers. At most once before they are restarted.
void liveobj_timers_stop(void);

void liveobj_timers_restart(void);

#pragma GCC visibility pop

#endif
