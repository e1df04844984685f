// guard.c - runs the steps of a report so that none hangs or crashes. Owns, while a report is made,
// the handlers of the signals below and their stack; while a step runs, one kernel timer.
//
// `_exit` may be called in a signal handler. What the report then needs (malloc, the dynamic
// linker) may be locked forever by the interrupted code, or half changed: glibc's malloc takes no
// lock in a process with one thread. A step that hangs or crashes is abandoned by a jump, and the
// process ends as it would have.
//
// A step that hangs uses no processor time. Wall-clock time does not show that, because the whole
// process may be stopped for a while, or the machine busy. So a timer ticks, and at each tick the
// thread's processor time is compared. Ticks that were due while the thread could not run are not
// made up for.
//
// Without the report the process would have ended by now. A thread that continues meanwhile may use
// memory that a handler of `exit` has freed. It is stopped where it faults, so that it does not end
// the process.
//
// Uses system calls only: the signal handling of a sanitizer would delay the ticks.

#include "arch/assembly.h"
#include "os/os.h"
#include "safety/safety.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

enum { GUARDED_COUNT = 10, SIGNAL_SET_BYTES = 8, STACK_BYTES = 64 * 1024 };

/// The weight of an idle tick. A tick in which the thread slept more than once counts 1.
enum { WHOLE_TICK = 20 };

/// `sigaction` as the kernel defines it.
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
    stack_t handler; ///< the thread's signal stack before the guard
    struct action previous[GUARDED_COUNT];
    bool is_on;       ///< atomic
    bool has_waiting; ///< atomic: another thread waits for the end of the process
    bool has_held;    ///< atomic: a thread was stopped because it faulted
    int timer;
    int most_idle_ticks;
    void (*step)(void *context);
    void *context;
    volatile bool is_in_step;
    void *target;    ///< the target for an abandoned step
    int64_t start;   ///< of the step; like all times here, processor time of the thread
    int64_t time;    ///< at the last tick
    long sleeps;     ///< of the thread, at the last tick
    int64_t idle;    ///< the processor time between two ticks below which a thread only waited
    int idle_ticks;  ///< consecutive ones, in units of 1/WHOLE_TICK tick
    bool is_crashed; ///< why the step was abandoned
    void *stack;     ///< of the handlers; NULL if there was no memory for it
} guard;

__asm__(LIVEOBJ_SIGNAL_RETURN_ASSEMBLY);

