// Locks store their holder: no thread waits for its own lock, and a fork proceeds without a
// lock that it cannot take.

#include "os/os.h"
#include "support/expect.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static const uint64_t second = 1000000000;
static struct liveobj_lock lock;
static pthread_barrier_t is_held, may_release;

TEST(a_thread_does_not_wait_for_its_own_lock) {
    uint64_t start = liveobj_os_time();
    EXPECT(liveobj_lock_acquire(&lock) && liveobj_lock_is_own(&lock));
    EXPECT(!liveobj_lock_acquire(&lock) && !liveobj_lock_try(&lock));
    EXPECT(!liveobj_lock_wait_until_free(&lock, UINT64_MAX));
    liveobj_lock_release(&lock);
    EXPECT(!liveobj_lock_is_own(&lock) && liveobj_lock_wait_until_free(&lock, 0));
    EXPECT(liveobj_os_time() - start < second);
}

static void *hold(void *unused) {
    EXPECT(liveobj_lock_acquire(&lock));
    pthread_barrier_wait(&is_held);
    pthread_barrier_wait(&may_release);
    liveobj_lock_release(&lock);
    return unused;
}

static void *take(void *unused) {
    EXPECT(liveobj_lock_acquire(&lock));
    liveobj_lock_release(&lock);
    return unused;
}

TEST(other_threads_wait_until_a_lock_is_free) {
    pthread_t holder, waiter;
    pthread_create(&holder, NULL, hold, NULL);
    pthread_barrier_wait(&is_held);
    EXPECT(!liveobj_lock_is_own(&lock) && !liveobj_lock_try(&lock));
    EXPECT(!liveobj_lock_wait_until_free(&lock, 0));
    pthread_create(&waiter, NULL, take, NULL);
    pthread_barrier_wait(&may_release);
    pthread_join(waiter, NULL);
    pthread_join(holder, NULL);
}

static int status_of(pid_t child) {
    int status = -1;
    waitpid(child, &status, 0);
    return status;
}

TEST(a_lock_of_the_forking_thread_stays_held_in_the_child) {
    EXPECT(liveobj_lock_acquire(&lock));
    EXPECT(liveobj_lock_try_before_fork(&lock));
    pid_t child = fork();
    if (child == 0) {
        EXPECT(liveobj_lock_after_fork_child(&lock) && liveobj_lock_is_own(&lock));
        liveobj_lock_release(&lock);
        EXPECT(liveobj_lock_try(&lock));
        _exit(EXPECT_STATUS());
    }
    liveobj_lock_after_fork(&lock);
    EXPECT(liveobj_lock_is_own(&lock));
    liveobj_lock_release(&lock);
    EXPECT(status_of(child) == 0);
}

TEST(a_lock_of_another_thread_is_lost_in_the_child) {
    pthread_t holder;
    pthread_create(&holder, NULL, hold, NULL);
    pthread_barrier_wait(&is_held);
    EXPECT(!liveobj_lock_try_before_fork(&lock));
    pid_t child = fork();
    if (child == 0) {
        uint64_t start = liveobj_os_time();
        EXPECT(!liveobj_lock_after_fork_child(&lock));
        EXPECT(!liveobj_lock_acquire(&lock) && liveobj_os_time() - start < second);
        _exit(EXPECT_STATUS());
    }
    liveobj_lock_after_fork(&lock);
    EXPECT(!liveobj_lock_try(&lock)); // still the other thread's
    pthread_barrier_wait(&may_release);
    pthread_join(holder, NULL);
    EXPECT(status_of(child) == 0);
}

int main(void) {
    pthread_barrier_init(&is_held, NULL, 2);
    pthread_barrier_init(&may_release, NULL, 2);
    run_tests();
    return EXPECT_STATUS();
}
