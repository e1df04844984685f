// last_thread.c - ends the process when the program's last thread has ended.
//
// The C library calls `exit` on a process's last thread. The recorder's thread prevents that, and
// cannot call `exit` instead: buffered output goes to the program's descriptors, which that thread
// does not have. So a main thread that ends before others starts a thread that shares them, blocks
// all signals, opens nothing, and only waits.

#if defined(__linux__)

#include "os/os.h"
#include "service/service.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

enum { WAIT, EXIT, RETURN };

static uint32_t order; ///< for the waiting thread, which sleeps on this word
static atomic_bool is_waiting;
static sigset_t signals; ///< those that the main thread blocked

static uint32_t present_order(void) {
    return __atomic_load_n(&order, __ATOMIC_ACQUIRE);
}

static void give_order(uint32_t next) {
    __atomic_store_n(&order, next, __ATOMIC_RELEASE);
    liveobj_os_wake(&order);
}

static void *wait_for_the_last(void *unused) {
    static const uint64_t hour = UINT64_C(3600000000000);
    prctl(PR_SET_NAME, "liveobjects");
    while (present_order() == WAIT)
        liveobj_os_wait(&order, WAIT, hour);
    atomic_store(&is_waiting, false);
    if (present_order() == RETURN)
        return unused;
    pthread_sigmask(SIG_SETMASK, &signals, NULL);
    exit(0);
}

/// Called by `pthread_exit` of the main thread.
static void main_thread_ends(void *unused) {
    pthread_t thread;
    sigset_t all;
    (void)unused;
    if (!liveobj_service_is_running())
        return;
    liveobj_ignore_begin();
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &signals);
    atomic_store(&is_waiting, true);
    if (pthread_create(&thread, NULL, wait_for_the_last, NULL) == 0)
        pthread_detach(thread);
    else
        atomic_store(&is_waiting, false);
    pthread_sigmask(SIG_SETMASK, &signals, NULL);
    liveobj_ignore_end();
}

void liveobj_last_thread_start(void) {
    static pthread_key_t key;
    if (liveobj_os_is_main_thread() && pthread_key_create(&key, main_thread_ends) == 0)
        pthread_setspecific(key, &key);
}

/// Whether only the main thread, which has ended, the waiting one and the recorder's are there.
static bool are_others_gone(void) {
    enum { STATE = 3, THREADS = 20, OWN_THREADS = 3 }; // fields of the file, from 1; see proc(5)
    char text[1024];
    text[liveobj_os_file_read("/proc/self/stat", text, sizeof text - 1)] = '\0';
    const char *next = strrchr(text, ')'); // the end of the second field
    if (!next || strncmp(next, ") Z", 3) != 0)
        return false;
    for (int field = STATE; next && field <= THREADS; field++)
        next = strchr(next + 1, ' ');
    if (!next)
        return false;
    next++;
    return liveobj_os_take_decimal(&next) <= OWN_THREADS;
}

void liveobj_last_thread_look(void) {
    if (atomic_load(&is_waiting) && are_others_gone())
        give_order(EXIT);
}

void liveobj_last_thread_stop(void) {
    enum { PATIENCE_MILLISECONDS = 1000, MILLISECOND = 1000000 };
    if (!atomic_load(&is_waiting))
        return;
    give_order(RETURN);
    for (int i = 0; i < PATIENCE_MILLISECONDS && atomic_load(&is_waiting); i++)
        liveobj_os_sleep(MILLISECOND);
}

#endif
