// While the process forks, all the recorder's locks are held: a signal handler or a fork handler of
// the program that runs on the same thread then must not wait for one of them. And no other thread
// of the recorder's may be in the Swift runtime, whose locks it would keep in the child.

#include "metadata/metadata.h"
#include "metadata/types.h"
#include "recorder/fork.h"
#include "records/records.h"
#include "records/retain_ledger.h"
#include "records/thread.h"
#include "runtime/runtime.h"
#include "support/expect.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

enum { RECORD = 1, STACK = 7, TIMEOUT_SECONDS = 20 };
static const uintptr_t opaque_type[] = {LIVEOBJ_KIND_OPAQUE};
#define METADATA ((uintptr_t)opaque_type)

TEST(an_object_with_a_ledger_account_may_be_freed_during_a_fork) {
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

static void store_first_lock(void *context, struct liveobj_lock *lock) {
    (void)context;
    first_lock = first_lock ? first_lock : lock;
}

static void store_last_lock(void *context, struct liveobj_lock *lock) {
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

/// \returns false also if this thread did not run until the other one had given up.
static bool the_first_lock_is_free_while_a_fork_waits_for_the_last_lock(void) {
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
TEST(a_fork_that_waits_for_a_lock_holds_no_other) {
    enum { TRIES = 20 };
    int tries = 0;
    liveobj_records_visit_locks(store_first_lock, NULL);
    liveobj_ledger_visit_locks(store_last_lock, NULL);
    while (!the_first_lock_is_free_while_a_fork_waits_for_the_last_lock() && tries < TRIES)
        tries++;
    EXPECT(tries < TRIES);
}

// MARK: - A fork while another thread asks the runtime

static bool is_asked, may_answer;

/// This program is the runtime.
__attribute__((visibility("default"))) void *swift_retain(void *object) {
    return object;
}

/// Returns when it may.
__attribute__((visibility("default"))) struct liveobj_name swift_getTypeName(const void *metadata,
                                                                             bool is_qualified) {
    (void)metadata, (void)is_qualified;
    __atomic_store_n(&is_asked, true, __ATOMIC_RELEASE);
    while (!__atomic_load_n(&may_answer, __ATOMIC_ACQUIRE))
        liveobj_os_yield();
    return (struct liveobj_name){"Demo", strlen("Demo")};
}

static void *ask_for_a_name(void *unused) {
    char shortened[LIVEOBJ_SHORT_NAME_BYTES];
    struct liveobj_type type = {METADATA, METADATA, LIVEOBJ_TYPE_CLASS};
    EXPECT(liveobj_type_name(&type, shortened).length == strlen("Demo"));
    return unused;
}

/// \returns false also if this thread did not run until the other one had given up.
static bool a_fork_begins_after_the_answer(void) {
    pthread_t asking, forking;
    is_asked = may_answer = has_forked = false;
    pthread_create(&asking, NULL, ask_for_a_name, NULL);
    while (!__atomic_load_n(&is_asked, __ATOMIC_ACQUIRE))
        liveobj_os_yield();
    pthread_create(&forking, NULL, prepare_fork, NULL);
    liveobj_os_sleep(20000000); // the other thread comes to the lock
    bool waited = !__atomic_load_n(&has_forked, __ATOMIC_ACQUIRE);
    __atomic_store_n(&may_answer, true, __ATOMIC_RELEASE);
    pthread_join(asking, NULL);
    pthread_join(forking, NULL);
    return waited;
}

TEST(a_fork_waits_for_calls_of_the_runtime) {
    enum { TRIES = 20 };
    int tries = 0;
    EXPECT(liveobj_runtime_find() == LIVEOBJ_STATE_READY);
    while (!a_fork_begins_after_the_answer() && tries < TRIES)
        tries++;
    EXPECT(tries < TRIES);
}

/// A handler that interrupts a call: the runtime's lock is held.
TEST(a_thread_asks_the_runtime_only_once_at_a_time) {
    char shortened[LIVEOBJ_SHORT_NAME_BYTES];
    struct liveobj_type type = {METADATA, METADATA, LIVEOBJ_TYPE_CLASS};
    may_answer = true;
    EXPECT(liveobj_runtime_enter());
    EXPECT(liveobj_type_name(&type, shortened).length == 0);
    liveobj_runtime_leave();
    EXPECT(liveobj_type_name(&type, shortened).length == strlen("Demo"));
}

TEST(a_fork_restores_the_guard) {
    EXPECT(liveobj_tls_get()->guard == 0);
}

int main(void) {
    alarm(TIMEOUT_SECONDS);
    EXPECT(liveobj_ledger_start(4096, 0, NULL) && liveobj_ledger_make_room(4096));
    run_tests();
    return EXPECT_STATUS();
}
