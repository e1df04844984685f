// thread_helper.c - the process that stops the threads of the program; see stopped_threads.h.
//
// It runs on the thread-local storage of the thread that takes the snapshot, like CSpawn's
// supervisor: so it makes system calls only and calls nothing else; a test checks that.

#if defined(__linux__)

#include "arch/registers.h"
#include "arch/system_call.h"
#include "roots/stopped_threads.h"

#include <elf.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>

enum { MICROSECOND = 1000, SECOND = 1000000000 };

LIVEOBJ_BARE static long trace_thread(long request, uint32_t thread, long address, long data) {
    return liveobj_system_call(SYS_ptrace, request, thread, address, data);
}

/// System calls that fail with EINTR at a stop, also where no signal handler runs. Those that
/// transfer data do so if the socket has a timeout.
LIVEOBJ_BARE static bool may_repeat(long call) {
    static const int16_t calls[] = {
#if defined(SYS_epoll_wait)
        SYS_epoll_wait,
#endif
        SYS_epoll_pwait,
        441 /* epoll_pwait2 */,
        SYS_rt_sigtimedwait,
        SYS_semop,
        SYS_semtimedop,
        SYS_io_getevents,
        426 /* io_uring_enter */,
        SYS_read,
        SYS_readv,
        SYS_write,
        SYS_writev,
        SYS_recvfrom,
        SYS_recvmsg,
        SYS_recvmmsg,
        SYS_sendto,
        SYS_sendmsg,
        SYS_sendmmsg,
        SYS_accept,
        SYS_accept4,
        SYS_connect
    };
    for (unsigned i = 0; i < sizeof calls / sizeof *calls; i++)
        if (calls[i] == call)
            return true;
    return false;
}

LIVEOBJ_BARE static bool read_registers(struct liveobj_stopped_thread *thread) {
    struct iovec general = {&thread->registers, sizeof thread->registers};
    struct iovec vectors = {thread->vectors, sizeof thread->vectors};
    if (trace_thread(PTRACE_GETREGSET, thread->id, NT_PRSTATUS, (long)&general) != 0 ||
        trace_thread(PTRACE_GETREGSET, thread->id, NT_PRFPREG, (long)&vectors) != 0)
        return false;
    if (may_repeat(liveobj_stopped_call(&thread->registers)) &&
        liveobj_stopped_repeat(&thread->registers, thread->before.first_argument))
        trace_thread(PTRACE_SETREGSET, thread->id, NT_PRSTATUS, (long)&general);
    return true;
}

/// \returns false while the thread runs.
LIVEOBJ_BARE static bool has_stopped(struct liveobj_stopped_thread *thread) {
    int status = 0;
    long answer = liveobj_system_call(SYS_wait4, thread->id, (long)&status, WNOHANG | __WALL, 0);
    if (answer == 0)
        return false;
    bool is_stopped = answer == (long)thread->id && WIFSTOPPED(status);
    // Another stop than the one asked for is that of a signal, which the thread gets afterwards.
    thread->signal = status >> 16 == PTRACE_EVENT_STOP ? 0 : WSTOPSIG(status);
    thread->state = !is_stopped ? LIVEOBJ_THREAD_ENDED : LIVEOBJ_THREAD_STOPPED;
    if (is_stopped && !read_registers(thread))
        thread->state = LIVEOBJ_THREAD_RUNS;
    return true;
}

/// Gives up on a thread that the kernel does not let stop, as during `vfork`; a thread that runs
/// may have to wait for a processor first.
LIVEOBJ_BARE static void wait_for_stop(struct liveobj_stopped_thread *thread, int64_t deadline) {
    const struct timespec pause = {0, 20 * MICROSECOND};
    while (!has_stopped(thread) && liveobj_bare_time() < deadline)
        liveobj_system_call(SYS_nanosleep, (long)&pause, 0, 0, 0);
}

/// Tries again where it is not permitted: that may be because the thread is just ending.
/// \returns the kernel's answer.
LIVEOBJ_BARE static long seize_thread(uint32_t thread) {
    const struct timespec pause = {0, 100 * MICROSECOND};
    enum { TRIES = 50 };
    long answer = trace_thread(PTRACE_SEIZE, thread, 0, 0);
    for (int i = 0; answer == -EPERM && i < TRIES; i++) {
        liveobj_system_call(SYS_nanosleep, (long)&pause, 0, 0, 0);
        answer = trace_thread(PTRACE_SEIZE, thread, 0, 0);
    }
    return answer == 0 ? trace_thread(PTRACE_INTERRUPT, thread, 0, 0) : answer;
}

/// Gives up at the deadline: where many more threads run than there are processors, this process
/// has to wait for one between two threads, while those that it has stopped stand still.
LIVEOBJ_BARE static void stop_threads(struct liveobj_stopped_threads *threads, int64_t deadline) {
    for (uint32_t i = threads->asked; i < threads->count && !threads->is_refused; i++) {
        long answer = seize_thread(threads->items[i].id);
        threads->items[i].state = answer == -ESRCH ? LIVEOBJ_THREAD_ENDED : LIVEOBJ_THREAD_RUNS;
        threads->is_refused = (answer != 0 && answer != -ESRCH) || liveobj_bare_time() > deadline;
    }
    for (uint32_t i = threads->asked; i < threads->count && !threads->is_refused; i++)
        if (threads->items[i].state == LIVEOBJ_THREAD_RUNS)
            wait_for_stop(&threads->items[i], deadline);
}

/// The kernel lets go of those that did not stop when this process ends.
LIVEOBJ_BARE static void let_go(struct liveobj_stopped_threads *threads) {
    for (uint32_t i = 0; i < threads->count; i++)
        if (threads->items[i].state == LIVEOBJ_THREAD_STOPPED)
            trace_thread(PTRACE_DETACH, threads->items[i].id, 0, threads->items[i].signal);
}

/// Waits for the program. \returns false if it has ended, or takes too long.
LIVEOBJ_BARE static bool is_asked(struct liveobj_stopped_threads *threads) {
    enum { MOST_TICKS = 100 };
    const struct timespec tick = {0, SECOND / 10};
    for (int i = 0; i < MOST_TICKS; i++) {
        // Acquire: what is asked.
        if (__atomic_load_n(&threads->turn, __ATOMIC_ACQUIRE) == LIVEOBJ_TURN_OF_HELPER)
            return true;
        if (liveobj_system_call(SYS_getppid, 0, 0, 0, 0) != threads->host)
            return false;
        liveobj_system_call(SYS_futex, (long)&threads->turn, 0 /* FUTEX_WAIT */,
                            LIVEOBJ_TURN_OF_PROGRAM, (long)&tick);
    }
    return false;
}

LIVEOBJ_BARE static void wake_program(struct liveobj_stopped_threads *threads) {
    enum { FUTEX_WAKE = 1 };
    // Release: what was done.
    __atomic_store_n(&threads->turn, LIVEOBJ_TURN_OF_PROGRAM, __ATOMIC_RELEASE);
    liveobj_system_call(SYS_futex, (long)&threads->turn, FUTEX_WAKE, 1, 0);
}

LIVEOBJ_BARE void liveobj_thread_helper(void *context) {
    struct liveobj_stopped_threads *threads = context;
    int64_t deadline = liveobj_bare_time() + SECOND / 2;
    while (is_asked(threads) && !threads->is_over) {
        stop_threads(threads, deadline);
        wake_program(threads);
    }
    let_go(threads);
    for (;;)
        liveobj_system_call(SYS_exit, 0, 0, 0, 0);
}

#endif
