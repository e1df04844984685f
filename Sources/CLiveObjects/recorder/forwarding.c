// forwarding.c - the public functions, which call the recorder of this process.
//
// A program that links this library and runs under the preload library has two copies of the
// recorder, and its calls bind to its own copy. The preloaded copy was loaded first and has the
// hooks. So it publishes a table of its functions under a name that only the preload library
// defines. The other copy finds the table with dlsym and records nothing itself.

#if defined(__linux__)

#include "CLiveObjects.h"
#include "os/compiler.h"
#include "recorder/recorder.h"

#include <dlfcn.h>

/// Functions are only added at the end. A change of an existing one needs a new version.
struct liveobj_table {
    uint32_t version;
    uint32_t bytes;
#define FUNCTION(result, name, parameters, arguments) result(*name) parameters;
#define PROCEDURE(name, parameters, arguments) void(*name) parameters;
    LIVEOBJ_FUNCTIONS(FUNCTION, PROCEDURE)
#undef FUNCTION
#undef PROCEDURE
};

enum { TABLE_VERSION = 12 };

/// Not static: the preload library's pointer to it must be valid before any constructor has run.
const struct liveobj_table liveobj_recorder_table = {.version = TABLE_VERSION,
                                                     .bytes = sizeof liveobj_recorder_table,
#define FUNCTION(result, name, parameters, arguments) .name = liveobj_recorder_##name,
#define PROCEDURE(name, parameters, arguments) .name = liveobj_recorder_##name,
                                                     LIVEOBJ_FUNCTIONS(FUNCTION, PROCEDURE)
#undef FUNCTION
#undef PROCEDURE
};

/// The table of the recorder to use. The same until the process ends.
static const struct liveobj_table *chosen_table(void) {
    static const struct liveobj_table *found;
    const struct liveobj_table *known = __atomic_load_n(&found, __ATOMIC_ACQUIRE);
    if (LIVEOBJ_LIKELY(known != NULL))
        return known;
    // What the preload library defines begins with a pointer to its table. It is no function, which
    // this copy would have to call before it knows the version.
    const struct liveobj_table *const *preloaded = dlsym(RTLD_DEFAULT, "liveobj_preloaded_table");
    bool usable = preloaded && (*preloaded)->version == TABLE_VERSION &&
                  (*preloaded)->bytes >= sizeof liveobj_recorder_table;
    known = usable ? *preloaded : &liveobj_recorder_table;
    // Release: a thread that reads the pointer can read the table. Threads that search at the same
    // time find the same table.
    __atomic_store_n(&found, known, __ATOMIC_RELEASE);
    return known;
}

bool liveobj_is_forwarding(void) {
    return chosen_table() != &liveobj_recorder_table;
}

#define FUNCTION(result, name, parameters, arguments)                                              \
    result liveobj_##name parameters {                                                             \
        return chosen_table()->name arguments;                                                     \
    }
#define PROCEDURE(name, parameters, arguments)                                                     \
    void liveobj_##name parameters {                                                               \
        chosen_table()->name arguments;                                                            \
    }
LIVEOBJ_FUNCTIONS(FUNCTION, PROCEDURE)

/// Only the preload library defines this. It prepares the recorder itself, once it has found that
/// the program is to be tracked: a compiler, for example, must not even be tested.
extern const struct liveobj_preloaded liveobj_preloaded_table __attribute__((weak));

// At this time the constructors of the libraries that the program needs have run, and its threads
// have not started.
__attribute__((constructor)) static void prepare_early(void) {
    if (!&liveobj_preloaded_table && !liveobj_is_forwarding())
        liveobj_recorder_prepare();
}

#endif
