// The recorder's thread ends when it is asked to, also where nothing can connect to its socket.

#include "CLiveObjectsService.h"
#include "os/os.h"
#include "support/expect.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MOST_SECONDS = 60 };

/// As after `chroot`, or when the process has become another user's.
static void remove_socket(void) {
    char path[64];
    snprintf(path, sizeof path, "/tmp/liveobjects-%u/%ld.socket", (unsigned)geteuid(),
             (long)getpid());
    EXPECT(unlink(path) == 0);
}

static bool take_name(void *is_there, const char *name) {
    *(bool *)is_there |= strcmp(name, "liveobjects") == 0;
    return true;
}

static void read_name(void *is_there, uint32_t thread) {
    char path[64] = "/proc/self/task/";
    liveobj_os_append_number(path, thread);
    liveobj_os_visit_lines(strcat(path, "/comm"), take_name, is_there);
}

/// By its name: a sanitizer has threads, too.
static bool thread_is_there(void) {
    bool is_there = false;
    liveobj_os_visit_numbers("/proc/self/task", read_name, &is_there);
    return is_there;
}

int main(void) {
    const struct liveobj_service_settings settings = {.answers = true};
    struct liveobj_service_start start = liveobj_service_start(&settings);
    EXPECT(!start.failure && thread_is_there());
    remove_socket();
    alarm(MOST_SECONDS);
    EXPECT(liveobj_service_stop() == 0);
    while (thread_is_there())
        liveobj_os_sleep(1000000);
    return EXPECT_STATUS();
}
