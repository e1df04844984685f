// A capture while another thread loads and unloads a library: its name is copied while it is
// loaded.

#include "CLiveObjects.h"
#include "runtime/unloads.h"
#include "support/expect.h"
#include "support/fake_runtime.h"

#include <dlfcn.h>
#include <pthread.h>

#ifdef FAKE_RUNTIME_CAN_BE_WATCHED

static void *load_and_unload(void *stop) {
    while (!__atomic_load_n((bool *)stop, __ATOMIC_RELAXED)) {
        void *library = dlopen("libresolv.so.2", RTLD_NOW); // any that nothing else needs
        if (library)
            dlclose(library);
    }
    return NULL;
}

int main(void) {
    enum { CAPTURES = 3000 };
    struct liveobj_settings settings = liveobj_settings_default();
    settings.hook_mode = LIVEOBJ_HOOKS_GOT;
    settings.stacks = false;
    EXPECT(liveobj_start(&settings) == LIVEOBJ_STATE_TRACKING);
    bool stop = false;
    pthread_t loader;
    pthread_create(&loader, NULL, load_and_unload, &stop);
    for (unsigned i = 0; i < CAPTURES; i++) {
        struct liveobj_buffer buffer = liveobj_capture_to_memory(0, LIVEOBJ_CONTENTS_OBJECTS);
        EXPECT(buffer.count > 0);
        liveobj_buffer_free(buffer);
    }
    __atomic_store_n(&stop, true, __ATOMIC_RELAXED);
    pthread_join(loader, NULL);
    EXPECT(liveobj_unloads_failure()); // the recorder has not seen each library that was unloaded
    return EXPECT_STATUS();
}

#endif
