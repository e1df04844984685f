// A thread's id is found in its control block, and no equal number is taken for it.

#include "arch/thread_block.h"
#include "support/expect.h"

#include <unistd.h>

static void *check_thread(void *context) {
    pthread_t thread = pthread_self();
    uint32_t id = (uint32_t)gettid();
    intptr_t offset = liveobj_thread_id_offset(id);
    EXPECT(offset != 0 && *(const uint32_t *)((uintptr_t)thread + (uintptr_t)offset) == id);
    const uint32_t others[] = {(uint32_t)(thread >> 32), (uint32_t)thread, 1}; // 1: flags
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        EXPECT(others[i] == id || liveobj_thread_id_offset(others[i]) == 0);
    return context;
}

static void lock_robust_mutex(void) {
    static pthread_mutex_t mutex;
    pthread_mutexattr_t attributes;
    EXPECT(pthread_mutexattr_init(&attributes) == 0);
    EXPECT(pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST) == 0);
    EXPECT(pthread_mutex_init(&mutex, &attributes) == 0 && pthread_mutex_lock(&mutex) == 0);
}

int main(void) {
    pthread_t thread;
    EXPECT(pthread_create(&thread, NULL, check_thread, NULL) == 0);
    EXPECT(pthread_join(thread, NULL) == 0);
    check_thread(NULL);
    lock_robust_mutex();
    check_thread(NULL);
    return EXPECT_STATUS();
}
