// A step of the report that crashes or hangs is left, another thread that faults is held meanwhile,
// and the program's own handlers are there again.

#define _GNU_SOURCE
#include "safety/guard.h"
#include "safety/signals.h"
#include "support/expect.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
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
    liveobj_guard_start();
    enum liveobj_step_end end = liveobj_guard_run(500, step, context);
    liveobj_guard_end();
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

/// Ends with the signal's own action, not with the parent's.
static void a_forked_childs_fault_is_its_own(void *context) {
    (void)context;
    int status;
    pid_t process = fork();
    if (process == 0)
        raise(SIGBUS);
    while (waitpid(process, &status, 0) < 0) // a tick of the guard's came
        EXPECT(errno == EINTR);
    EXPECT(WTERMSIG(status) == SIGBUS);
}

static char *page;

static void open_page(int signal) {
    own_handler(signal);
    mprotect(page, 1, PROT_READ);
}

static void *read_page(void *is_done) {
    char byte = *(volatile char *)page;
    atomic_store((atomic_int *)is_done, 1);
    return (void *)(uintptr_t)byte;
}

static void start_thread_that_faults(void *is_done) {
    pthread_t thread;
    pthread_create(&thread, NULL, read_page, is_done);
    pthread_detach(thread);
    while (!liveobj_guard_holds_threads())
        usleep(1000);
}

static void another_thread_that_faults_is_held(void) {
    static atomic_int is_done;
    page = mmap(NULL, 1, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    own_handler_runs = 0;
    signal(SIGSEGV, open_page);
    signal(SIGBUS, SIG_DFL); // sanitizers have an action of their own
    liveobj_guard_start();
    EXPECT(liveobj_guard_run(60000, start_thread_that_faults, &is_done) == LIVEOBJ_STEP_DONE);
    EXPECT(liveobj_guard_run(60000, a_forked_childs_fault_is_its_own, NULL) == LIVEOBJ_STEP_DONE);
    EXPECT(own_handler_runs == 0);
    liveobj_guard_end();
    while (!atomic_load(&is_done))
        usleep(1000);
    EXPECT(own_handler_runs == 1);
    signal(SIGSEGV, SIG_DFL);
}

/// It has what a step needs, and keeps it.
static void a_step_waits_shorter_for_a_thread_that_waits_itself(void) {
    struct timespec start, end;
    liveobj_guard_start();
    liveobj_guard_note_wait();
    clock_gettime(CLOCK_MONOTONIC, &start);
    EXPECT(liveobj_guard_run(60000, hang, NULL) == LIVEOBJ_STEP_STUCK);
    clock_gettime(CLOCK_MONOTONIC, &end);
    EXPECT(end.tv_sec - start.tv_sec < 30);
    liveobj_guard_end();
}

int main(void) {
    a_step_that_works_is_left_alone();
    a_step_that_crashes_is_left();
    a_step_that_hangs_is_left();
    a_step_that_works_may_take_its_time();
    a_step_may_be_stopped();
    the_programs_handlers_are_there_again();
    another_thread_that_faults_is_held();
    a_step_waits_shorter_for_a_thread_that_waits_itself();
    return EXPECT_STATUS();
}
