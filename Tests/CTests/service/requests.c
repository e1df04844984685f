// Clients that ask or read slowly delay neither each other nor the end of the thread.

#include "CLiveObjects.h"
#include "CLiveObjectsService.h"
#include "support/expect.h"
#include "support/fake_runtime.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#ifdef FAKE_RUNTIME_CAN_BE_WATCHED

enum { MOST_SECONDS = 60 };

static int ask(const char *request) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "/tmp/liveobjects-%u/%ld.socket",
             (unsigned)geteuid(), (long)getpid());
    int connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    EXPECT(connect(connection, (const struct sockaddr *)&address, sizeof address) == 0);
    EXPECT(send(connection, request, strlen(request), MSG_NOSIGNAL) == (ssize_t)strlen(request));
    return connection;
}

static bool is_open(int connection) {
    char byte;
    return recv(connection, &byte, 1, MSG_DONTWAIT | MSG_PEEK) != 0;
}

/// Reads to the end. \returns whether it is that of a capture.
static bool is_answered(int connection) {
    char bytes[1 << 16], end[24] = "";
    ssize_t count;
    while ((count = recv(connection, bytes, sizeof bytes, 0)) > 0) {
        size_t kept = (size_t)count < sizeof end ? (size_t)count : sizeof end;
        memmove(end, end + kept, sizeof end - kept);
        memcpy(end + sizeof end - kept, bytes + count - kept, kept);
    }
    close(connection);
    return memmem(end, sizeof end, "END!", 4) != NULL;
}

static void a_client_that_asks_slowly_delays_no_other(void) {
    int slow = ask("snap");
    EXPECT(is_answered(ask("counts\n")));
    EXPECT(is_open(slow));
    EXPECT(send(slow, "shot start\n", 11, MSG_NOSIGNAL) == 11);
    EXPECT(is_answered(slow));
}

static void a_client_that_reads_slowly_delays_no_other(void) {
    int slow = ask("snapshot start\n");
    EXPECT(is_open(slow));
    EXPECT(is_answered(ask("snapshot start\n")));
    EXPECT(is_answered(ask("counts\n")));
    EXPECT(is_answered(slow));
}

static void a_line_has_to_be_complete_in_time(void) {
    int slow = ask("");
    int bytes = 0;
    for (; is_open(slow) && bytes < 60; bytes++) {
        send(slow, "s", 1, MSG_NOSIGNAL);
        usleep(100000);
    }
    EXPECT(bytes < 60);
    close(slow);
}

static void what_is_no_request_is_not_answered(void) {
    EXPECT(!is_answered(ask("snapshots\n")));
    EXPECT(!is_answered(
        ask("a line without an end that is longer than any request can be, 64 bytes or more")));
}

static void an_unread_answer_does_not_keep_the_thread(void) {
    int slow = ask("snapshot start\n");
    while (!is_open(slow) || recv(slow, &(char){0}, 1, MSG_PEEK) != 1)
        ; // it is being sent
    EXPECT(liveobj_service_stop() == 0);
    EXPECT(!is_answered(slow));
}

int main(void) {
    enum { OBJECTS = 20000 }; // more than the buffers of a socket take
    const struct liveobj_settings settings = liveobj_settings_default();
    const struct liveobj_service_settings wanted = {.answers = true};
    alarm(MOST_SECONDS);
    EXPECT(liveobj_start(&settings) == LIVEOBJ_STATE_TRACKING);
    for (int i = 0; i < OBJECTS; i++)
        swift_slowAlloc(16, 15);
    EXPECT(!liveobj_service_start(&wanted).failure);
    a_client_that_asks_slowly_delays_no_other();
    a_client_that_reads_slowly_delays_no_other();
    what_is_no_request_is_not_answered();
    a_line_has_to_be_complete_in_time();
    an_unread_answer_does_not_keep_the_thread();
    return EXPECT_STATUS();
}

#else

int main(void) {
    return 0;
}

#endif
