// spawn.c - starts and ends supervisors. Owns the memory of each run (the supervisor's stack, and
// the state that the host and the supervisor share), and the list of the supervisors that must end
// before the host does.
//
// The memory is mapped for each run, because several threads may run programs at the same time, and
// a thread that ends the host must not wait for their lock. No call here is a cancellation point,
// and no sanitizer in the host notices that a process shares its memory.

#include "supervisor.h"

#include <errno.h>
#include <stddef.h>

#if defined(__linux__)

#include "arch/system_call.h"
#include "arch/valgrind_request.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define STACK_BYTES ((size_t)64 * 1024)
#define PROCESS_BYTES (STACK_BYTES + sizeof(struct liveobj_process))

static void pause_for(long nanoseconds) {
    struct timespec pause = {0, nanoseconds};
    syscall(SYS_nanosleep, &pause, NULL);
}

// MARK: - The supervisor, seen from the host

/// \returns true once this process has no such child.
static bool supervisor_has_ended(pid_t supervisor, int flags) {
    long ended = syscall(SYS_wait4, supervisor, NULL, __WCLONE | flags, NULL);
    return ended == supervisor || (ended < 0 && errno != EINTR);
}

enum { PAUSE_NANOSECONDS = 200000, PAUSES_IN_MILLISECOND = 5 };

static bool supervisor_has_ended_within(pid_t supervisor, int milliseconds) {
    int pauses = milliseconds * PAUSES_IN_MILLISECOND;
    while (!supervisor_has_ended(supervisor, WNOHANG)) {
        if (pauses-- == 0)
            return false;
        pause_for(PAUSE_NANOSECONDS);
    }
    return true;
}

/// Makes the supervisor kill the program. Does nothing in a forked child, which is not its parent.
/// \param milliseconds The time for the program to end before it is killed.
/// \returns false if the system prevents that for 5 s: the host does not wait forever.
static bool end_supervisor(pid_t supervisor, int milliseconds) {
    enum { PATIENCE = 5000 };
    if (supervisor_has_ended_within(supervisor, milliseconds))
        return true;
    kill(supervisor, LIVEOBJ_SUPERVISOR_END);
    return supervisor_has_ended_within(supervisor, PATIENCE);
}

static bool is_started(const struct liveobj_process *process) {
    // Acquire: pairs with the release in liveobj_supervisor_main.
    return __atomic_load_n(&process->is_started, __ATOMIC_ACQUIRE);
}

/// Starts a supervisor. valgrind ends a program that starts a process which shares its memory.
/// Under valgrind the supervisor has a copy of the memory, and its result is in a shared mapping.
static void start_supervisor(struct liveobj_process *process) {
    long sharing = liveobj_valgrind_is_running() ? 0 : CLONE_VM;
    process->supervisor = (pid_t)liveobj_clone(sharing, process, liveobj_supervisor_main, process);
    if (process->supervisor < 0)
        process->result.error = -process->supervisor;
    while (process->supervisor > 0 && !is_started(process)) {
        if (supervisor_has_ended(process->supervisor, WNOHANG)) { // it was killed
            process->supervisor = -1;
            process->result.error = is_started(process) ? process->result.error : ECHILD;
        } else {
            pause_for(PAUSE_NANOSECONDS / 4);
        }
    }
}

/// Starts a supervisor with all signals blocked. It takes only those for which it waits.
static void start_supervisor_without_signals(struct liveobj_process *process) {
    sigset_t all, blocked;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &blocked);
    start_supervisor(process);
    pthread_sigmask(SIG_SETMASK, &blocked, NULL);
}

// MARK: - Before the host exits

/// The ids of supervisors; 0 for a free entry. In a forked child, those of its parent: see
/// `end_supervisor`.
static pid_t registered[8];
#define REGISTERED_COUNT (sizeof registered / sizeof *registered)

