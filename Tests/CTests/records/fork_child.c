// A forked child does not use records that other threads were changing during the fork.

#include "records/records.h"
#include "records/thread.h"
#include "support/expect.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ADDRESS = 0x10000000 };

static struct liveobj_thread *other;
static pthread_barrier_t ready, done;

/// A thread that the fork stops between two stores of one change: it has reserved records that do
/// not exist yet.
static void *stop_between_stores(void *unused) {
    other = liveobj_thread_attach();
    other->free_count = other->free_capacity = 510;
    pthread_barrier_wait(&ready);
    pthread_barrier_wait(&done);
    other->free_count = other->free_capacity = 0;
    return unused;
}

static void record_one(void) {
    struct liveobj_object object;
    struct liveobj_thread *thread = liveobj_thread_attach();
    EXPECT(thread == other);
    liveobj_records_insert(thread, (struct liveobj_object){.address = ADDRESS, .sequence = 1});
    EXPECT(liveobj_records_find(ADDRESS, &object));
}

static void check_in_the_child(void) {
    liveobj_threads_after_fork_child();
    record_one();
    _exit(EXPECT_STATUS());
}

int main(void) {
    int status = -1;
    pthread_t thread;
    EXPECT(liveobj_threads_start() && liveobj_records_start(1 << 16));
    pthread_barrier_init(&ready, NULL, 2);
    pthread_barrier_init(&done, NULL, 2);
    pthread_create(&thread, NULL, stop_between_stores, NULL);
    pthread_barrier_wait(&ready);
    pid_t child = fork();
    if (child == 0)
        check_in_the_child();
    waitpid(child, &status, 0);
    EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    pthread_barrier_wait(&done);
    pthread_join(thread, NULL);
    return EXPECT_STATUS();
}
