// exit.c - owns the fact that the report has been written.
//
// A process ends by returning from main or calling exit (on_exit handlers run, ours among the
// last, as it was registered first), or by _exit or _Exit, which are replaced here. A signal that
// kills it and quick_exit leave no report. A forked child has our memory and is not the process
// that was watched: the process id tells, also for vfork, where the memory is even the same.

#define _GNU_SOURCE
#include "preload.h"

#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct liveobj_options *chosen; ///< NULL where nothing is to be reported
static pid_t process;
static int is_reported;

/// Writes the report if it is due. \returns the exit status to end with.
static int report_once(int status) {
    if (!chosen || getpid() != process)
        return status;
    // Relaxed: the flag only picks one of several threads that end the process.
    if (__atomic_exchange_n(&is_reported, 1, __ATOMIC_RELAXED))
        return status;
    bool fails = liveobj_report_write(chosen);
    return fails && status == 0 && chosen->exitcode ? (int)chosen->exitcode : status;
}

static void at_exit(int status, void *context) {
    (void)context;
    int new_status = report_once(status);
    if (new_status != status)
        exit(new_status); // glibc goes on with the remaining handlers, and with this status
}

void liveobj_exit_start(const struct liveobj_options *options) {
    process = getpid();
    chosen = options;
    on_exit(at_exit, NULL);
}

/// All that libc's own does.
_Noreturn static void end(int status) {
    for (;;)
        syscall(SYS_exit_group, status);
}

__attribute__((visibility("default"))) _Noreturn void _exit(int status) {
    end(report_once(status));
}

__attribute__((visibility("default"))) _Noreturn void _Exit(int status) {
    end(report_once(status));
}
