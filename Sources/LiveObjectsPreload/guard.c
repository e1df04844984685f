// guard.c - owns, while a report is made: the handlers of the signals below and the stack they run
// on; while a step runs: one kernel timer.
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
// Without the report the process would have ended by now. A thread that goes on meanwhile may use
// what a handler of `exit` has freed: it is held where it faults, and must not end the process.
//
// System calls only: a sanitizer's signal handling in between would hold the ticks back.

#define _GNU_SOURCE
#include "preload.h"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

enum { GUARDED_COUNT = 10, SIGNAL_SET_BYTES = 8 };

/// What an idle tick counts; one in which the thread slept more often counts 1.
enum { WHOLE_TICK = 20 };

/// As the kernel has it.
struct action {
    void (*handler)(int signal, siginfo_t *info, void *context);
    unsigned long flags;
    void (*restorer)(void);
    uint64_t mask;
};

static struct {
    pid_t process;
    pid_t thread;
    uint64_t faults; ///< signals that end a step
    stack_t handler; ///< the stack of the thread's handlers before
    struct action previous[GUARDED_COUNT];
    bool is_on;       ///< atomic
    bool has_waiting; ///< atomic: another thread waits for the end of the process
    bool has_held;    ///< atomic: because it faulted
    int timer;
    int most_idle_ticks;
    void (*step)(void *context);
    void *context;
    volatile bool is_in_step;
    void *place;     ///< where a step is left to
    int64_t start;   ///< of the step, in processor time of the thread, as all times here
    int64_t time;    ///< at the last tick
    long sleeps;     ///< of the thread, at the last tick
    int64_t idle;    ///< the most time that is none between two ticks
    int idle_ticks;  ///< in a row, in parts of a tick: WHOLE_TICK
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

static const int caught[GUARDED_COUNT] = {
    SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS, 0 /* the timer's */,
    // These two are blocked in the thread that makes the report.
    SIGPIPE, SIGXFSZ};

static int caught_signal(int index) {
    return caught[index] ? caught[index] : timer_signal();
}

/// Of these a program's own handler is none that ends it.
static bool is_fatal_by_default_only(int signal) {
    return signal == SIGPIPE || signal == SIGXFSZ;
}

// MARK: - In the handler

static bool is_other_process(void) {
    return (pid_t)syscall(SYS_getpid) != guard.process; // forked by another thread meanwhile
}

/// The fault meets the handler that was there before, when its instruction runs again.
static void hand_back(int signal, const siginfo_t *info) {
    for (int i = 0; i < GUARDED_COUNT; i++)
        if (caught_signal(i) == signal)
            set_action(signal, &guard.previous[i], NULL);
    if (info->si_code <= 0) // no fault: it was sent
        syscall(SYS_tgkill, syscall(SYS_getpid), current_thread(), signal);
}

/// By a fault, by `abort`, by writing to a pipe without a reader.
static bool is_of_this_process(const siginfo_t *info) {
    return info->si_code > 0 || info->si_pid == guard.process;
}

void liveobj_guard_note_wait(void) {
    // Relaxed: it only makes a later tick less patient.
    __atomic_store_n(&guard.has_waiting, true, __ATOMIC_RELAXED);
}

static void hold_thread(void) {
    static const struct timespec pause = {.tv_nsec = 1000000};
    liveobj_guard_note_wait();
    // Relaxed: one that comes too late to be seen goes on when the guard ends.
    __atomic_store_n(&guard.has_held, true, __ATOMIC_RELAXED);
    // Acquire: the program's own handlers are there again.
    while (__atomic_load_n(&guard.is_on, __ATOMIC_ACQUIRE))
        syscall(SYS_nanosleep, &pause, NULL);
}

static int64_t thread_time(void) {
    struct timespec time = {0, 0};
    syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &time);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

/// Another thread that waits for the end of the process may hold a lock for ever.
static int most_idle_ticks(void) {
    enum { BESIDE_OTHERS = 15 };
    bool has_waiting = __atomic_load_n(&guard.has_waiting, __ATOMIC_RELAXED);
    bool is_shorter = has_waiting && BESIDE_OTHERS < guard.most_idle_ticks;
    return is_shorter ? BESIDE_OTHERS : guard.most_idle_ticks;
}

/// How often the thread waited for something.
static long thread_sleeps(void) {
    struct rusage usage = {.ru_nvcsw = 0};
    syscall(SYS_getrusage, RUSAGE_THREAD, &usage);
    return usage.ru_nvcsw;
}

/// Since the last tick. A thread that the ticks alone wake waits for one thing. One that is woken
/// more often may read from a slow disk, or ask in turns for a lock that is held for ever.
static int idleness(int64_t time) {
    long sleeps = thread_sleeps();
    bool was_idle = time - guard.time < guard.idle, slept_once = sleeps - guard.sleeps <= 1;
    guard.time = time;
    guard.sleeps = sleeps;
    return !was_idle ? 0 : slept_once ? WHOLE_TICK : 1;
}

/// Corrupt memory may lead in circles: that has an end as well.
static bool is_stuck(void) {
    static const int64_t most = INT64_C(60000000000);
    int64_t time = thread_time();
    int idle = idleness(time);
    guard.idle_ticks = idle ? guard.idle_ticks + idle : 0;
    return guard.idle_ticks >= most_idle_ticks() * WHOLE_TICK || time - guard.start > most;
}

static void leave_step(bool is_crashed) {
    guard.is_crashed = is_crashed;
    guard.is_in_step = false;
    liveobj_stack_leave(guard.place);
}

static void handle_tick(const siginfo_t *info) {
    bool is_ours = info->si_code == SI_TIMER && info->si_value.sival_ptr == (void *)&guard;
    // A thread that hangs takes each tick at once. Late ones came while it could not run.
    bool is_late = info->si_overrun > 0;
    if (is_ours && !is_late && guard.is_in_step && is_stuck())
        leave_step(false);
}

static void handle(int signal, siginfo_t *info, void *context) {
    (void)context;
    if (is_other_process())
        hand_back(signal, info);
    else if (signal == timer_signal())
        handle_tick(info);
    else if (current_thread() == guard.thread && guard.is_in_step)
        leave_step(true);
    else if (current_thread() != guard.thread && is_of_this_process(info))
        hold_thread();
    else
        hand_back(signal, info);
}

// MARK: - Around the report

static void take_signals(void) {
    const unsigned long flags = SA_SIGINFO | SA_ONSTACK | SA_RETURNS_BY_OURS;
    const struct action action = {handle, flags, liveobj_guard_return, UINT64_MAX};
    for (int i = 0; i < GUARDED_COUNT; i++) {
        int signal = caught_signal(i);
        bool is_optional = is_fatal_by_default_only(signal);
        set_action(signal, NULL, &guard.previous[i]);
        if (is_optional && guard.previous[i].handler)
            continue;
        set_action(signal, &action, NULL);
        guard.faults |= is_optional ? 0 : UINT64_C(1) << (signal - 1);
    }
}

void liveobj_guard_start(void) {
    stack_t own = {.ss_sp = guard.stack, .ss_size = sizeof guard.stack};
    guard.process = (pid_t)syscall(SYS_getpid);
    guard.thread = current_thread();
    // Release: pairs with hold_thread, for which all of the above is there.
    __atomic_store_n(&guard.is_on, true, __ATOMIC_RELEASE);
    // The program's own may be in use: this may be a handler of its.
    syscall(SYS_sigaltstack, &own, &guard.handler);
    take_signals();
}

bool liveobj_guard_holds_threads(void) {
    return __atomic_load_n(&guard.has_held, __ATOMIC_RELAXED); // see where it is written
}

void liveobj_guard_end(void) {
    for (int i = 0; i < GUARDED_COUNT; i++)
        set_action(caught_signal(i), &guard.previous[i], NULL);
    syscall(SYS_sigaltstack, &guard.handler, NULL);
    // Release: whom it holds by now meets the program's own handlers.
    __atomic_store_n(&guard.is_on, false, __ATOMIC_RELEASE);
}

// MARK: - Around a step

/// \returns false if there is none.
static bool start_timer(int milliseconds) {
    enum { SHORT_TICK = 20, LONG_TICK = 100, SHORT = 1000 };
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = timer_signal()};
    event.sigev_value.sival_ptr = &guard;
    event.sigev_notify_thread_id = guard.thread;
    int tick = milliseconds < SHORT ? SHORT_TICK : LONG_TICK;
    struct timespec time = {.tv_nsec = tick * 1000000L};
    struct itimerspec ticks = {time, time};
    guard.most_idle_ticks = milliseconds / tick;
    guard.idle = time.tv_nsec / 100; // on a virtual machine a tick itself takes up to 0.2 ms
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

enum liveobj_step_end liveobj_guard_run(int milliseconds, void (*step)(void *context),
                                        void *context) {
    guard.step = step;
    guard.context = context;
    guard.idle_ticks = 0;
    guard.start = guard.time = thread_time();
    guard.sleeps = thread_sleeps();
    if (!start_timer(milliseconds))
        return LIVEOBJ_STEP_STUCK; // it might be, and nothing would end it
    uint64_t mask = set_mask(SIG_UNBLOCK, guard.faults);
    bool is_done = liveobj_stack_call(NULL, run, NULL, &guard.place);
    set_mask(SIG_SETMASK, mask);
    syscall(SYS_timer_delete, guard.timer);
    return is_done            ? LIVEOBJ_STEP_DONE
           : guard.is_crashed ? LIVEOBJ_STEP_CRASHED
                              : LIVEOBJ_STEP_STUCK;
}
