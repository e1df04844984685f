// At exit the C library forgets the fork handlers of an image whose destructors have run. A fork
// that has begun by then must still give back the recorder's locks.

#include "CLiveObjects.h"
#include "recorder/fork.h"
#include "support/expect.h"
#include "support/fake_runtime.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef FAKE_RUNTIME_CAN_BE_WATCHED

extern void *__dso_handle __attribute__((visibility("hidden")));
void __cxa_finalize(void *image);

/// Simulates `exit` on another thread.
static void end_image(void) {
    __cxa_finalize(&__dso_handle);
}

int main(void) {
    static const uint64_t second = 1000000000;
    struct liveobj_settings settings = liveobj_settings_default();
    settings.hook_mode = LIVEOBJ_HOOKS_GOT;
    settings.stacks = false;
    pthread_atfork(end_image, NULL, NULL); // runs after the recorder's, which is registered later
    EXPECT(liveobj_start(&settings) == LIVEOBJ_STATE_TRACKING);
    pid_t child = fork();
    if (child == 0)
        _exit(liveobj_recorder_locks_are_free(second) ? 0 : 1);
    int status = -1;
    EXPECT(waitpid(child, &status, 0) == child && status == 0);
    EXPECT(liveobj_recorder_locks_are_free(second));
    return EXPECT_STATUS();
}

#endif
