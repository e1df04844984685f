// CLiveObjectsService.h - a thread of the recorder's own, for programs that run on.
//
// It answers requests for snapshots and counts, writes timelines, and keeps the recorder within its
// budget. The recorder does not know it. As with the recorder, a process has one: where a program
// links this library and also runs under the preload library, both functions call the preloaded
// copy (service/forwarding.c).

#pragma once

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(hidden)

/// What a thread of the recorder's own does while the program runs.
struct liveobj_service_settings {
    /// Whether it answers requests of the tool, on the Unix socket
    /// /tmp/liveobjects-USER/PROCESS.socket.
    bool answers;
    /// Whether it keeps the recorder within its budget, by dropping stack traces of dead objects.
    bool collects;
    /// Whether its captures have references.
    bool references;
    /// The seconds between two entries of the timeline, `BASE.timeline`; 0 for no timeline.
    uint64_t every;
    /// The number of entries after which another file begins; the one before is kept.
    uint64_t keep;
    /// The growth of a type at which the thread writes a capture, `BASE.growth-N.capture`: by this
    /// factor, or this number of times in a row; 0 for none.
    uint64_t trigger_factor;
    uint64_t trigger_intervals;
    /// The beginning of the paths. Need not outlive the call. NULL without a timeline.
    const char *base;
};

/// The result of `liveobj_service_start`.
struct liveobj_service_start {
    /// Why there is no such thread, as a clause; NULL if there is one.
    const char *failure;
    /// The errno that explains it; 0 for none.
    int error;
};

/// Starts the thread, once in a process. It needs Linux 5.9. Forked children do not have it.
struct liveobj_service_start liveobj_service_start(const struct liveobj_service_settings *settings);

/// Ends the thread, before the process ends or restricts its system calls. Waits at most a second
/// for what it is writing, and removes the socket. Does nothing if there is no such thread.
/// \returns the errno that ended the timeline before; 0 if nothing did.
int liveobj_service_stop(void);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif
