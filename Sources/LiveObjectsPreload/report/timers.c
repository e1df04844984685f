// timers.c - stops the program's timers during a report. Owns the list of the timers it stopped.
//
// Without the report the process would have ended before they expire. Those of `timer_create` are
// found in the list of the kernel, since libc has none. Async-signal-safe.

#include "os/os.h"
#include "report/report.h"

#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { TIMERS_LIMIT = 256 }; // further ones continue

static const enum __itimer_which kinds[] = {ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF};
enum { KINDS = sizeof kinds / sizeof *kinds };

static struct {
    struct itimerval values[KINDS];
    int count;
    int ids[TIMERS_LIMIT];
    struct itimerspec times[TIMERS_LIMIT];
} stopped;

/// A line of the list begins with `ID: ` if it is the first of a timer.
static bool stop_listed(void *context, const char *line) {
    static const struct itimerspec none = {{0, 0}, {0, 0}};
    static const char prefix[] = "ID: ";
    (void)context;
    if (strncmp(line, prefix, sizeof prefix - 1) != 0)
        return true;
    int id = atoi(line + sizeof prefix - 1);
    stopped.ids[stopped.count] = id;
    if (syscall(SYS_timer_settime, id, 0, &none, &stopped.times[stopped.count]) == 0)
        stopped.count++;
    return stopped.count < TIMERS_LIMIT;
}

void liveobj_timers_stop(void) {
    const struct itimerval none = {{0, 0}, {0, 0}};
    for (size_t i = 0; i < KINDS; i++)
        setitimer(kinds[i], &none, &stopped.values[i]);
    stopped.count = 0;
    liveobj_os_visit_lines("/proc/self/timers", stop_listed, NULL);
}

void liveobj_timers_restart(void) {
    for (size_t i = 0; i < KINDS; i++)
        setitimer(kinds[i], &stopped.values[i], NULL);
    for (int i = 0; i < stopped.count; i++)
        syscall(SYS_timer_settime, stopped.ids[i], 0, &stopped.times[i], NULL);
}
