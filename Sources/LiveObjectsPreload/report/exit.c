// exit.c - writes the report when the process ends. Owns the flag that it was written.
//
// A process ends by returning from main or calling exit, or by _exit or _Exit. In the first case
// on_exit handlers run, ours among the last, because it was registered first. _exit and _Exit are
// replaced here. After quick_exit, or if a signal kills the process, there is no report.
//
// With the report the process ends as it would without: with the same status, by the same signal.
// After `_exit` none of the program's code runs any more, so signals that arrived during the report
// are not delivered. The program's timers are stopped while the report is made. Its other threads
// continue. If one uses memory that a handler of `exit` has freed, it is stopped (guard.c). Then
// the process ends once the report is made, because a library's handler could wait for that thread.
//
// The report is made on a separate stack. Crash handlers call `_exit` on an alternate signal stack
// of 8 KB, threads may have 16 KB, and a report needs more.

#include "CLiveObjects.h"
#include "options.h"
#include "os/os.h"
#include "output/output.h"
#include "recorder/recorder.h"
#include "report/report.h"
#include "safety/safety.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const struct liveobj_options *chosen; ///< NULL if nothing is to be reported
static int progress;                         ///< one of the values below; atomic

/// Set in a thread that makes or awaits the report. A signal handler that ends the process must not
/// wait for the report that it interrupted.
static __thread bool is_ending __attribute__((tls_model("initial-exec")));

enum { REPORT_DUE, REPORT_BEGUN, REPORT_DONE };

/// Whether the first thread that called exit has come to the report, and not beyond. Atomic.
static bool is_reporting_at_exit;
/// Whether that is this thread; a signal handler that calls exit must not wait for it.
static __thread bool is_at_exit __attribute__((tls_model("initial-exec")));

/// How the process ends.
enum ending {
    ENDING_BY_EXIT, ///< the program's handlers and destructors follow
    ENDING_AT_ONCE,
};

static struct liveobj_report_result result;

/// Ends the process, as `_exit` of libc does.
_Noreturn static void end_process(int status) {
    for (;;)
        syscall(SYS_exit_group, status);
}

// MARK: - The tracked process

static struct {
    pid_t id;
    FILE *streams[2];     ///< before the program could replace them
    const bool *is_there; ///< in memory that is zeroed in a forked child; NULL if unsupported
} process;

/// Whether this is the tracked process, and not a child. A child that shares our memory (vfork) has
/// another id. A child with the same id (in its own PID namespace) has a copy of the memory.
static bool is_watched_process(void) {
    return getpid() == process.id && (!process.is_there || *process.is_there);
}

/// Whether this process has memory of its own. False in a child that shares the memory of the
/// tracked process (vfork).
static bool owns_memory(void) {
    return getpid() == process.id || !process.is_there || !*process.is_there;
}

static void remember_process(void) {
    const size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
    bool *page = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    process.id = getpid();
    process.streams[0] = stdout;
    process.streams[1] = stderr;
    if (page == MAP_FAILED || madvise(page, bytes, MADV_WIPEONFORK) != 0)
        return; // before Linux 4.14
    *page = true;
    process.is_there = page;
}

// MARK: - Before and after the report

/// Writes what the program has printed before the report, which takes its time. A stream that
/// another thread uses is left to `exit`, which takes no lock.
static void flush_standard_streams(void) {
    for (size_t i = 0; i < sizeof process.streams / sizeof *process.streams; i++)
        if (ftrylockfile(process.streams[i]) == 0) {
            fflush_unlocked(process.streams[i]);
            funlockfile(process.streams[i]);
        }
}

static void flush_all(void *context) {
    (void)context;
    fflush(NULL);
}

/// Ends the process without the program's handlers. If a step of the report was abandoned, its
/// locks are never released, and a handler could wait for them forever.
_Noreturn static void end_without_handlers(int status) {
    liveobj_guard_run(LIVEOBJ_LOCK_MILLISECONDS, flush_all, NULL);
    end_process(status);
}

// MARK: - The report

static int status_after_report(int status) {
    return result.is_failing && status == 0 && chosen->exitcode ? (int)chosen->exitcode : status;
}

struct end {
    int status;
    enum ending ending;
};

static void report_at_exit(void *context) {
    struct end *process_end = context;
    liveobj_timers_stop(); // here, because an alternate signal stack has no room for it
    liveobj_service_end();
    liveobj_recorder_note_signal_stack(); // before the guard replaces it
    liveobj_guard_start();
    result = liveobj_report_write(chosen);
    process_end->status = status_after_report(process_end->status);
    if (process_end->ending == ENDING_AT_ONCE)
        end_process(process_end->status);
    if (result.is_abandoned || liveobj_guard_holds_threads())
        end_without_handlers(process_end->status);
    liveobj_guard_end();
    liveobj_timers_restart();
}

/// Makes the report on a stack of 8 MB, because demanglers recurse. Only the used part takes
/// memory. The stack is not freed: the process is ending. It is one of the recorder's mappings,
/// because the system may unite it with memory of the program, whose references count.
static void report_on_own_stack(struct end *process_end) {
    enum { STACK_BYTES = 8 << 20 };
    void *target;
    char *stack = liveobj_os_map(STACK_BYTES);
    if (!stack)
        liveobj_message("there is no report: there was no memory for it", NULL);
    else
        liveobj_stack_call(stack + STACK_BYTES, report_at_exit, process_end, &target);
}

