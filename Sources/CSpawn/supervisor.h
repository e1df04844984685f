// supervisor.h - the state that the host and the supervisor of a program share.

#pragma once

#include "CSpawn.h"

#include <stdint.h>
#include <sys/types.h>

#pragma GCC visibility push(hidden)

/// The signal that makes the supervisor kill the program and end.
#define LIVEOBJ_SUPERVISOR_END SIGTERM

struct liveobj_process {
    const struct liveobj_spawn *spawn; ///< valid until the program runs
    long host;                         ///< the host's id, as the supervisor sees it
    pid_t supervisor;
    bool is_registered; ///< in the list of spawn.c
    bool is_started;    ///< atomic: the program runs, or could not be started
    struct liveobj_spawn_result result;
};

/// The supervisor's main function. Never returns. \param context The `liveobj_process`.
void liveobj_supervisor_main(void *context);

#pragma GCC visibility pop
