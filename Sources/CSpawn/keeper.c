// keeper.c - owns, in the keeper's process, its descriptors and signals; nothing of the host's.
//
// The program must not be noticed: no SIGCHLD, and no child that the host's `wait(-1)` could reap.
// A child with exit signal 0 is such a one, but only until it executes another program (the kernel
// then gives it SIGCHLD again). So there are two: the keeper, which never executes anything, shares
// the host's memory and has exit signal 0; and the program itself, which is the keeper's child.
//
// Until the program runs the host's thread waits for it in a plain system call, and the keeper runs
// on that thread's local storage: it may call what is async-signal-safe. From then on it asks the
// kernel alone (system_call.h), since it may go on beside the host for long.

#define _GNU_SOURCE
#include "keeper.h"

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))

#include "system_call.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SECOND 1000000000

// MARK: - The program

/// No handler of the host may run in the child, where our memory is its own.
static void reset_signals(void) {
    struct sigaction standard = {.sa_handler = SIG_DFL};
    for (int signal = 1; signal < NSIG; signal++)
        sigaction(signal, &standard, NULL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static void close_descriptors(int first) {
#ifdef SYS_close_range
    if (syscall(SYS_close_range, first, ~0U, 0) == 0)
        return;
#endif
    struct rlimit limit = {0, 0};
    getrlimit(RLIMIT_NOFILE, &limit);
    int end = limit.rlim_cur < INT_MAX ? (int)limit.rlim_cur : INT_MAX;
    for (int descriptor = first; descriptor < end; descriptor++)
        close(descriptor);
}

static bool place_descriptors(const struct liveobj_spawn *spawn) {
    int errors = spawn->errors >= 0 ? spawn->errors : open("/dev/null", O_WRONLY);
    bool done = errors >= 0 && dup2(errors, STDERR_FILENO) >= 0 &&
                dup2(spawn->input, STDIN_FILENO) >= 0 && dup2(spawn->output, STDOUT_FILENO) >= 0;
    close_descriptors(STDERR_FILENO + 1); // the host's own
    return done;
}

/// One that lives on must not get the signals that a terminal or the host sends to its group.
static void leave_session(const struct liveobj_spawn *spawn) {
    if (spawn->seconds == 0)
        setsid();
}

static int program_main(void *context) {
    struct liveobj_process *process = context;
    const struct liveobj_spawn *spawn = process->spawn;
    prctl(PR_SET_PDEATHSIG, SIGKILL); // it does not outlive the keeper
    reset_signals();
    leave_session(spawn);
    if (place_descriptors(spawn))
        execve(spawn->path, spawn->arguments, spawn->environment);
    process->result.error = errno;
    return 127;
}

// MARK: - The keeper, while the host's thread waits

/// \returns the program's id; not positive if it could not be started.
static pid_t start_program(struct liveobj_process *process) {
    // An ignored SIGCHLD would have the kernel throw the program's status away.
    struct sigaction standard = {.sa_handler = SIG_DFL};
    sigaction(SIGCHLD, &standard, NULL);
    pid_t program =
        clone(program_main, process->program_stack, CLONE_VM | CLONE_VFORK | SIGCHLD, process);
    if (program < 0)
        process->result.error = errno;
    else if (process->result.error)
        waitpid(program, NULL, 0);
    close_descriptors(0); // no pipe of the host's stays open because of us
    return process->result.error ? -1 : program;
}

// MARK: - The keeper, beside the host

LIVEOBJ_BARE static int64_t now(void) {
    struct timespec now;
    liveobj_system_call(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&now, 0, 0);
    return now.tv_sec * (int64_t)SECOND + now.tv_nsec;
}

/// \returns the signal that came within so many nanoseconds, or not positive.
LIVEOBJ_BARE static long wait_for_signal(int64_t nanoseconds) {
    uint64_t set = 1ull << (SIGCHLD - 1) | 1ull << (LIVEOBJ_KEEPER_END - 1); // as the kernel has it
    struct timespec pause = {nanoseconds / SECOND, nanoseconds % SECOND};
    return liveobj_system_call(SYS_rt_sigtimedwait, (long)&set, 0, (long)&pause, sizeof set);
}

/// \returns false while the program runs.
LIVEOBJ_BARE static bool has_ended(pid_t program, int *status, int flags) {
    return liveobj_system_call(SYS_wait4, program, (long)status, flags, 0) != 0;
}

/// Another one once the host is gone, whose own children may hold the program's input open.
LIVEOBJ_BARE static long parent(void) {
    return liveobj_system_call(SYS_getppid, 0, 0, 0, 0);
}

/// \param end when the program is killed, -1 for never.
LIVEOBJ_BARE static void keep(struct liveobj_process *process, pid_t program, int64_t end) {
    enum { TICK = SECOND / 2 };
    long host = process->host;
    while (!has_ended(program, &process->result.status, WNOHANG)) {
        int64_t left = end < 0 ? TICK : end - now();
        long signal = left > 0 ? wait_for_signal(left < TICK ? left : TICK) : 0;
        if (left > 0 && signal != LIVEOBJ_KEEPER_END && parent() == host)
            continue;
        if (left <= 0)
            process->result.error = ETIMEDOUT;
        liveobj_system_call(SYS_kill, program, SIGKILL, 0, 0);
        has_ended(program, &process->result.status, 0);
        return;
    }
}

LIVEOBJ_BARE int liveobj_keeper_main(void *context) {
    struct liveobj_process *process = context;
    int seconds = process->spawn->seconds;
    process->host = parent();
    pid_t program = start_program(process);
    // Release: what became of it.
    __atomic_store_n(&process->is_started, true, __ATOMIC_RELEASE);
    if (program > 0)
        keep(process, program, seconds ? now() + seconds * (int64_t)SECOND : -1);
    for (;;)
        liveobj_system_call(SYS_exit, 0, 0, 0, 0);
}

#endif
