// spawn.c - owns the memory of each run (the keeper's stack, and what the host and the keeper tell
// each other), and the list of the keepers that have to be gone before the host is.
//
// The memory is mapped for the run: several threads may run programs at the same time, and one that
// ends the host must not wait for a lock of theirs. No call here is a cancellation point, and no
// sanitizer of the host's sees that there is a process that shares its memory.

#define _GNU_SOURCE
#include "keeper.h"

#include <errno.h>
#include <stddef.h>

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))

#include "system_call.h"
#include "valgrind_request.h"

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

// MARK: - The keeper, from outside

/// \returns true once there is no such child of this process.
static bool has_ended(pid_t keeper, int flags) {
    long ended = syscall(SYS_wait4, keeper, NULL, __WCLONE | flags, NULL);
    return ended == keeper || (ended < 0 && errno != EINTR);
}

enum { PAUSE_NANOSECONDS = 200000, PAUSES_IN_MILLISECOND = 5 };

static bool has_ended_within(pid_t keeper, int milliseconds) {
    int pauses = milliseconds * PAUSES_IN_MILLISECOND;
    while (!has_ended(keeper, WNOHANG)) {
        if (pauses-- == 0)
            return false;
        pause_for(PAUSE_NANOSECONDS);
    }
    return true;
}

/// Has the program killed. In a forked child, of which it is none, it does nothing.
/// \param milliseconds for the program to end by itself.
/// \returns false if the system keeps that from being done: the host does not wait for ever.
static bool end_keeper(pid_t keeper, int milliseconds) {
    enum { PATIENCE = 5000 };
    if (has_ended_within(keeper, milliseconds))
        return true;
    kill(keeper, LIVEOBJ_KEEPER_END);
    return has_ended_within(keeper, PATIENCE);
}

static bool is_started(const struct liveobj_process *process) {
    // Acquire: pairs with the release in liveobj_keeper_main.
    return __atomic_load_n(&process->is_started, __ATOMIC_ACQUIRE);
}

/// valgrind knows no process that shares memory: there the keeper has a copy, and its result is
/// in memory that both share.
static void start_keeper(struct liveobj_process *process) {
    long sharing = liveobj_valgrind_is_running() ? 0 : CLONE_VM;
    process->keeper = (pid_t)liveobj_clone(sharing, process, liveobj_keeper_main, process);
    if (process->keeper < 0)
        process->result.error = -process->keeper;
    while (process->keeper > 0 && !is_started(process)) {
        if (has_ended(process->keeper, WNOHANG)) { // it was killed
            process->keeper = -1;
            process->result.error = is_started(process) ? process->result.error : ECHILD;
        } else {
            pause_for(PAUSE_NANOSECONDS / 4);
        }
    }
}

/// The keeper takes no signal but those that it waits for.
static void start_keeper_without_signals(struct liveobj_process *process) {
    sigset_t all, blocked;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &blocked);
    start_keeper(process);
    pthread_sigmask(SIG_SETMASK, &blocked, NULL);
}

// MARK: - Before the host exits

/// Keepers' ids; 0 for none. Of a child that was forked, those of its parent: see `end_keeper`.
static pid_t kept[8];
#define KEPT_COUNT (sizeof kept / sizeof *kept)

static void end_kept(int status, void *context) {
    (void)status, (void)context;
    for (size_t i = 0; i < KEPT_COUNT; i++) {
        // Relaxed: only one may end it, and all that it needs to know is the id.
        pid_t keeper = __atomic_exchange_n(&kept[i], 0, __ATOMIC_RELAXED);
        if (keeper)
            end_keeper(keeper, 0);
    }
}

static bool replace(pid_t old, pid_t new) {
    for (size_t i = 0; i < KEPT_COUNT; i++) {
        pid_t expected = old;
        if (__atomic_compare_exchange_n(&kept[i], &expected, new, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED))
            return true;
    }
    return false;
}

/// More than there is room for end by themselves, a moment after the host.
static void end_at_exit(struct liveobj_process *process) {
    static bool is_registered;
    if (!__atomic_exchange_n(&is_registered, true, __ATOMIC_RELAXED))
        on_exit(end_kept, NULL);
    process->is_kept = replace(0, process->keeper);
}

// MARK: - A process

static struct liveobj_process *make(const struct liveobj_spawn *spawn) {
    char *memory =
        mmap(NULL, PROCESS_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    struct liveobj_process *process =
        (void *)(memory + STACK_BYTES); // the stack grows down from it
    *process = (struct liveobj_process){.spawn = spawn, .result = {.status = -1}};
    return process;
}

static void release(struct liveobj_process *process) {
    munmap((char *)process - STACK_BYTES, PROCESS_BYTES);
}

/// \returns NULL if it could not be started.
static struct liveobj_process *start(const struct liveobj_spawn *spawn, int *error) {
    struct liveobj_process *process = make(spawn);
    *error = ENOMEM;
    if (!process)
        return NULL;
    start_keeper_without_signals(process);
    *error = process->result.error;
    if (*error == 0)
        return process;
    while (process->keeper > 0 && !has_ended(process->keeper, 0))
        continue; // a signal came
    release(process);
    return NULL;
}

struct liveobj_spawn_result liveobj_spawn_run(const struct liveobj_spawn *spawn) {
    int saved = errno;
    struct liveobj_spawn_result result = {0, 0};
    struct liveobj_process *process = start(spawn, &result.error);
    if (process) {
        while (!has_ended(process->keeper, 0))
            continue;
        result = process->result;
        release(process);
    }
    errno = saved;
    return result;
}

struct liveobj_process *liveobj_spawn_start(const struct liveobj_spawn *spawn, int *error) {
    int saved = errno;
    struct liveobj_process *process = start(spawn, error);
    if (process)
        end_at_exit(process);
    errno = saved;
    return process;
}

struct liveobj_spawn_result liveobj_spawn_end(struct liveobj_process *process, int milliseconds) {
    int saved = errno;
    bool is_ours = !process->is_kept || replace(process->keeper, 0); // else the host exits
    struct liveobj_spawn_result result = {.error = ETIMEDOUT};
    if (is_ours && end_keeper(process->keeper, milliseconds)) { // the keeper lives on its memory
        result = process->result;
        release(process);
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