/// \returns the exit status of the process.
static int make_report(int status, enum ending ending) {
    struct end process_end = {status, ending};
    struct liveobj_signals signals = liveobj_signals_block();
    report_on_own_stack(&process_end);
    liveobj_signals_restore(&signals);
    // Release: makes the result of the report visible.
    __atomic_store_n(&progress, REPORT_DONE, __ATOMIC_RELEASE);
    return process_end.status;
}

static void sleep_a_millisecond(void) {
    const struct timespec pause = {.tv_nsec = 1000000};
    syscall(SYS_nanosleep, &pause, NULL); // not a cancellation point
}

/// Waits for the report. The first of several threads that end the process makes it; the others
/// would end the process before it is complete. No step of a report takes forever (guard.c,
/// CSpawn).
static void wait_for_report(void) {
    liveobj_guard_note_wait();
    // Acquire: pairs with the release in make_report.
    while (__atomic_load_n(&progress, __ATOMIC_ACQUIRE) == REPORT_BEGUN)
        sleep_a_millisecond();
}

/// Prints that there will be no report because this process enters a sandbox, if there would be a
/// report otherwise.
static bool announce_sandbox(void) {
    if (chosen && is_watched_process())
        liveobj_service_end();
    if (chosen && is_watched_process() && liveobj_status().state == LIVEOBJ_STATE_TRACKING)
        liveobj_message("the program restricts its system calls (seccomp), which a report needs: "
                        "there will be none",
                        NULL);
    return owns_memory();
}

static void stop_in_sandbox(void) {
    liveobj_recorder_give_up("the program has restricted its system calls (seccomp)");
}

/// Not inlined: a large frame above liveobj_ignore_begin would be scanned as the program's, with
/// the stale words in it.
__attribute__((noinline)) static int report_if_due(int status, enum ending ending) {
    int due = REPORT_DUE, cancellation;
    // A cancelled thread would end in the middle of the report, and in a write.
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancellation);
    // In a sandbox the next system call may kill the process, so the program's output is written
    // first.
    if (ending == ENDING_BY_EXIT)
        flush_standard_streams();
    if (liveobj_sandbox_is_entered() || !is_watched_process()) {
        pthread_setcancelstate(cancellation, &cancellation);
        return status;
    }
    is_ending = true;
    // Relaxed: it only selects one of several threads that end the process.
    if (__atomic_compare_exchange_n(&progress, &due, REPORT_BEGUN, false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED)) {
        status = make_report(status, ending);
    } else {
        wait_for_report();
        status = status_after_report(status);
    }
    pthread_setcancelstate(cancellation, &cancellation);
    return status;
}

/// Writes the report if it is due. \returns the exit status of the process.
static int report_once(int status, enum ending ending) {
    if (!chosen || is_ending)
        return status;
    liveobj_ignore_begin(); // the program's frames end here
    status = report_if_due(status, ending);
    liveobj_ignore_end();
    return status;
}

static void at_exit(int status, void *context) {
    (void)context;
    is_at_exit = true;
    // Release: pairs with the acquire in wait_at_exit.
    __atomic_store_n(&is_reporting_at_exit, true, __ATOMIC_RELEASE);
    int new_status = report_once(status, ENDING_BY_EXIT);
    __atomic_store_n(&is_reporting_at_exit, false, __ATOMIC_RELEASE);
    if (new_status != status)
        exit(new_status); // glibc continues with the remaining handlers, and with this status
}

/// Before glibc 2.41 a second thread that calls exit runs the handlers that the first has not
/// begun, and ends the process when there are none. So it waits here, and registers this handler
/// again for a third thread. It never returns, because the first thread has freed the part of the
/// list of handlers that it came from. The first thread ends the process when it has run the
/// remaining handlers. If one of them, of a library, never returns, the process ends here.
static void wait_at_exit(int status, void *context) {
    enum { REST_MILLISECONDS = 5000 };
    (void)context;
    // Acquire: pairs with the releases in at_exit. Read first, because it makes no system call.
    if (!__atomic_load_n(&is_reporting_at_exit, __ATOMIC_ACQUIRE) || is_at_exit ||
        !is_watched_process())
        return;
    on_exit(wait_at_exit, NULL); // takes the place of this one in the list
    liveobj_guard_note_wait();
    while (__atomic_load_n(&is_reporting_at_exit, __ATOMIC_ACQUIRE))
        sleep_a_millisecond();
    for (int i = 0; i < REST_MILLISECONDS; i++)
        sleep_a_millisecond();
    flush_standard_streams();
    end_process(status_after_report(status));
}

void liveobj_exit_start(const struct liveobj_options *options) {
    remember_process();
    liveobj_sandbox_start(announce_sandbox, stop_in_sandbox);
    chosen = options;
    // Handlers registered first run last. Several threads may call `exit` at the same moment.
    enum { THREADS = 8 };
    for (int i = 0; i < THREADS; i++)
        on_exit(wait_at_exit, NULL);
    on_exit(at_exit, NULL);
}

__attribute__((visibility("default"))) _Noreturn void _exit(int status) {
    end_process(report_once(status, ENDING_AT_ONCE));
}

__attribute__((visibility("default"))) _Noreturn void _Exit(int status) {
    end_process(report_once(status, ENDING_AT_ONCE));
}
