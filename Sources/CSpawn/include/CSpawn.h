// CSpawn.h - runs other programs so that the host does not notice.
//
// The host is a process that did not ask for us. It gets no SIGCHLD, and none of its `wait` calls
// returns the child (except one with __WALL). All functions may be called from any thread, and
// leave errno and the thread's signals unchanged.

#pragma once

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/// The program to run. The descriptors must be above the standard three, or equal to their target.
/// The program gets no others.
struct liveobj_spawn {
    const char *path;
    char *const *arguments; ///< with the program's name first, NULL last
    char *const *environment;
    int input;
    int output;
    int errors;  ///< -1: output is discarded
    int seconds; ///< the time limit, after which it is killed; 0 for no limit
};

/// How the program ended.
struct liveobj_spawn_result {
    int error;  ///< the errno if it could not be run, ETIMEDOUT if it exceeded the time limit
    int status; ///< as from waitpid, if `error` is 0; -1 if it is not known
};

/// Runs a program and waits for it.
struct liveobj_spawn_result liveobj_spawn_run(const struct liveobj_spawn *spawn);

/// A program that runs at the same time as the host.
struct liveobj_process;

/// Starts a program. Returns once it runs.
///
/// The program ends within a second of the host, in whatever way that ends: by `exit`, by a signal,
/// or while a forked child of the host still holds its descriptors. A child that the host forks
/// does not own the program.
/// \param error Set to the errno if it could not be started: ENOSYS on unsupported systems.
/// \returns NULL if it could not be started.
struct liveobj_process *liveobj_spawn_start(const struct liveobj_spawn *spawn, int *error);

/// Kills the program if it still runs, waits for its end, and frees its memory. Call it once. In a
/// forked child it only frees memory.
/// \param milliseconds The time for the program to end before it is killed.
struct liveobj_spawn_result liveobj_spawn_end(struct liveobj_process *process, int milliseconds);

#pragma GCC visibility pop
