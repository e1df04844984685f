// requests.c - answers the tool's requests. Owns the moment of the last snapshot.
//
// The tool sends one line:
//   snapshot start  a capture in which all objects count as growth
//   snapshot last   the same, in which those count that were allocated since the last snapshot
//   counts          the number of live objects of each type

#if defined(__linux__)

#define _GNU_SOURCE
#include "recorder/recorder.h"
#include "service/listener.h"
#include "service/service.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static uint64_t last; ///< the beginning of the last snapshot

enum request { REQUEST_NONE, REQUEST_SNAPSHOT, REQUEST_SNAPSHOT_SINCE_LAST, REQUEST_COUNTS };

static enum request request_of(const char *line) {
    static const char *const lines[] = {
        [REQUEST_NONE] = "",
        [REQUEST_SNAPSHOT] = "snapshot start\n",
        [REQUEST_SNAPSHOT_SINCE_LAST] = "snapshot last\n",
        [REQUEST_COUNTS] = "counts\n",
    };
    for (enum request request = REQUEST_SNAPSHOT; request <= REQUEST_COUNTS; request++)
        if (strcmp(line, lines[request]) == 0)
            return request;
    return REQUEST_NONE;
}

static enum request read_request(int connection) {
    char line[64] = "";
    size_t count = 0;
    while (count < sizeof line - 1 && (count == 0 || line[count - 1] != '\n')) {
        ssize_t received = recv(connection, line + count, sizeof line - 1 - count, 0);
        if (received <= 0)
            return REQUEST_NONE;
        count += (size_t)received;
    }
    return request_of(line);
}

/// A `liveobj_write_fn`. In parts, because a process that ends waits for the end of this capture
/// before that of its own report.
static bool send_unless_stopped(void *context, const void *bytes, size_t count) {
    enum { PART_BYTES = 1 << 20 };
    const char *rest = bytes;
    for (size_t part; count > 0; rest += part, count -= part) {
        part = count < PART_BYTES ? count : PART_BYTES;
        if (liveobj_service_is_stopped() || !liveobj_listener_send(*(int *)context, rest, part))
            return false;
    }
    return true;
}

static void send_snapshot(int connection, uint64_t since) {
    uint64_t next = liveobj_recorder_mark();
    if (liveobj_recorder_capture(since, liveobj_service_contents(), send_unless_stopped,
                                 &connection))
        last = next;
}

void liveobj_request_answer(int connection) {
    switch (read_request(connection)) {
    case REQUEST_NONE:
        break;
    case REQUEST_SNAPSHOT:
        send_snapshot(connection, 0);
        break;
    case REQUEST_SNAPSHOT_SINCE_LAST:
        send_snapshot(connection, last);
        break;
    case REQUEST_COUNTS:
        liveobj_recorder_capture(0, LIVEOBJ_CONTENTS_COUNTS, send_unless_stopped, &connection);
    }
    close(connection);
}

#endif
