// requests.c - answers the tool's requests. Owns the connections, and the moment of the last
// snapshot.
//
// The tool sends one line:
//   snapshot start  a capture in which all objects count as growth
//   snapshot last   the same, in which those count that were allocated since the last snapshot
//   memory          as `snapshot start`, but the next `snapshot last` counts from the one before
//   counts          the number of live objects of each type
//
// The answer is complete before any of it is sent, and no call waits for a client: one that asks or
// reads slowly delays neither the other ones, nor the timeline, nor the end of the program.

#if defined(__linux__)

#include "os/deadline.h"
#include "service/listener.h"
#include "service/service.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MOST_CLIENTS = 8, LINE_BYTES = 64 };

static const uint64_t seconds_to_ask = 2;

/// Descriptors below 3 are taken, so 0 means that there is none.
struct client {
    int connection;
    int answer;        ///< a file in memory
    uint64_t deadline; ///< to ask, then to take the answer
    uint64_t since;    ///< the next snapshot's `last`, once this answer is taken; 0 for none
    size_t received;
    char line[LINE_BYTES];
};

static struct client clients[MOST_CLIENTS];
static uint64_t last; ///< the beginning of the last snapshot

static void drop_client(struct client *client) {
    close(client->connection);
    if (client->answer)
        close(client->answer);
    *client = (struct client){0};
}

// MARK: - Answers

/// A `liveobj_write_fn`. A process that ends waits for the end of this capture before that of its
/// own report.
static bool write_client_answer(void *answer, const void *bytes, size_t count) {
    return !liveobj_service_is_stopped() && liveobj_os_write_all(*(int *)answer, bytes, count) == 0;
}

/// An incomplete capture is sent, too: it says that it is incomplete.
static void capture_for_client(struct client *client, uint64_t since,
                               enum liveobj_contents contents) {
    uint64_t next = liveobj_mark();
    client->deadline = liveobj_deadline_in(LIVEOBJ_DEADLINE_SECONDS);
    int answer = memfd_create("liveobjects-answer", MFD_CLOEXEC);
    if (answer < 0)
        return drop_client(client);
    client->answer = answer;
    bool is_complete = liveobj_capture(since, contents, write_client_answer, &answer);
    client->since = is_complete ? next : 0;
    lseek(answer, 0, SEEK_SET);
}

/// Leaves the moment of the last snapshot as it is.
static void count_for_client(struct client *client, enum liveobj_contents contents) {
    capture_for_client(client, 0, contents);
    client->since = 0;
}

/// For these, growth of memory counts from one answer to the next.
static enum liveobj_contents contents_of_snapshot(void) {
    enum liveobj_contents contents = liveobj_service_contents();
    return contents == LIVEOBJ_CONTENTS_GRAPH ? LIVEOBJ_CONTENTS_GRAPH_AND_MEMORY : contents;
}

static void answer_request(struct client *client) {
    const char *line = client->line;
    if (strcmp(line, "snapshot start\n") == 0)
        capture_for_client(client, 0, contents_of_snapshot());
    else if (strcmp(line, "snapshot last\n") == 0)
        capture_for_client(client, last, contents_of_snapshot());
    else if (strcmp(line, "counts\n") == 0)
        count_for_client(client, LIVEOBJ_CONTENTS_COUNTS);
    else if (strcmp(line, "memory\n") == 0)
        count_for_client(client, contents_of_snapshot());
    else
        drop_client(client);
}

/// The end of the line may come later. \returns whether it can.
static bool receive_line(struct client *client) {
    size_t room = LINE_BYTES - 1 - client->received;
    ssize_t count = recv(client->connection, client->line + client->received, room, 0);
    if (count <= 0)
        return count < 0 && errno == EAGAIN;
    client->received += (size_t)count;
    bool is_whole = client->line[client->received - 1] == '\n';
    if (is_whole)
        answer_request(client);
    return is_whole || (size_t)count < room;
}

/// \returns whether there is more to send.
static bool send_part(struct client *client) {
    enum { PART_BYTES = 64 << 10 };
    // A closed connection causes SIGPIPE, which this thread blocks.
    ssize_t count = sendfile(client->connection, client->answer, NULL, PART_BYTES);
    if (count == 0 && client->since)
        last = client->since;
    return count > 0 || (count < 0 && errno == EAGAIN);
}

static void serve_client(struct client *client, bool is_ready) {
    bool continues = !is_ready || (client->answer ? send_part(client) : receive_line(client));
    if (client->connection && (!continues || liveobj_deadline_is_past(client->deadline)))
        drop_client(client);
}

// MARK: - Connections

static struct client *free_client(void) {
    for (size_t i = 0; i < MOST_CLIENTS; i++)
        if (!clients[i].connection)
            return &clients[i];
    return NULL;
}

/// Pauses if the connection cannot be accepted: it may wait on, as when the system has no more
/// descriptors, and trying it again at once would take a processor.
static void accept_client(int listener) {
    static const uint64_t pause = 100000000;
    int connection = liveobj_listener_accept(listener);
    if (connection < 0)
        liveobj_os_sleep(pause);
    else
        *free_client() = (struct client){.connection = connection,
                                         .deadline = liveobj_deadline_in(seconds_to_ask)};
}

/// At the program's end `listener` is -1.
void liveobj_requests_serve(int listener, int milliseconds) {
    struct pollfd waited[MOST_CLIENTS + 1]; // of these, negative descriptors are left out
    for (size_t i = 0; i < MOST_CLIENTS; i++)
        waited[i] = (struct pollfd){.fd = clients[i].connection ? clients[i].connection : -1,
                                    .events = clients[i].answer ? POLLOUT : POLLIN};
    waited[MOST_CLIENTS] = (struct pollfd){.fd = free_client() ? listener : -1, .events = POLLIN};
    bool is_any_ready = poll(waited, MOST_CLIENTS + 1, milliseconds) > 0;
    for (size_t i = 0; i < MOST_CLIENTS; i++)
        if (clients[i].connection)
            serve_client(&clients[i], is_any_ready && waited[i].revents);
    if (is_any_ready && waited[MOST_CLIENTS].revents && !liveobj_service_is_stopped())
        accept_client(listener);
}

static bool has_answers(void) {
    for (size_t i = 0; i < MOST_CLIENTS; i++)
        if (clients[i].answer)
            return true;
    return false;
}

void liveobj_requests_end(void) {
    enum { STEP_MILLISECONDS = 10 };
    uint64_t half_a_second = liveobj_os_time() + 500000000;
    while (has_answers() && !liveobj_deadline_is_past(half_a_second))
        liveobj_requests_serve(-1, STEP_MILLISECONDS);
    for (size_t i = 0; i < MOST_CLIENTS; i++)
        if (clients[i].connection)
            drop_client(&clients[i]);
}

#endif
