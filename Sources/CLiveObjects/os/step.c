// step.c - ends work that faults, or waits for a lock that is never released. Owns the signal
// handlers of a snapshot process.

#if defined(__linux__)

#include "os/step.h"
#include "os/os.h"

#include <setjmp.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>

/// The C library's own function. ThreadSanitizer replaces `sigaction`, and its handlers crash here.
int __sigaction(int signal, const struct sigaction *action, struct sigaction *former);

enum { TICK_MICROSECONDS = 100000 };

static struct {
    void (*crash)(void); // NULL in the program
    sigjmp_buf leave;
    volatile bool is_in_step;
    uint64_t progress;      // incremented by all progress
    uint64_t last_progress; // at the last tick
    int64_t last_time;      // processor time at the start of the time slice, in microseconds
    long last_sleeps;       // likewise: the number of voluntary waits
    uint32_t timeouts;
} steps;

void liveobj_snapshot_advance(void) {
    // Relaxed: only a change of the value matters. It has one writer, and a handler reads it.
    if (steps.crash)
        LIVEOBJ_STORE_RELAXED(steps.progress, steps.progress + 1);
}

uint32_t liveobj_snapshot_timeouts(void) {
    return steps.timeouts;
}

/// Whether the process was scheduled: since it last was, or made progress, it slept or ran for half
/// a tick. On a busy machine it may not have run at all between two ticks.
static bool was_scheduled(bool has_progress) {
    enum { MICROSECONDS = 1000000 };
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    int64_t seconds = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec;
    int64_t time = seconds * MICROSECONDS + usage.ru_utime.tv_usec + usage.ru_stime.tv_usec;
    bool was_run =
        usage.ru_nvcsw > steps.last_sleeps || time - steps.last_time > TICK_MICROSECONDS / 2;
    bool is_new_slice = was_run || has_progress;
    steps.last_sleeps = is_new_slice ? usage.ru_nvcsw : steps.last_sleeps;
    steps.last_time = is_new_slice ? time : steps.last_time;
    return was_run;
}

/// Whether a step waits for a lock that is never released: it was scheduled between two ticks
/// and made no progress.
static bool is_step_blocked(void) {
    uint64_t progress = LIVEOBJ_LOAD_RELAXED(steps.progress);
    bool has_progress = progress != steps.last_progress;
    bool is_idle = was_scheduled(has_progress) && !has_progress;
    steps.last_progress = progress;
    return is_idle;
}

static void handle_step_signal(int signal) {
    if (signal == SIGALRM && (!steps.is_in_step || !is_step_blocked()))
        return;
    if (!steps.is_in_step)
        steps.crash();
    steps.timeouts += signal == SIGALRM;
    steps.is_in_step = false;
    siglongjmp(steps.leave, 1);
}

bool liveobj_snapshot_is_in_step(void) {
    return steps.is_in_step;
}

bool liveobj_snapshot_step(void (*step)(void *context), void *context) {
    liveobj_snapshot_advance();
    if (sigsetjmp(steps.leave, 0) != 0)
        return false;
    steps.is_in_step = true;
    step(context);
    steps.is_in_step = false;
    return true;
}

/// Unblocks these signals; the others stay blocked.
void liveobj_steps_start(void (*crash)(void)) {
    static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGTRAP,
                                  SIGABRT, SIGFPE, SIGSYS, SIGALRM};
    enum { STACK_BYTES = 64 * 1024 };
    // Without SA_NODEFER, a handler that is left by a jump would leave its signal blocked.
    struct sigaction action = {.sa_handler = handle_step_signal,
                               .sa_flags = SA_ONSTACK | SA_NODEFER};
    stack_t stack = {.ss_sp = liveobj_os_map(STACK_BYTES), .ss_size = STACK_BYTES};
    sigset_t set;
    steps.crash = crash;
    sigemptyset(&set);
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        __sigaction(signals[i], &action, NULL);
        sigaddset(&set, signals[i]);
    }
    sigaltstack(&stack, NULL);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    struct timeval tick = {0, TICK_MICROSECONDS};
    setitimer(ITIMER_REAL, &(struct itimerval){tick, tick}, NULL);
}

#endif
