// due_work.c - waits for work that is due when the last test has ended.
//
// Work of `asyncAfter`, tasks that sleep and run loops wait for timers of the kernel (timerfd). A
// few milliseconds before its time, such work holds its objects in one run and not in the next.

#include "CCompanion.h"

#if defined(__linux__)

#include <dirent.h>
#include <stdlib.h>
#include <sys/timerfd.h>
#include <time.h>

static const int64_t most = 100000000, margin = 5000000; // nanoseconds

static int64_t nanoseconds(struct timespec time) {
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return nanoseconds(time);
}

/// \returns the time until a timer of this process expires; INT64_MAX if none will.
static int64_t time_to_next_timer(void) {
    int64_t next = INT64_MAX;
    DIR *descriptors = opendir("/proc/self/fd");
    for (struct dirent *entry; descriptors && (entry = readdir(descriptors));) {
        struct itimerspec left; // fails for descriptors of other kinds
        if (timerfd_gettime(atoi(entry->d_name), &left) != 0)
            continue;
        int64_t time = nanoseconds(left.it_value);
        next = time > 0 && time < next ? time : next;
    }
    if (descriptors)
        closedir(descriptors);
    return next;
}

void liveobj_wait_for_due_work(void) {
    for (int64_t next, end = now() + most; (next = time_to_next_timer()) < end - now();) {
        struct timespec pause = {.tv_nsec = next + margin};
        nanosleep(&pause, NULL);
    }
}

#else

void liveobj_wait_for_due_work(void) {}

#endif
