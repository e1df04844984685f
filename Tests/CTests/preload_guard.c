// A step of the report that crashes or hangs is left, and the program's own handlers are there
// again.

#define _GNU_SOURCE
#include "expect.h"
#include "preload.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
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

static void own_handler(int signal) {
    (void)signal;
    own_handler_runs++;
}

static bool run(void (*step)(void *), void *context) {
    struct liveobj_signals saved = liveobj_signals_block();
    bool done = liveobj_guard_run(1, step, context);
    liveobj_signals_restore(&saved);
    return done;
}

static void a_step_that_works_is_left_alone(void) {
    int three = 3;
    EXPECT(run(work, &three) && steps == 3);
}

static void a_step_that_crashes_is_left(void) {
    EXPECT(!run(crash, NULL));
    EXPECT(!run(give_up, NULL));
}

static void a_step_that_hangs_is_left(void) {
    EXPECT(!run(hang, NULL));
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
    the_programs_handlers_are_there_again();
    another_threads_fault_is_its_own();
    return EXPECT_STATUS();
}
