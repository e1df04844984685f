// Whether other threads are parked, if they must get a processor first.

#define _GNU_SOURCE
#include "heap/idle_threads.h"
#include "os/os.h"
#include "records/records.h"
#include "records/thread.h"
#include "support/expect.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/// Restricts the process to one processor.
static void stay_on_one_processor(void) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET((size_t)sched_getcpu(), &one);
    EXPECT(sched_setaffinity(0, sizeof one, &one) == 0);
}

static pid_t start_busy_process(void) {
    pid_t process = fork();
    if (process == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;)
            ;
    }
    return process;
}

static void schedule(int policy) {
    EXPECT(sched_setscheduler(0, policy, &(struct sched_param){0}) == 0);
}

static uint32_t has_run; // atomic

static void run_until(uint64_t time) {
    while (liveobj_os_thread_time(liveobj_os_thread_id()) < time)
        continue;
}

/// Runs for a while before and after it sets `has_run`. Then the thread waits, or ends.
static void run_on(int signal) {
    enum { A_WHILE = 3000000, LONGER = 4000000 };
    (void)signal;
    run_until(A_WHILE);
    __atomic_store_n(&has_run, 1, __ATOMIC_RELEASE);
    run_until(LONGER);
}

/// Starts a thread that gets the processor only once in a while.
static void start_starved_thread(void) {
    enum { A_MOMENT = 200 };
    pthread_t thread;
    signal(SIGUSR1, run_on);
    schedule(SCHED_IDLE); // which the thread inherits
    pthread_create(&thread, NULL, (void *(*)(void *))(uintptr_t)pause, NULL);
    schedule(SCHED_OTHER);
    pthread_kill(thread, SIGUSR1);
    while (!__atomic_load_n(&has_run, __ATOMIC_ACQUIRE))
        usleep(A_MOMENT);
}

static void note_other_thread(void *context, uint32_t thread) {
    if (thread != (uint32_t)getpid())
        liveobj_idle_threads_add(context, thread);
}

static void settling_waits_for_a_starved_thread(void) {
    struct liveobj_idle_threads idle = {0};
    pid_t busy = start_busy_process();
    start_starved_thread();
    liveobj_idle_threads_let_settle();
    liveobj_os_visit_threads(note_other_thread, &idle);
    EXPECT(liveobj_idle_threads_are_parked(&idle));
    kill(busy, SIGKILL);
    waitpid(busy, NULL, 0);
}

static volatile bool is_over;

static void *run(void *unused) {
    while (!is_over)
        continue;
    return unused;
}

static void settling_gives_up_on_a_running_thread(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    liveobj_idle_threads_let_settle(); // returns
    is_over = true;
    pthread_join(thread, NULL);
}

static void thread_time_is_processor_time(void) {
    enum { MILLISECOND = 1000000, NO_THREAD = 0x3fffff };
    uint32_t own = liveobj_os_thread_id();
    uint64_t begun = liveobj_os_time(), start = liveobj_os_thread_time(own);
    while (liveobj_os_thread_time(own) - start < MILLISECOND)
        continue;
    EXPECT(liveobj_os_time() - begun >= MILLISECOND);
    EXPECT(liveobj_os_thread_time(NO_THREAD) == UINT64_MAX);
}

int main(void) {
    EXPECT(liveobj_threads_start() && liveobj_records_start(1 << 16));
    EXPECT(liveobj_thread_attach() != NULL);
    thread_time_is_processor_time();
    settling_gives_up_on_a_running_thread();
    stay_on_one_processor();
    settling_waits_for_a_starved_thread();
    return EXPECT_STATUS();
}
