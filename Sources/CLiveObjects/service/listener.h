// listener.h - the Unix socket on which this process is asked for snapshots and counts.

#pragma once

#include <stdbool.h>
#include <stddef.h>

#pragma GCC visibility push(hidden)

/// Makes the socket. Call once, on the thread that accepts.
/// \param failure Receives the reason if -1 is returned.
int liveobj_listener_open(const char **failure);

/// Accepts a connection of the process's owner or of root.
/// \returns The connection, on which no call waits for more than five seconds. -1 if there is none,
/// or if it was refused.
int liveobj_listener_accept(int listener);

/// Sends all bytes. \returns false if the other side does not take them within five seconds.
bool liveobj_listener_send(int connection, const void *bytes, size_t count);

/// Removes the socket's file, so that no more connections come. From any thread, also if there is
/// no socket.
void liveobj_listener_remove(void);

/// Ends a wait for a connection. Before `liveobj_listener_remove`.
void liveobj_listener_wake(void);

#pragma GCC visibility pop
