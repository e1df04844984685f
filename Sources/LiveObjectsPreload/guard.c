// guard.c - owns, while a step runs: one kernel timer, the handlers of the signals below, and the
// stack they run on.
//
// `_exit` may be called in a signal handler, and what the report then needs (malloc, the dynamic
// linker) may be locked for ever by the interrupted code, or half-way through a change: glibc's
// malloc takes no lock in a process with one thread. A step that hangs or crashes is left by a
// jump; the process goes on to end as it was going to.
//
// What hangs uses no processor time. The clock on the wall does not tell: the whole process may be
// stopped for a while, or the machine be busy. So it is asked at ticks, and a tick that came while
// the thread could not run is not made up for.
//
// System calls only: a sanitizer's signal handling in between would hold the ticks back.

#define _GNU_SOURCE
#include "preload.h"

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

enum { GUARDED_COUNT = 8, TICKS = 10, SIGNAL_SET_BYTES = 8 };

/// As the kernel has it.
struct action {
    void (*handler)(int signal, siginfo_t *info, void *context);
    unsigned long flags;
    void (*restorer)(void);
    uint64_t mask;
};

static struct {
    pid_t thread;
    int timer;
    int signals[GUARDED_COUNT];
    struct action previous[GUARDED_COUNT];
    void (*step)(void *context);
    void *context;
    volatile bool is_in_step;
    void *place;     ///< where a step is left to
    int64_t start;   ///< of the step, in processor time of the thread, as all times here
    int64_t time;    ///< at the last tick
    int idle_ticks;  ///< in a row
    bool is_crashed; ///< why the step was left
    _Alignas(16) char stack[64 * 1024];
} guard;

#if defined(__x86_64__)
#define SA_RETURNS_BY_OURS 0x04000000ul // SA_RESTORER
void liveobj_guard_return(void);
__asm__(".pushsection .text\n"
        ".hidden liveobj_guard_return\n"
        ".globl liveobj_guard_return\n"
        ".type liveobj_guard_return, @function\n"
        "nop\n" // unwinders read the instruction before
        "liveobj_guard_return:\n"
        "movq $15, %rax\n" // rt_sigreturn
        "syscall\n"
        ".size liveobj_guard_return, . - liveobj_guard_return\n"
        ".popsection\n");
#else
#define SA_RETURNS_BY_OURS 0ul
#define liveobj_guard_return NULL
#endif

static int timer_signal(void) {
    return SIGRTMAX - 1; // far from what programs take, which count up from SIGRTMIN
}

static pid_t current_thread(void) {
    return (pid_t)syscall(SYS_gettid);
}

static void set_action(int signal, const struct action *action, struct action *previous) {
    syscall(SYS_rt_sigaction, signal, action, previous, SIGNAL_SET_BYTES);
}

static uint64_t set_mask(int how, uint64_t signals) {
    uint64_t previous;
    syscall(SYS_rt_sigprocmask, how, &signals, &previous, SIGNAL_SET_BYTES);
    return previous;
}

// MARK: - In the handler

/// Another thread's fault meets the handler that was there before, when its instruction runs again.
static void hand_back(int signal) {
    for (int i = 0; i < GUARDED_COUNT; i++)
        if (guard.signals[i] == signal)
            set_action(signal, &guard.previous[i], NULL);
}

static int64_t thread_time(void) {
    struct timespec time = {0, 0};
    syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &time);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

/// The ticks themselves take a few microseconds each. Corrupt memory may lead in circles: that has
/// an end as well.
static bool is_stuck(void) {
    static const int64_t worth_a_tick = 100000, most = INT64_C(60000000000);
    int64_t time = thread_time();
    guard.idle_ticks = time - guard.time < worth_a_tick ? guard.idle_ticks + 1 : 0;
    guard.time = time;
    return guard.idle_ticks >= TICKS || time - guard.start > most;
}

static void handle(int signal, siginfo_t *info, void *context) {
    (void)context;
    bool is_timer = signal == timer_signal();
    bool is_tick =
        is_timer && info->si_code == SI_TIMER && info->si_value.sival_ptr == (void *)&guard;
    bool is_in_step = current_thread() == guard.thread && guard.is_in_step;
    if (!is_in_step && !is_timer)
        hand_back(signal);
    if (!is_in_step || (is_timer && !(is_tick && is_stuck())))
        return;
    guard.is_crashed = !is_timer;
    guard.is_in_step = false;
    liveobj_stack_leave(guard.place);
}

// MARK: - Around a step

/// \returns the mask of signals that was set before.
static uint64_t take_signals(void) {
    const int signals[GUARDED_COUNT] = {SIGSEGV, SIGBUS,  SIGILL, SIGFPE,
                                        SIGTRAP, SIGABRT, SIGSYS, timer_signal()};
    const unsigned long flags = SA_SIGINFO | SA_ONSTACK | SA_RETURNS_BY_OURS;
    const struct action action = {handle, flags, liveobj_guard_return, UINT64_MAX};
    uint64_t caught = 0;
    for (int i = 0; i < GUARDED_COUNT; i++) {
        guard.signals[i] = signals[i];
        set_action(signals[i], &action, &guard.previous[i]);
        caught |= UINT64_C(1) << (signals[i] - 1);
    }
    return set_mask(SIG_UNBLOCK, caught);
}

static void give_signals_back(uint64_t mask) {
    set_mask(SIG_SETMASK, mask);
    for (int i = 0; i < GUARDED_COUNT; i++)
        set_action(guard.signals[i], &guard.previous[i], NULL);
}

static bool start_timer(int milliseconds) {
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = timer_signal()};
    event.sigev_value.sival_ptr = &guard;
    event.sigev_notify_thread_id = guard.thread;
    int tick = milliseconds / TICKS;
    struct timespec time = {tick / 1000, tick % 1000 * 1000000L};
    struct itimerspec ticks = {time, time};
    return syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &guard.timer) == 0 &&
           syscall(SYS_timer_settime, guard.timer, 0, &ticks, NULL) == 0;
}

/// Called by liveobj_stack_call.
static void run(void *context) {
    (void)context;
    guard.is_in_step = true;
    guard.step(guard.context);
    guard.is_in_step = false;
}

static enum liveobj_step_end run_with_ticks(int milliseconds) {
    guard.idle_ticks = 0;
    guard.start = guard.time = thread_time();
    if (!start_timer(milliseconds))
        return LIVEOBJ_STEP_STUCK; // it might be, and nothing would end it
    bool is_done = liveobj_stack_call(NULL, run, NULL, &guard.place);
    syscall(SYS_timer_delete, guard.timer);
    return is_done            ? LIVEOBJ_STEP_DONE
           : guard.is_crashed ? LIVEOBJ_STEP_CRASHED
                              : LIVEOBJ_STEP_STUCK;
}

enum liveobj_step_end liveobj_guard_run(int milliseconds, void (*step)(void *context),
                                        void *context) {
    stack_t own = {.ss_sp = guard.stack, .ss_size = sizeof guard.stack}, previous;
    guard.thread = current_thread();
    guard.step = step;
    guard.context = context;
    // The program's own may be in use: this may be a handler of its.
    syscall(SYS_sigaltstack, &own, &previous);
    uint64_t mask = take_signals();
    enum liveobj_step_end end = run_with_ticks(milliseconds);
    give_signals_back(mask);
    syscall(SYS_sigaltstack, &previous, NULL);
    return end;
}