static void end_registered(int status, void *context) {
    (void)status, (void)context;
    for (size_t i = 0; i < REGISTERED_COUNT; i++) {
        // Relaxed: only one caller may end the supervisor, and it needs nothing but the id.
        pid_t supervisor = __atomic_exchange_n(&registered[i], 0, __ATOMIC_RELAXED);
        if (supervisor)
            end_supervisor(supervisor, 0);
    }
}

static bool replace_registered(pid_t old, pid_t new) {
    for (size_t i = 0; i < REGISTERED_COUNT; i++) {
        pid_t expected = old;
        if (__atomic_compare_exchange_n(&registered[i], &expected, new, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED))
            return true;
    }
    return false;
}

/// Ends the program at exit. If the list is full, the program ends a moment after the host.
static void end_at_exit(struct liveobj_process *process) {
    static bool has_handler;
    if (!__atomic_exchange_n(&has_handler, true, __ATOMIC_RELAXED))
        on_exit(end_registered, NULL);
    process->is_registered = replace_registered(0, process->supervisor);
}

// MARK: - A process

static struct liveobj_process *make_process(const struct liveobj_spawn *spawn) {
    char *memory =
        mmap(NULL, PROCESS_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    struct liveobj_process *process =
        (void *)(memory + STACK_BYTES); // the stack grows down from it
    *process = (struct liveobj_process){.spawn = spawn, .result = {.status = -1}};
    return process;
}

static void free_process(struct liveobj_process *process) {
    munmap((char *)process - STACK_BYTES, PROCESS_BYTES);
}

/// \returns NULL if the program could not be started.
static struct liveobj_process *start_process(const struct liveobj_spawn *spawn, int *error) {
    struct liveobj_process *process = make_process(spawn);
    *error = ENOMEM;
    if (!process)
        return NULL;
    start_supervisor_without_signals(process);
    *error = process->result.error;
    if (*error == 0)
        return process;
    while (process->supervisor > 0 && !supervisor_has_ended(process->supervisor, 0))
        continue; // a signal interrupted the wait
    free_process(process);
    return NULL;
}

struct liveobj_spawn_result liveobj_spawn_run(const struct liveobj_spawn *spawn) {
    int saved = errno;
    struct liveobj_spawn_result result = {0, 0};
    struct liveobj_process *process = start_process(spawn, &result.error);
    if (process) {
        while (!supervisor_has_ended(process->supervisor, 0))
            continue;
        result = process->result;
        free_process(process);
    }
    errno = saved;
    return result;
}

struct liveobj_process *liveobj_spawn_start(const struct liveobj_spawn *spawn, int *error) {
    int saved = errno;
    struct liveobj_process *process = start_process(spawn, error);
    if (process)
        end_at_exit(process);
    errno = saved;
    return process;
}

struct liveobj_spawn_result liveobj_spawn_end(struct liveobj_process *process, int milliseconds) {
    int saved = errno;
    // Otherwise `end_registered` ends it.
    bool is_ours = !process->is_registered || replace_registered(process->supervisor, 0);
    struct liveobj_spawn_result result = {.error = ETIMEDOUT};
    // Only then: the supervisor's stack is in this memory.
    if (is_ours && end_supervisor(process->supervisor, milliseconds)) {
        result = process->result;
        free_process(process);
    }
    errno = saved;
    return result;
}

#else

struct liveobj_spawn_result liveobj_spawn_run(const struct liveobj_spawn *spawn) {
    (void)spawn;
    return (struct liveobj_spawn_result){.error = ENOSYS};
}

struct liveobj_process *liveobj_spawn_start(const struct liveobj_spawn *spawn, int *error) {
    (void)spawn;
    *error = ENOSYS;
    return NULL;
}

struct liveobj_spawn_result liveobj_spawn_end(struct liveobj_process *process, int milliseconds) {
    (void)process, (void)milliseconds;
    return (struct liveobj_spawn_result){.error = ENOSYS};
}

#endif
