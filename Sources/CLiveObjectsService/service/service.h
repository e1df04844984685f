// service.h - a thread of the recorder's own, for programs that run on: it answers requests of the
// tool, counts the live objects at intervals, and keeps the recorder within its budget.
//
// The thread blocks all signals, so that no handler of the program runs on it. It has a table of
// descriptors of its own, without those of the program: what the program closes is closed, what it
// opens gets the number that it would have got, and a child that it forks inherits nothing.

#pragma once

#include "CLiveObjects.h"
#include "CLiveObjectsService.h"

#pragma GCC visibility push(hidden)

// MARK: - last_thread.c

/// Lets the process end with the program's last thread. On the thread that starts the service; only
/// the main thread makes it work.
void liveobj_last_thread_start(void);
/// Ends the process if the program has no thread left. Called by the service's thread, often.
void liveobj_last_thread_look(void);
/// Ends the waiting thread.
void liveobj_last_thread_stop(void);

// MARK: - requests.c

/// Waits for a request, or until a client can take more of its answer, and does that.
void liveobj_requests_serve(int listener, int milliseconds);
/// Gives the clients a moment to take the rest of their answers.
void liveobj_requests_end(void);

// MARK: - service.c

/// The public functions for the thread of this copy of the library.
struct liveobj_service_start
liveobj_own_service_start(const struct liveobj_service_settings *settings);
int liveobj_own_service_stop(void);
/// Whether the thread is to end: a capture that is being written is broken off then.
bool liveobj_service_is_stopped(void);
/// Whether the thread runs in this process.
bool liveobj_service_is_running(void);
/// The contents of the thread's captures.
enum liveobj_contents liveobj_service_contents(void);

// MARK: - timeline.c

/// Begins the file `BASE.timeline`; a file of that name becomes `BASE.timeline.1`.
/// \returns 0, or the errno that prevented it.
int liveobj_timeline_start(const struct liveobj_service_settings *settings);
/// Adds the number of live objects of each type. After `keep` entries a new file begins. If a type
/// has grown as the settings say, writes a capture, `BASE.growth-N.capture`.
void liveobj_timeline_add(void);
/// The errno that ended the timeline; 0 if it goes on.
int liveobj_timeline_error(void);

#pragma GCC visibility pop
