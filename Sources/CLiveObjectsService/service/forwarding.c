// forwarding.c - the public functions, which call the copy of this library that has the thread:
// that of the recorder in use.

#include "service/forwarding.h"

#if defined(__linux__)

#include "CLiveObjects.h"
#include "service/service.h"

#include <dlfcn.h>

const struct liveobj_service_table liveobj_own_service_table = {liveobj_own_service_start,
                                                                liveobj_own_service_stop};

/// The copy in use finds its own without a search: it stops the thread at the end of the process,
/// which may be in a signal handler.
static const struct liveobj_service_table *table(void) {
    if (!liveobj_is_forwarding())
        return &liveobj_own_service_table;
    const struct liveobj_preloaded *preloaded = dlsym(RTLD_DEFAULT, "liveobj_preloaded_table");
    return preloaded->service;
}

struct liveobj_service_start
liveobj_service_start(const struct liveobj_service_settings *settings) {
    return table()->start(settings);
}

int liveobj_service_stop(void) {
    return table()->stop();
}

#else

struct liveobj_service_start
liveobj_service_start(const struct liveobj_service_settings *settings) {
    (void)settings;
    return (struct liveobj_service_start){"LiveObjects watches the Swift runtime on Linux only", 0};
}

int liveobj_service_stop(void) {
    return 0;
}

#endif