static int timer_signal(void) {
    return SIGRTMAX - 1; // far from the signals of programs, which count up from SIGRTMIN
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

/// Whether the signal ends a process only by its default action; programs' own handlers for it do
/// not.
static bool is_fatal_by_default_only(int signal) {
    return signal == SIGPIPE || signal == SIGXFSZ;
}

// MARK: - In the handler

static bool is_other_process(void) {
    return (pid_t)syscall(SYS_getpid) != guard.process; // forked by another thread meanwhile
}

/// Restores the previous handler. A faulting instruction then runs again and reaches it.
static void hand_back(int signal, const siginfo_t *info) {
    for (int i = 0; i < GUARDED_COUNT; i++)
        if (caught_signal(i) == signal)
            set_action(signal, &guard.previous[i], NULL);
    if (info->si_code <= 0) // not a fault: the signal was sent
        syscall(SYS_tgkill, syscall(SYS_getpid), current_thread(), signal);
}

/// Whether this process caused the signal: by a fault, by `abort`, by writing to a pipe without a
/// reader.
static bool is_of_this_process(const siginfo_t *info) {
    return info->si_code > 0 || info->si_pid == guard.process;
}

void liveobj_guard_note_wait(void) {
    // Relaxed: it only shortens the wait at a later tick.
    __atomic_store_n(&guard.has_waiting, true, __ATOMIC_RELAXED);
}

static void hold_thread(void) {
    static const struct timespec pause = {.tv_nsec = 1000000};
    liveobj_guard_note_wait();
    // Relaxed: a thread that is stopped too late to be seen continues when the guard ends.
    __atomic_store_n(&guard.has_held, true, __ATOMIC_RELAXED);
    // Acquire: the program's own handlers are restored then.
    while (__atomic_load_n(&guard.is_on, __ATOMIC_ACQUIRE))
        syscall(SYS_nanosleep, &pause, NULL);
}

static int64_t thread_time(void) {
    struct timespec time = {0, 0};
    syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &time);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

/// The limit of idle ticks. Shorter if another thread waits for the end of the process, because it
/// may hold a lock forever.
static int most_idle_ticks(void) {
    enum { WITH_WAITING_THREAD = 15 };
    bool has_waiting = __atomic_load_n(&guard.has_waiting, __ATOMIC_RELAXED);
    bool is_shorter = has_waiting && WITH_WAITING_THREAD < guard.most_idle_ticks;
    return is_shorter ? WITH_WAITING_THREAD : guard.most_idle_ticks;
}

/// The number of times that the thread waited for something.
static long thread_sleeps(void) {
    struct rusage usage = {.ru_nvcsw = 0};
    syscall(SYS_getrusage, RUSAGE_THREAD, &usage);
    return usage.ru_nvcsw;
}

/// Whether the thread only waited since the last tick. One that slept did not lack a processor, so
/// it may have used more: on an emulated machine, a tick itself takes a few percent of the time
/// between two of them.
static bool was_idle(int64_t used, long sleeps) {
    enum { TIMES_MORE = 10 };
    return used < (sleeps > 0 ? TIMES_MORE * guard.idle : guard.idle);
}

/// The idleness since the last tick. A thread that is woken only by the ticks waits for one thing.
/// A thread that is woken more often may read from a slow disk, or repeatedly try a lock that is
/// never released.
static int idle_weight(int64_t time) {
    int64_t used = time - guard.time;
    long sleeps = thread_sleeps() - guard.sleeps;
    guard.time = time;
    guard.sleeps += sleeps;
    return !was_idle(used, sleeps) ? 0 : sleeps <= 1 ? WHOLE_TICK : 1;
}

/// Whether the step is to be abandoned. Corrupt memory may cause an endless loop, so processor time
/// is limited too.
static bool is_step_stuck(void) {
    static const int64_t most = INT64_C(60000000000);
    int64_t time = thread_time();
    int idle = idle_weight(time);
    guard.idle_ticks = idle ? guard.idle_ticks + idle : 0;
    return guard.idle_ticks >= most_idle_ticks() * WHOLE_TICK || time - guard.start > most;
}

static void leave_step(bool is_crashed) {
    guard.is_crashed = is_crashed;
    guard.is_in_step = false;
    liveobj_stack_leave(guard.target);
}

static void handle_tick(const siginfo_t *info) {
    bool is_ours = info->si_code == SI_TIMER && info->si_value.sival_ptr == (void *)&guard;
    // A thread that hangs handles each tick at once. A late tick was due while the thread could not
    // run.
    bool is_late = info->si_overrun > 0;
    if (is_ours && !is_late && guard.is_in_step && is_step_stuck())
        leave_step(false);
}

static void handle_guard_signal(int signal, siginfo_t *info, void *context) {
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
    const unsigned long flags = SA_SIGINFO | SA_ONSTACK | LIVEOBJ_SIGNAL_RETURN_FLAG;
    const struct action action = {handle_guard_signal, flags, liveobj_guard_return, UINT64_MAX};
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

/// The recorder's own memory, and no variable: there a snapshot would find references in the
/// registers that each tick leaves on its stack.
static stack_t make_stack(void) {
    guard.stack = liveobj_os_map(STACK_BYTES);
    return (stack_t){guard.stack, guard.stack ? 0 : SS_DISABLE, STACK_BYTES};
}

void liveobj_guard_start(void) {
    stack_t own = make_stack();
    guard.process = (pid_t)syscall(SYS_getpid);
    guard.thread = current_thread();
    // Release: pairs with hold_thread, which needs all of the above.
    __atomic_store_n(&guard.is_on, true, __ATOMIC_RELEASE);
    // The program's own signal stack may be in use: this may run in one of its handlers.
    syscall(SYS_sigaltstack, &own, &guard.handler);
    take_signals();
}

bool liveobj_guard_holds_threads(void) {
    return __atomic_load_n(&guard.has_held, __ATOMIC_RELAXED); // see the store
}

void liveobj_guard_end(void) {
    for (int i = 0; i < GUARDED_COUNT; i++)
        set_action(caught_signal(i), &guard.previous[i], NULL);
    syscall(SYS_sigaltstack, &guard.handler, NULL);
    if (guard.stack)
        liveobj_os_unmap(guard.stack, STACK_BYTES);
    // Release: threads that are stopped see the program's own handlers restored.
    __atomic_store_n(&guard.is_on, false, __ATOMIC_RELEASE);
}

// MARK: - Around a step

/// \returns false if no timer could be made.
static bool start_timer(int milliseconds) {
    enum { SHORT_TICK = 20, LONG_TICK = 100, SHORT = 1000 };
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = timer_signal()};
    event.sigev_value.sival_ptr = &guard;
    event.sigev_notify_thread_id = guard.thread;
    int tick = milliseconds < SHORT ? SHORT_TICK : LONG_TICK;
    struct timespec time = {.tv_nsec = tick * 1000000L};
    struct itimerspec ticks = {time, time};
    guard.most_idle_ticks = milliseconds / tick;
    guard.idle = time.tv_nsec / 100; // on a virtual machine, a tick itself takes up to 0.2 ms
    return syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &guard.timer) == 0 &&
           syscall(SYS_timer_settime, guard.timer, 0, &ticks, NULL) == 0;
}

/// Called by liveobj_stack_call.
static void run_guarded_step(void *context) {
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
        return LIVEOBJ_STEP_REFUSED; // it might hang, and nothing would end it
    uint64_t mask = set_mask(SIG_UNBLOCK, guard.faults);
    bool is_done = liveobj_stack_call(NULL, run_guarded_step, NULL, &guard.target);
    syscall(SYS_timer_delete, guard.timer);
    // A tick that came while all signals were blocked is still pending. It must reach the guard's
    // handler: with the program's action it would end the process. (Since Linux 6.13 it is gone.)
    set_mask(SIG_UNBLOCK, UINT64_C(1) << (timer_signal() - 1));
    set_mask(SIG_SETMASK, mask);
    return is_done            ? LIVEOBJ_STEP_DONE
           : guard.is_crashed ? LIVEOBJ_STEP_CRASHED
                              : LIVEOBJ_STEP_STUCK;
}
