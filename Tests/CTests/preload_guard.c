// A step of the report that crashes or hangs is left, and the program's own handlers are there
// again.

#define _GNU_SOURCE
#include "expect.h"
#include "preload.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int steps;
static volatile sig_atomic_t own_handler_runs;

static void work(void *context) {
    steps += *(int *)context;
}

static void crash(void *context) {
    (void)context;
    raise(SIGSEGV);
}

static void give_up(void *context) {
    (void)context;
    abort();
}

static void hang(void *context) {
    (void)context;
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&mutex);
    pthread_mutex_lock(&mutex);
}

/// As the kernel does for a system call that a sandbox traps.
static void call_what_is_forbidden(void *context) {
    (void)context;
    raise(SIGSYS);
}

static int64_t processor_milliseconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static void work_for_a_second(void *context) {
    (void)context;
    int64_t start = processor_milliseconds();
    while (processor_milliseconds() - start < 1000)
        continue;
}

static void stop_in_the_middle(void *context) {
    (void)context;
    raise(SIGSTOP);
}

static void own_handler(int signal) {
    (void)signal;
    own_handler_runs++;
}

static enum liveobj_step_end end_of(void (*step)(void *), void *context) {
    struct liveobj_signals saved = liveobj_signals_block();
    enum liveobj_step_end end = liveobj_guard_run(500, step, context);
    liveobj_signals_restore(&saved);
    return end;
}

static bool run(void (*step)(void *), void *context) {
    return end_of(step, context) == LIVEOBJ_STEP_DONE;
}

static void a_step_that_works_is_left_alone(void) {
    int three = 3;
    EXPECT(run(work, &three) && steps == 3);
}

static void a_step_that_crashes_is_left(void) {
    EXPECT(end_of(crash, NULL) == LIVEOBJ_STEP_CRASHED);
    EXPECT(end_of(give_up, NULL) == LIVEOBJ_STEP_CRASHED);
    EXPECT(end_of(call_what_is_forbidden, NULL) == LIVEOBJ_STEP_CRASHED);
}

static void a_step_that_hangs_is_left(void) {
    EXPECT(end_of(hang, NULL) == LIVEOBJ_STEP_STUCK);
}

static void a_step_that_works_may_take_its_time(void) {
    EXPECT(run(work_for_a_second, NULL));
}

/// A limit on the clock would count that time.
static void a_step_may_be_stopped(void) {
    int status;
    pid_t process = fork();
    if (process == 0) {
        raise(SIGSTOP);
        _exit(run(stop_in_the_middle, NULL) ? 0 : 1);
    }
    for (int stops = 0; stops < 2; stops++) {
        EXPECT(waitpid(process, &status, WUNTRACED) == process && WIFSTOPPED(status));
        sleep(1);
        kill(process, SIGCONT);
    }
    EXPECT(waitpid(process, &status, 0) == process && status == 0);
}

static void the_programs_handlers_are_there_again(void) {
    signal(SIGSEGV, own_handler);
    run(crash, NULL);
    EXPECT(own_handler_runs == 0);
    raise(SIGSEGV);
    EXPECT(own_handler_runs == 1);
    signal(SIGSEGV, SIG_DFL);
}

static void *fault_elsewhere(void *thread_done) {
    usleep(100000);
    raise(SIGSEGV);
    atomic_store((atomic_int *)thread_done, 1);
    return NULL;
}

static void wait_for_flag(void *flag) {
    while (!atomic_load((atomic_int *)flag))
        usleep(1000);
}

static void another_threads_fault_is_its_own(void) {
    static atomic_int is_done;
    pthread_t thread;
    own_handler_runs = 0;
    signal(SIGSEGV, own_handler);
    pthread_create(&thread, NULL, fault_elsewhere, &is_done);
    EXPECT(run(wait_for_flag, &is_done));
    pthread_join(thread, NULL);
    raise(SIGSEGV);
    EXPECT(own_handler_runs == 1);
    signal(SIGSEGV, SIG_DFL);
}

int main(void) {
    a_step_that_works_is_left_alone();
    a_step_that_crashes_is_left();
    a_step_that_hangs_is_left();
    a_step_that_works_may_take_its_time();
    a_step_may_be_stopped();
    the_programs_handlers_are_there_again();
    another_threads_fault_is_its_own();
    return EXPECT_STATUS();
}
