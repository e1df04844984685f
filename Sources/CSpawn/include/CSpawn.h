//===--- CSpawn.h - other programs, run without the host noticing ---------===//
//
// The host is a process that never asked for us. It gets no SIGCHLD, and no `wait` of its own
// finds the child (only one with __WALL does). Everything here may be called from any thread, and
// leaves errno and the thread's signals as they were.
//
//===----------------------------------------------------------------------===//

#ifndef LIVEOBJ_SPAWN_H
#define LIVEOBJ_SPAWN_H

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/// What to run. The descriptors lie above the standard three, or are their own target; the program
/// gets no others.
struct liveobj_spawn {
    const char *path;
    char *const *arguments; ///< with the program's name first, NULL last
    char *const *environment;
    int input;
    int output;
    int errors;  ///< -1: discarded
    int seconds; ///< after which it is killed; 0 for one that lives as long as its owner wants
};

/// How it ended.
struct liveobj_spawn_result {
    int error;  ///< errno if it could not be run, ETIMEDOUT if it was killed for taking too long
    int status; ///< as from waitpid, if `error` is 0; -1 if it was not seen
};

/// Runs a program and waits for it.
struct liveobj_spawn_result liveobj_spawn_run(const struct liveobj_spawn *spawn);

/// A program that runs next to the host.
struct liveobj_process;

/// Starts a program, and comes back once it runs.
///
/// It ends with the host, however that ends, within a second: by `exit`, by a signal, while a child
/// that the host has forked still holds its descriptors. In a child that the host forks it is
/// nobody's.
/// \param error why it could not be started, an errno: ENOSYS where the system is not one for this.
/// \returns NULL if it could not.
struct liveobj_process *liveobj_spawn_start(const struct liveobj_spawn *spawn, int *error);

/// Kills the program if it still runs, waits for its end, and frees what belongs to it. Call it
/// once. In a forked child it only frees.
/// \param milliseconds for the program to end by itself first.
struct liveobj_spawn_result liveobj_spawn_end(struct liveobj_process *process, int milliseconds);

#pragma GCC visibility pop

#endif
