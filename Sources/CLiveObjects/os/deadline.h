// deadline.h - how long the recorder may take where a program waits for it: at its end, at a test's
// end, and for a snapshot. Whatever does not end by itself is given the deadline.

#pragma once

#include "os/os.h"

/// All of it ends within the first of these times: with a report or an answer of what is known. The
/// second is the part in which the heap is read, whatever it is; past it, the capture has no
/// references and says so. The rest is left for the tool, or for who takes the answer.
enum { LIVEOBJ_DEADLINE_SECONDS = 60, LIVEOBJ_READING_SECONDS = 30 };

/// A moment from now, by the clock of `liveobj_os_time`.
static inline uint64_t liveobj_deadline_in(uint64_t seconds) {
    return liveobj_os_time() + seconds * UINT64_C(1000000000);
}

/// At least one.
static inline int liveobj_seconds_to(uint64_t deadline) {
    uint64_t now = liveobj_os_time(), second = 1000000000;
    return now + second < deadline ? (int)((deadline - now) / second) : 1;
}

static inline bool liveobj_deadline_is_past(uint64_t deadline) {
    return liveobj_os_time() >= deadline;
}
