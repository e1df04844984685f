// snapshots.c - answers `liveobjects snapshot` with captures while the program runs. Owns the
// thread that does.
//
// The thread exists only with `snapshots=on`: a program may count its threads. It blocks all
// signals, so that no handler of the program runs on it. It has a table of descriptors of its own,
// without those of the program: what the program closes is closed, what it opens gets the number
// that it would have got, and a child that it forks inherits nothing.
//
// The other side sends one line, "snapshot start" or "snapshot last": what counts as growth is what
// was allocated since. The answer is a capture.

#define _GNU_SOURCE
#include "CLiveObjects.h"
#include "options.h"
#include "os/os.h"
#include "output/output.h"
#include "report/report.h"

#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static sem_t started;
static const char *failure;    ///< why there are no snapshots; set before `started` is posted
static atomic_bool is_running; ///< the thread makes system calls
static atomic_bool is_stopped; ///< the thread is to end
static uint64_t last;          ///< the beginning of the last snapshot

/// Numbers 0 to 2 are kept in use: no connection of ours may have that of standard error.
static bool separate_descriptors(void) {
    if (liveobj_os_close_range(0, UINT32_MAX, true) != 0)
        return false;
    return open("/dev/null", O_RDWR | O_CLOEXEC) == 0 && dup(0) == 1 && dup(0) == 2;
}

static int open_listener(void) {
    if (separate_descriptors())
        return liveobj_listener_open(&failure);
    failure = "a thread cannot have descriptors of its own, which takes Linux 5.9 and /dev/null";
    return -1;
}

/// \returns false for a request that is none.
static bool read_request(int connection, uint64_t *since) {
    char line[64];
    size_t count = 0;
    while (count < sizeof line && (count == 0 || line[count - 1] != '\n')) {
        ssize_t received = recv(connection, line + count, sizeof line - count, 0);
        if (received <= 0)
            return false;
        count += (size_t)received;
    }
    bool is_since_last = count == 14 && memcmp(line, "snapshot last\n", count) == 0;
    *since = is_since_last ? last : 0;
    return is_since_last || (count == 15 && memcmp(line, "snapshot start\n", count) == 0);
}

/// A `liveobj_write_fn`. In parts, because a process that ends waits for the end of this capture
/// before that of its own report.
static bool send_unless_stopped(void *context, const void *bytes, size_t count) {
    enum { PART_BYTES = 1 << 20 };
    const char *rest = bytes;
    for (size_t part; count > 0; rest += part, count -= part) {
        part = count < PART_BYTES ? count : PART_BYTES;
        if (atomic_load(&is_stopped) || !liveobj_listener_send(*(int *)context, rest, part))
            return false;
    }
    return true;
}

static void answer(int connection) {
    uint64_t since;
    if (read_request(connection, &since)) {
        uint64_t next = liveobj_mark();
        if (liveobj_capture(since, LIVEOBJ_CONTENTS_GRAPH, send_unless_stopped, &connection))
            last = next;
    }
    close(connection);
}

static void *serve(void *unused) {
    (void)unused;
    liveobj_ignore_begin(); // none of the program's code runs here
    prctl(PR_SET_NAME, "liveobjects");
    int listener = open_listener();
    atomic_store(&is_running, listener >= 0);
    sem_post(&started);
    for (int connection; listener >= 0 && !atomic_load(&is_stopped);) {
        connection = liveobj_listener_accept(listener);
        if (connection < 0)
            break;
        answer(connection);
    }
    liveobj_ignore_end();
    atomic_store(&is_running, false);
    return NULL;
}

/// With all signals blocked, which the thread inherits.
static bool start_thread(void) {
    enum { STACK_BYTES = 512 << 10 };
    pthread_t thread;
    pthread_attr_t attributes;
    sigset_t all, before;
    if (pthread_attr_init(&attributes) != 0)
        return false;
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool is_created = pthread_create(&thread, &attributes, serve, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return is_created;
}

void liveobj_snapshots_start(const struct liveobj_options *options) {
    if (options->snapshots != LIVEOBJ_SNAPSHOTS_ON)
        return;
    liveobj_ignore_begin();
    failure = NULL;
    sem_init(&started, 0, 0);
    if (!start_thread())
        failure = "there can be no further thread";
    else
        while (sem_wait(&started) != 0)
            ;
    liveobj_ignore_end();
    if (failure)
        liveobj_message("there will be no snapshots: ", failure, NULL);
}

void liveobj_snapshots_stop(void) {
    enum { PATIENCE_MILLISECONDS = 1000 };
    const struct timespec pause = {.tv_nsec = 1000000};
    if (!atomic_load(&is_running) || atomic_exchange(&is_stopped, true))
        return;
    liveobj_listener_wake();
    liveobj_listener_remove();
    for (int i = 0; i < PATIENCE_MILLISECONDS && atomic_load(&is_running); i++)
        syscall(SYS_nanosleep, &pause, NULL); // not a cancellation point
}
