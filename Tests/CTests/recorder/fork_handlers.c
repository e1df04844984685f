// While the process forks, all the recorder's locks are held: whatever else runs on that thread
// then, a signal handler or a fork handler of the program, must not wait for one of them.

#include "recorder/recorder.h"
#include "records/records.h"
#include "records/retain_ledger.h"
#include "records/thread.h"
#include "support/expect.h"

#include <pthread.h>
#include <unistd.h>

enum { RECORD = 1, METADATA = 0x10000, STACK = 7, PATIENCE_SECONDS = 20 };

static void an_object_with_an_account_may_die_while_the_process_forks(void) {
    liveobj_ledger_allocated(RECORD, METADATA);
    liveobj_ledger_add(RECORD, STACK, 1, 0);
    liveobj_recorder_before_fork();
    liveobj_ledger_try_close(RECORD);
    liveobj_recorder_after_fork();
    liveobj_ledger_try_close(RECORD);
    EXPECT(!liveobj_ledger_has(RECORD));
}

// MARK: - A fork while another thread captures

static struct liveobj_lock *first_lock, *last_lock; // of those that a fork takes in this order
static bool has_begun, has_forked;

static void note_first(void *context, struct liveobj_lock *lock) {
    (void)context;
    first_lock = first_lock ? first_lock : lock;
}

static void note_last(void *context, struct liveobj_lock *lock) {
    (void)context;
    last_lock = lock;
}

static void *prepare_fork(void *unused) {
    __atomic_store_n(&has_begun, true, __ATOMIC_RELEASE);
    liveobj_recorder_before_fork();
    __atomic_store_n(&has_forked, true, __ATOMIC_RELEASE);
    liveobj_recorder_after_fork();
    return unused;
}

/// \returns false also where this thread was not let run until the other one had given up.
static bool the_first_lock_is_free_while_a_fork_waits_for_the_last(void) {
    pthread_t thread;
    has_begun = has_forked = false;
    EXPECT(liveobj_lock_acquire(last_lock));
    pthread_create(&thread, NULL, prepare_fork, NULL);
    while (!__atomic_load_n(&has_begun, __ATOMIC_ACQUIRE))
        liveobj_os_yield();
    liveobj_os_sleep(20000000); // the other thread comes to the last lock
    EXPECT(liveobj_lock_acquire(first_lock));
    bool was_free = !__atomic_load_n(&has_forked, __ATOMIC_ACQUIRE);
    liveobj_lock_release(first_lock);
    liveobj_lock_release(last_lock);
    pthread_join(thread, NULL);
    return was_free;
}

/// As a capture does: it holds locks while it takes others.
static void a_fork_that_waits_for_a_lock_keeps_none(void) {
    enum { TRIES = 20 };
    int tries = 0;
    liveobj_records_visit_locks(note_first, NULL);
    liveobj_ledger_visit_locks(note_last, NULL);
    while (!the_first_lock_is_free_while_a_fork_waits_for_the_last() && tries < TRIES)
        tries++;
    EXPECT(tries < TRIES);
}

static void the_guard_is_as_it_was_before(void) {
    EXPECT(liveobj_tls_get()->guard == 0);
}

int main(void) {
    alarm(PATIENCE_SECONDS);
    EXPECT(liveobj_ledger_start(4096, 0, NULL) && liveobj_ledger_make_room(4096));
    an_object_with_an_account_may_die_while_the_process_forks();
    a_fork_that_waits_for_a_lock_keeps_none();
    the_guard_is_as_it_was_before();
    return EXPECT_STATUS();
}
