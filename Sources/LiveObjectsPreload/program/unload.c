// unload.c - replaces `dlclose`, so that the recorder learns at once that code was unloaded. Owns
// the address of libc's `dlclose`.

#include "recorder/recorder.h"

#include <dlfcn.h>

typedef int (*close_fn)(void *library);

static close_fn next_close(void) {
    static close_fn next;
    close_fn known = __atomic_load_n(&next, __ATOMIC_RELAXED);
    if (!known) {
        known = (close_fn)(uintptr_t)dlsym(RTLD_NEXT, "dlclose");
        __atomic_store_n(&next, known, __ATOMIC_RELAXED); // all threads store the same address
    }
    return known;
}

__attribute__((visibility("default"))) int dlclose(void *library) {
    close_fn close = next_close();
    if (!close)
        return -1;
    int result = close(library);
    liveobj_recorder_note_unloads();
    return result;
}
