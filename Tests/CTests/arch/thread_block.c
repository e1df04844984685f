// A thread's id is found in its control block, and no equal number is taken for it.

#include "arch/thread_block.h"
#include "support/expect.h"

#include <unistd.h>

static void *check_thread(void *context) {
    pthread_t thread = pthread_self();
    uint32_t id = (uint32_t)gettid();
    intptr_t offset = liveobj_thread_id_offset(id);
    EXPECT(offset != 0 && *(const uint32_t *)((uintptr_t)thread + (uintptr_t)offset) == id);
    EXPECT(liveobj_thread_id_offset((uint32_t)(thread >> 32)) == 0);
    EXPECT(liveobj_thread_id_offset((uint32_t)thread) == 0);
    EXPECT(liveobj_thread_id_offset(1) == 0); // there are flags, in a process with threads
    return context;
}

int main(void) {
    pthread_t thread;
    EXPECT(pthread_create(&thread, NULL, check_thread, NULL) == 0);
    EXPECT(pthread_join(thread, NULL) == 0);
    check_thread(NULL);
    return EXPECT_STATUS();
}
