// The recorder's thread ends when it is asked to, also where nothing can connect to its socket.

#define _GNU_SOURCE
#include "CLiveObjectsService.h"
#include "os/os.h"
#include "recorder/recorder.h"
#include "support/expect.h"

#include <stdio.h>
#include <unistd.h>

enum { MOST_SECONDS = 60 };

/// As after `chroot`, or when the process has become another user's.
static void remove_socket(void) {
    char path[64];
    snprintf(path, sizeof path, "/tmp/liveobjects-%u/%ld.socket", (unsigned)geteuid(),
             (long)getpid());
    EXPECT(unlink(path) == 0);
}

int main(void) {
    const struct liveobj_service_settings settings = {.answers = true};
    struct liveobj_service_start start = liveobj_recorder_service_start(&settings);
    EXPECT(!start.failure && !liveobj_os_is_single_threaded());
    remove_socket();
    alarm(MOST_SECONDS);
    EXPECT(liveobj_recorder_service_stop() == 0);
    while (!liveobj_os_is_single_threaded())
        liveobj_os_sleep(1000000);
    return EXPECT_STATUS();
}
