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
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

static const struct liveobj_options *chosen; ///< NULL where nothing is to be reported
static pid_t process;
static int progress; ///< one of the following; atomic

/// A signal handler that ends the process must not wait for the report that it interrupted.
static __thread bool is_ending __attribute__((tls_model("initial-exec")));

enum { REPORT_DUE, REPORT_BEGUN, REPORT_DONE };

/// Demanglers recurse; only what is used takes memory.
#define STACK_BYTES ((size_t)8 << 20)

static bool fails; ///< what the report said

static void report(void) {
    fails = liveobj_report_write(chosen);
}

/// On the present stack where the system refuses another. The stack is not given back: the process
/// is ending.
static void switch_stack_and_report(void) {
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

/// Before the stacks are switched: the program's frames end here.
static void report_on_own_stack(void) {
    liveobj_ignore_begin();
    switch_stack_and_report();
    liveobj_ignore_end();
}

/// The first of several threads that end the process makes the report; the others would end it in
/// the middle. No step of a report takes for ever (guard.c, CSpawn).
static void wait_for_report(void) {
    const struct timespec pause = {.tv_nsec = 1000000};
    // Acquire: pairs with the release in report_once.
    while (__atomic_load_n(&progress, __ATOMIC_ACQUIRE) == REPORT_BEGUN)
        nanosleep(&pause, NULL);
}

/// Writes the report if it is due. \returns the exit status to end with.
static int report_once(int status) {
    if (!chosen || getpid() != process || is_ending)
        return status;
    is_ending = true;
    int due = REPORT_DUE;
    // Relaxed: this only picks one of several threads that end the process.
    if (__atomic_compare_exchange_n(&progress, &due, REPORT_BEGUN, false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED)) {
        report_on_own_stack();
        // Release: what the report said.
        __atomic_store_n(&progress, REPORT_DONE, __ATOMIC_RELEASE);
    } else {
        wait_for_report();
    }
    return fails && status == 0 && chosen->exitcode ? (int)chosen->exitcode : status;
}

static void at_exit(int status, void *context) {
    (void)context;
    int new_status = report_once(status);
    if (new_status != status)
        exit(new_status); // glibc goes on with the remaining handlers, and with this status
}

/// Before glibc 2.41 a second thread that calls exit goes on with the handlers that the first has
/// not begun, and ends the process when there are none.
static void wait_at_exit(int status, void *context) {
    (void)status, (void)context;
    if (getpid() == process && !is_ending)
        wait_for_report();
}

void liveobj_exit_start(const struct liveobj_options *options) {
    process = getpid();
    chosen = options;
    on_exit(wait_at_exit, NULL); // the one registered first runs last
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
