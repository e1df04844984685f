// exit.c - owns the fact that the report has been written.
//
// A process ends by returning from main or calling exit (on_exit handlers run, ours among the
// last, as it was registered first), or by _exit or _Exit, which are replaced here. A signal that
// kills it and quick_exit leave no report. A forked child has our memory and is not the process
// that was watched: the process id tells, also for vfork, where the memory is even the same.
//
// The report is made on a stack of its own. Crash handlers end the process by `_exit` on an
// alternate signal stack of 8 KB, threads may have 16 KB, and a report needs more than that.

#define _GNU_SOURCE
#include "preload.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

static const struct liveobj_options *chosen; ///< NULL where nothing is to be reported
static pid_t process;
static int is_reported;

/// Demanglers recurse; only what is used takes memory.
#define STACK_BYTES ((size_t)8 << 20)

static bool fails; ///< what the report said

static void report(void) {
    fails = liveobj_report_write(chosen);
}

/// On the present stack where the system refuses another. The stack is not given back: the process
/// is ending.
static void report_on_own_stack(void) {
    static ucontext_t here, there;
    void *stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (stack == MAP_FAILED || getcontext(&there) != 0) {
        report();
        return;
    }
    there.uc_stack = (stack_t){.ss_sp = stack, .ss_size = STACK_BYTES};
    there.uc_link = &here;
    makecontext(&there, report, 0);
    swapcontext(&here, &there);
}

/// Writes the report if it is due. \returns the exit status to end with.
static int report_once(int status) {
    if (!chosen || getpid() != process)
        return status;
    // Relaxed: the flag only picks one of several threads that end the process.
    if (__atomic_exchange_n(&is_reported, 1, __ATOMIC_RELAXED))
        return status;
    report_on_own_stack();
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
