// unload.c - `dlclose`, so that the recorder learns which libraries go.
//
// Library and function of a return address are known at the capture only, and the types of objects
// are: what was unloaded before has to be noted when it goes. Owns the address of the next
// `dlclose`.

#define _GNU_SOURCE
#include "preload.h"
#include "recorder/recorder.h"

#include <dlfcn.h>

typedef int (*close_fn)(void *library);

static close_fn next_close(void) {
    static close_fn next;
    close_fn known = __atomic_load_n(&next, __ATOMIC_RELAXED);
    if (!known) {
        known = (close_fn)(uintptr_t)dlsym(RTLD_NEXT, "dlclose");
        __atomic_store_n(&next, known, __ATOMIC_RELAXED); // every thread finds the same
    }
    return known;
}

/// Before: what was loaded. After: what of it is gone.
__attribute__((visibility("default"))) int dlclose(void *library) {
    close_fn close = next_close();
    if (!close)
        return -1;
    liveobj_recorder_note_unloads();
    int result = close(library);
    liveobj_recorder_note_unloads();
    return result;
}
