// listener.h - the Unix socket on which this process is asked for snapshots and counts.

#pragma once

#pragma GCC visibility push(hidden)

/// Makes the socket. Call once, on the thread that accepts.
/// \param failure Receives the reason if -1 is returned.
int liveobj_listener_open(const char **failure);

/// Accepts a connection of the process's owner or of root. No call waits on it.
/// \returns -1 if there is none, or if it was refused.
int liveobj_listener_accept(int listener);

/// Removes the socket's file, so that no more connections come. From any thread, also if there is
/// no socket.
void liveobj_listener_remove(void);

/// Ends a wait for a connection. Before `liveobj_listener_remove`.
void liveobj_listener_wake(void);

#pragma GCC visibility pop
