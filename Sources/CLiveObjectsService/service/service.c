// service.c - owns the recorder's thread for programs that run on.

#if defined(__linux__)

#include "service/service.h"
#include "os/kernel_words.h"
#include "os/os.h"
#include "recorder/recorder.h"
#include "service/listener.h"

#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { SECOND = 1000000000, MILLISECOND = 1000000 };

static struct liveobj_service_settings settings;
static char base[2 * PATH_MAX];
static sem_t started;
static const char *failure;    ///< why there is no thread; set before `started` is posted
static pid_t process;          ///< the process of the thread, which forked children do not have
static atomic_bool is_running; ///< the thread makes system calls
static uint32_t is_stopped;    ///< the thread is to end; it sleeps on this word

bool liveobj_service_is_stopped(void) {
    return __atomic_load_n(&is_stopped, __ATOMIC_ACQUIRE);
}

bool liveobj_service_is_running(void) {
    return process == getpid() && atomic_load(&is_running);
}

enum liveobj_contents liveobj_service_contents(void) {
    return settings.references ? LIVEOBJ_CONTENTS_GRAPH : LIVEOBJ_CONTENTS_OBJECTS;
}

/// Numbers 0 to 2 are kept in use: no file of ours may have that of standard error.
static bool separate_descriptors(void) {
    if (liveobj_os_close_range(0, UINT32_MAX, true) != 0)
        return false;
    liveobj_kernel_words_exclude_thread();
    return open("/dev/null", O_RDWR | O_CLOEXEC) == 0 && dup(0) == 1 && dup(0) == 2;
}

/// \returns the listener; -1 if none is wanted, or `failure` says why there is none.
static int open_files(void) {
    failure = "a thread cannot have descriptors of its own, which takes Linux 5.9 and /dev/null";
    if (!separate_descriptors())
        return -1;
    failure = NULL;
    return settings.answers ? liveobj_listener_open(&failure) : -1;
}

/// Waits for a connection or the next entry of the timeline. Never for long: the program's last
/// thread may end, and where this thread is woken by a connection, a program that has changed its
/// root or its user can make none.
static void wait_for_work(int listener, uint64_t nanoseconds) {
    static const uint64_t longest = UINT64_C(500) * MILLISECOND;
    nanoseconds = nanoseconds < longest ? nanoseconds : longest;
    if (listener < 0)
        return liveobj_os_wait(&is_stopped, 0, nanoseconds);
    liveobj_requests_serve(listener, (int)(nanoseconds / MILLISECOND + 1));
}

/// Adds to the timeline if it is time. An entry that would be late because of a long snapshot is
/// left out.
static void add_if_due(uint64_t *next) {
    uint64_t now = liveobj_os_time(), interval = settings.every * SECOND;
    if (!settings.every || now < *next || liveobj_service_is_stopped())
        return;
    liveobj_timeline_add();
    *next += (1 + (now - *next) / interval) * interval;
}

/// The time until there is work besides requests.
static uint64_t time_to_work(uint64_t next_entry) {
    static const uint64_t longest = UINT64_C(3600) * SECOND;
    uint64_t now = liveobj_os_time();
    uint64_t rest = !settings.every ? longest : next_entry > now ? next_entry - now : 0;
    return settings.collects && rest > SECOND ? SECOND : rest;
}

static void work_until_stopped(int listener) {
    uint64_t next_entry = liveobj_os_time() + settings.every * SECOND;
    while (!liveobj_service_is_stopped()) {
        wait_for_work(listener, time_to_work(next_entry));
        liveobj_last_thread_look();
        add_if_due(&next_entry);
        if (settings.collects && !liveobj_service_is_stopped())
            liveobj_recorder_measure_memory();
    }
    liveobj_requests_end();
}

static void *run_service(void *unused) {
    (void)unused;
    liveobj_ignore_begin(); // none of the program's code runs here
    prctl(PR_SET_NAME, "liveobjects");
    int listener = open_files();
    bool works = !failure;
    atomic_store(&is_running, works);
    sem_post(&started);
    if (works)
        work_until_stopped(listener);
    liveobj_ignore_end();
    atomic_store(&is_running, false);
    return NULL;
}

static bool create_thread(pthread_attr_t *attributes, size_t stack_bytes) {
    pthread_t thread;
    pthread_attr_setstacksize(attributes, stack_bytes);
    return pthread_create(&thread, attributes, run_service, NULL) == 0;
}

/// With all signals blocked, which the thread inherits.
static bool start_thread(void) {
    // As for the program's own threads: the name of a type that is nested 600 levels deep does not
    // fit into 512 KiB. Less where memory is limited.
    enum { STACK_BYTES = 8 << 20, LEAST_STACK_BYTES = 512 << 10 };
    pthread_attr_t attributes;
    sigset_t all, before;
    if (pthread_attr_init(&attributes) != 0)
        return false;
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool is_created =
        create_thread(&attributes, STACK_BYTES) || create_thread(&attributes, LEAST_STACK_BYTES);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return is_created;
}

static const char *start_and_wait(void) {
    sem_init(&started, 0, 0);
    if (!start_thread())
        return "there can be no further thread";
    while (sem_wait(&started) != 0)
        ;
    return failure;
}

/// \returns NULL if the thread does what is wanted.
static const char *started_before(const struct liveobj_service_settings *wanted) {
    bool suffices = settings.answers >= wanted->answers && !wanted->every && !wanted->collects;
    if (!atomic_load(&is_running))
        return failure ? failure : "it has ended";
    return suffices ? NULL : "the thread was started before, for other work";
}

struct liveobj_service_start
liveobj_own_service_start(const struct liveobj_service_settings *wanted) {
    if (process == getpid())
        return (struct liveobj_service_start){started_before(wanted), 0};
    process = getpid();
    settings = *wanted;
    if (wanted->base)
        snprintf(base, sizeof base, "%s", wanted->base);
    settings.base = base;
    int error = settings.every ? liveobj_timeline_start(&settings) : 0;
    if (error)
        return (struct liveobj_service_start){"the timeline cannot be written", error};
    liveobj_ignore_begin();
    const char *why = start_and_wait();
    if (!why)
        liveobj_last_thread_start();
    liveobj_ignore_end();
    return (struct liveobj_service_start){why, 0};
}

int liveobj_own_service_stop(void) {
    enum { PATIENCE_MILLISECONDS = 1000 };
    if (!liveobj_service_is_running() || __atomic_exchange_n(&is_stopped, 1, __ATOMIC_ACQ_REL))
        return 0;
    liveobj_last_thread_stop();
    liveobj_os_wake(&is_stopped);
    liveobj_listener_wake();
    liveobj_listener_remove();
    for (int i = 0; i < PATIENCE_MILLISECONDS && atomic_load(&is_running); i++)
        liveobj_os_sleep(MILLISECOND);
    return liveobj_timeline_error();
}

#endif
