// listener.c - the Unix socket on which this process is asked for snapshots. Owns its path:
// /tmp/liveobjects-USER/PROCESS.socket, which the tool computes too.
//
// Only the owner of the process and root may ask. The folder is closed to all others, and each
// connection is checked again: a process that starts as root may give up its rights, and its
// folder's owner stays root.

#if defined(__linux__)

#include "service/listener.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static struct sockaddr_un address; ///< without a path until the socket is there
static uid_t owner;

/// A folder that another user has made could be replaced by that user, and so could the socket.
static bool make_folder(const char *folder) {
    struct stat status;
    if (mkdir(folder, S_IRWXU) != 0 && errno != EEXIST)
        return false;
    return lstat(folder, &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == owner &&
           (status.st_mode & (S_IRWXG | S_IRWXO)) == 0;
}

/// A file of this name is of a process that ended without removing it.
static bool bind_socket(int listener) {
    enum { MOST_WAITING = 128 };
    unlink(address.sun_path);
    return bind(listener, (const struct sockaddr *)&address, sizeof address) == 0 &&
           listen(listener, MOST_WAITING) == 0;
}

int liveobj_listener_open(const char **failure) {
    char folder[sizeof address.sun_path];
    owner = geteuid();
    snprintf(folder, sizeof folder, "/tmp/liveobjects-%u", (unsigned)owner);
    *failure = "/tmp has no folder that only the owner of this process can use";
    if (!make_folder(folder))
        return -1;
    *failure = "there can be no Unix socket";
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (listener < 0)
        return -1;
    address.sun_family = AF_UNIX;
    snprintf(address.sun_path, sizeof address.sun_path, "%.64s/%ld.socket", folder, (long)getpid());
    if (bind_socket(listener)) {
        *failure = NULL;
        return listener;
    }
    address.sun_path[0] = '\0';
    close(listener);
    return -1;
}

static bool is_allowed(int connection) {
    struct ucred peer;
    socklen_t size = sizeof peer;
    return getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
           (peer.uid == owner || peer.uid == 0);
}

int liveobj_listener_accept(int listener) {
    int connection = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (connection < 0 || is_allowed(connection))
        return connection;
    close(connection);
    return -1;
}

void liveobj_listener_remove(void) {
    if (address.sun_path[0])
        unlink(address.sun_path);
}

void liveobj_listener_wake(void) {
    // Not blocking: if the queue of connections is full, the thread is awake.
    const int kind = SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK;
    int connection = address.sun_path[0] ? socket(AF_UNIX, kind, 0) : -1;
    if (connection < 0)
        return;
    connect(connection, (const struct sockaddr *)&address, sizeof address);
    close(connection);
}

#endif
