// guard.c - owns one kernel timer and, while armed, the handler of one real-time signal.
//
// `_exit` may be called in a signal handler, and the report then needs a lock (malloc's, the
// dynamic linker's) that the interrupted code holds for ever. The timer's signal still arrives, and
// the process ends with the status it was going to have. The raw system calls spare us librt.

#define _GNU_SOURCE
#include "preload.h"

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

static struct {
    int exit_status;
    int timer;
    bool armed;
    struct sigaction previous;
} guard;

static int guard_signal(void) {
    return SIGRTMAX - 1; // far from what programs take, which count up from SIGRTMIN
}

static void give_up(int signal, siginfo_t *info, void *context) {
    (void)signal, (void)context;
    if (info->si_code == SI_TIMER && info->si_value.sival_ptr == &guard)
        syscall(SYS_exit_group, guard.exit_status);
}

static void change_mask(int how) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, guard_signal());
    pthread_sigmask(how, &set, NULL);
}

void liveobj_guard_arm(int seconds, int exit_status) {
    guard.exit_status = exit_status;
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = guard_signal()};
    event.sigev_value.sival_ptr = &guard;
    event.sigev_notify_thread_id = (pid_t)syscall(SYS_gettid);
    guard.armed = syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &guard.timer) == 0;
    if (!guard.armed)
        return;
    struct sigaction action = {.sa_sigaction = give_up, .sa_flags = SA_SIGINFO};
    sigfillset(&action.sa_mask);
    sigaction(guard_signal(), &action, &guard.previous);
    change_mask(SIG_UNBLOCK);
    struct itimerspec limit = {.it_value = {.tv_sec = seconds}};
    syscall(SYS_timer_settime, guard.timer, 0, &limit, NULL);
}

void liveobj_guard_disarm(void) {
    if (!guard.armed)
        return;
    guard.armed = false;
    syscall(SYS_timer_delete, guard.timer);
    change_mask(SIG_BLOCK);
    sigaction(guard_signal(), &guard.previous, NULL);
}
