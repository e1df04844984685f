// spawn.c - starts and ends keepers. Owns the memory of each run (the keeper's stack, and the state
// that the host and the keeper share), and the list of the keepers that must end before the host
// does.
//
// The memory is mapped for each run, because several threads may run programs at the same time, and
// a thread that ends the host must not wait for their lock. No call here is a cancellation point,
// and no sanitizer in the host notices that a process shares its memory.

#define _GNU_SOURCE
#include "keeper.h"

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

// MARK: - The keeper, seen from the host

/// \returns true once this process has no such child.
static bool supervisor_has_ended(pid_t keeper, int flags) {
    long ended = syscall(SYS_wait4, keeper, NULL, __WCLONE | flags, NULL);
    return ended == keeper || (ended < 0 && errno != EINTR);
}

enum { PAUSE_NANOSECONDS = 200000, PAUSES_IN_MILLISECOND = 5 };

static bool supervisor_has_ended_within(pid_t keeper, int milliseconds) {
    int pauses = milliseconds * PAUSES_IN_MILLISECOND;
    while (!supervisor_has_ended(keeper, WNOHANG)) {
        if (pauses-- == 0)
            return false;
        pause_for(PAUSE_NANOSECONDS);
    }
    return true;
}

/// Makes the keeper kill the program. In a forked child, whose child the keeper is not, does
/// nothing.
/// \param milliseconds The time for the program to end before it is killed.
/// \returns false if the system prevents that for 5 s: the host does not wait forever.
static bool end_keeper(pid_t keeper, int milliseconds) {
    enum { PATIENCE = 5000 };
    if (supervisor_has_ended_within(keeper, milliseconds))
        return true;
    kill(keeper, LIVEOBJ_KEEPER_END);
    return supervisor_has_ended_within(keeper, PATIENCE);
}

static bool is_started(const struct liveobj_process *process) {
    // Acquire: pairs with the release in liveobj_keeper_main.
    return __atomic_load_n(&process->is_started, __ATOMIC_ACQUIRE);
}

/// Starts a keeper. valgrind ends a program that starts a process which shares its memory. Under
/// valgrind the keeper has a copy of the memory, and its result is in a shared mapping.
static void start_keeper(struct liveobj_process *process) {
    long sharing = liveobj_valgrind_is_running() ? 0 : CLONE_VM;
    process->keeper = (pid_t)liveobj_clone(sharing, process, liveobj_keeper_main, process);
    if (process->keeper < 0)
        process->result.error = -process->keeper;
    while (process->keeper > 0 && !is_started(process)) {
        if (supervisor_has_ended(process->keeper, WNOHANG)) { // it was killed
            process->keeper = -1;
            process->result.error = is_started(process) ? process->result.error : ECHILD;
        } else {
            pause_for(PAUSE_NANOSECONDS / 4);
        }
    }
}

/// Starts a keeper with all signals blocked. It takes only those for which it waits.
static void start_keeper_without_signals(struct liveobj_process *process) {
    sigset_t all, blocked;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &blocked);
    start_keeper(process);
    pthread_sigmask(SIG_SETMASK, &blocked, NULL);
}

// MARK: - Before the host exits

/// The ids of keepers; 0 for a free entry. In a forked child, those of its parent: see
/// `end_keeper`.
static pid_t kept[8];
#define KEPT_COUNT (sizeof kept / sizeof *kept)

static void end_kept(int status, void *context) {
    (void)status, (void)context;
    for (size_t i = 0; i < KEPT_COUNT; i++) {
        // Relaxed: only one caller may end the keeper, and it needs nothing but the id.
        pid_t keeper = __atomic_exchange_n(&kept[i], 0, __ATOMIC_RELAXED);
        if (keeper)
            end_keeper(keeper, 0);
    }
}

static bool replace_registered(pid_t old, pid_t new) {
    for (size_t i = 0; i < KEPT_COUNT; i++) {
        pid_t expected = old;
        if (__atomic_compare_exchange_n(&kept[i], &expected, new, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED))
            return true;
    }
    return false;
}

/// Ends the program at exit. If the list is full, the program ends a moment after the host.
static void end_at_exit(struct liveobj_process *process) {
    static bool is_registered;
    if (!__atomic_exchange_n(&is_registered, true, __ATOMIC_RELAXED))
        on_exit(end_kept, NULL);
    process->is_kept = replace_registered(0, process->keeper);
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
    start_keeper_without_signals(process);
    *error = process->result.error;
    if (*error == 0)
        return process;
    while (process->keeper > 0 && !supervisor_has_ended(process->keeper, 0))
        continue; // a signal interrupted the wait
    free_process(process);
    return NULL;
}

struct liveobj_spawn_result liveobj_spawn_run(const struct liveobj_spawn *spawn) {
    int saved = errno;
    struct liveobj_spawn_result result = {0, 0};
    struct liveobj_process *process = start_process(spawn, &result.error);
    if (process) {
        while (!supervisor_has_ended(process->keeper, 0))
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
    bool is_ours =
        !process->is_kept || replace_registered(process->keeper, 0); // otherwise `end_kept` ends it
    struct liveobj_spawn_result result = {.error = ETIMEDOUT};
    if (is_ours &&
        end_keeper(process->keeper, milliseconds)) { // the keeper's stack is in this memory
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
