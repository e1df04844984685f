// guard.c - owns, while a step runs: one kernel timer, and the handlers of the signals below.
//
// `_exit` may be called in a signal handler, and what the report then needs (malloc, the dynamic
// linker) may be locked for ever by the interrupted code, or half-way through a change: glibc's
// malloc takes no lock in a process with one thread. A step that hangs or crashes is left by a
// jump; the process goes on to end as it was going to. The raw system calls spare us librt.

#define _GNU_SOURCE
#include "preload.h"

#include <setjmp.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

#define GUARDED_COUNT 7

static struct {
    pid_t thread;
    int timer;
    bool has_timer;
    int signals[GUARDED_COUNT];
    struct sigaction previous[GUARDED_COUNT];
    sigjmp_buf leave;
} guard;

static int timer_signal(void) {
    return SIGRTMAX - 1; // far from what programs take, which count up from SIGRTMIN
}

static pid_t current_thread(void) {
    return (pid_t)syscall(SYS_gettid);
}

/// Another thread's fault meets the handler that was there before, when its instruction runs again.
static void hand_back(int signal) {
    for (int i = 0; i < GUARDED_COUNT; i++)
        if (guard.signals[i] == signal)
            sigaction(signal, &guard.previous[i], NULL);
}

static void leave(int signal, siginfo_t *info, void *context) {
    (void)context;
    bool is_foreign_timer = signal == timer_signal() &&
                            (info->si_code != SI_TIMER || info->si_value.sival_ptr != &guard);
    if (current_thread() != guard.thread)
        hand_back(signal);
    else if (!is_foreign_timer)
        siglongjmp(guard.leave, signal);
}

static void take_signals(sigset_t *set) {
    const int signals[GUARDED_COUNT] = {SIGSEGV, SIGBUS,  SIGILL,        SIGFPE,
                                        SIGTRAP, SIGABRT, timer_signal()};
    struct sigaction action = {.sa_sigaction = leave, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigfillset(&action.sa_mask);
    sigemptyset(set);
    for (int i = 0; i < GUARDED_COUNT; i++) {
        guard.signals[i] = signals[i];
        sigaction(signals[i], &action, &guard.previous[i]);
        sigaddset(set, signals[i]);
    }
}

static void give_signals_back(void) {
    for (int i = 0; i < GUARDED_COUNT; i++)
        sigaction(guard.signals[i], &guard.previous[i], NULL);
}

static void start_timer(int seconds) {
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = timer_signal()};
    event.sigev_value.sival_ptr = &guard;
    event.sigev_notify_thread_id = guard.thread;
    guard.has_timer = syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &guard.timer) == 0;
    struct itimerspec limit = {.it_value = {.tv_sec = seconds}};
    if (guard.has_timer)
        syscall(SYS_timer_settime, guard.timer, 0, &limit, NULL);
}

static void stop_timer(void) {
    if (guard.has_timer)
        syscall(SYS_timer_delete, guard.timer);
}

bool liveobj_guard_run(int seconds, void (*step)(void *context), void *context) {
    sigset_t caught, blocked;
    guard.thread = current_thread();
    take_signals(&caught);
    pthread_sigmask(SIG_UNBLOCK, &caught, &blocked);
    int signal = sigsetjmp(guard.leave, 0);
    if (signal == 0) {
        start_timer(seconds);
        step(context);
    }
    stop_timer();
    pthread_sigmask(SIG_SETMASK, &blocked, NULL);
    give_signals_back();
    return signal == 0;
}
