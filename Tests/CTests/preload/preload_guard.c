// A step of the report that crashes or hangs is abandoned, another thread that faults is suspended
// meanwhile, and the program's handlers are restored.

#include "os/os.h"
#include "safety/safety.h"
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
static void make_forbidden_system_call(void *context) {
    (void)context;
    raise(SIGSYS);
}

static int64_t processor_milliseconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static void compute_for_a_second(void *context) {
    (void)context;
    int64_t start = processor_milliseconds();
    while (processor_milliseconds() - start < 1000)
        continue;
}

static void compute_with_all_signals_blocked(void *context) {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    compute_for_a_second(context);
}

static void stop_process(void *context) {
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

TEST(a_working_step_completes) {
    int three = 3;
    EXPECT(run(work, &three) && steps == 3);
}

static stack_t handlers_stack;

static void note_stack(void *context) {
    (void)context;
    sigaltstack(NULL, &handlers_stack);
}

static void count_if_of_stack(void *context, uintptr_t start, uintptr_t end) {
    uintptr_t stack = (uintptr_t)handlers_stack.ss_sp;
    *(int *)context += start <= stack && stack + handlers_stack.ss_size <= end;
}

/// A snapshot searches the program's memory for references, and a tick copies registers.
TEST(the_handlers_stack_is_memory_of_the_recorder) {
    int mappings = 0;
    liveobj_guard_start();
    EXPECT(liveobj_guard_run(500, note_stack, NULL) == LIVEOBJ_STEP_DONE);
    liveobj_os_visit_mappings(count_if_of_stack, &mappings);
    liveobj_guard_end();
    EXPECT(handlers_stack.ss_sp && mappings == 1);
}

TEST(a_crashing_step_is_abandoned) {
    EXPECT(end_of(crash, NULL) == LIVEOBJ_STEP_CRASHED);
    EXPECT(end_of(give_up, NULL) == LIVEOBJ_STEP_CRASHED);
    EXPECT(end_of(make_forbidden_system_call, NULL) == LIVEOBJ_STEP_CRASHED);
}

TEST(a_hanging_step_is_abandoned) {
    EXPECT(end_of(hang, NULL) == LIVEOBJ_STEP_STUCK);
}

TEST(a_step_that_computes_has_no_time_limit) {
    EXPECT(run(compute_for_a_second, NULL));
}

/// A limit in wall-clock time would count that time.
/// If one did, this test would end by the timer's signal.
TEST(no_tick_outlives_its_step) {
    EXPECT(run(compute_with_all_signals_blocked, NULL));
}

TEST(time_while_the_process_is_stopped_does_not_count) {
    int status;
    pid_t process = fork();
    if (process == 0) {
        raise(SIGSTOP);
        _exit(run(stop_process, NULL) ? 0 : 1);
    }
    for (int stops = 0; stops < 2; stops++) {
        EXPECT(waitpid(process, &status, WUNTRACED) == process && WIFSTOPPED(status));
        sleep(1);
        kill(process, SIGCONT);
    }
    EXPECT(waitpid(process, &status, 0) == process && status == 0);
}

TEST(handlers_of_the_program_are_restored) {
    signal(SIGSEGV, own_handler);
    run(crash, NULL);
    EXPECT(own_handler_runs == 0);
    raise(SIGSEGV);
    EXPECT(own_handler_runs == 1);
    signal(SIGSEGV, SIG_DFL);
}

/// Ends with the signal's own action, not with the parent's.
static void a_fault_in_a_forked_child_ends_the_child(void *context) {
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

TEST(a_fault_of_another_thread_suspends_that_thread) {
    static atomic_int is_done;
    page = mmap(NULL, 1, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    own_handler_runs = 0;
    signal(SIGSEGV, open_page);
    signal(SIGBUS, SIG_DFL); // sanitizers have an action of their own
    liveobj_guard_start();
    EXPECT(liveobj_guard_run(60000, start_thread_that_faults, &is_done) == LIVEOBJ_STEP_DONE);
    EXPECT(liveobj_guard_run(60000, a_fault_in_a_forked_child_ends_the_child, NULL) ==
           LIVEOBJ_STEP_DONE);
    EXPECT(own_handler_runs == 0);
    liveobj_guard_end();
    while (!atomic_load(&is_done))
        usleep(1000);
    EXPECT(own_handler_runs == 1);
    signal(SIGSEGV, SIG_DFL);
}

/// Another thread may wait while it holds a lock that the step needs.
TEST(a_hanging_step_is_abandoned_earlier_after_a_noted_wait) {
    struct timespec start, end;
    liveobj_guard_start();
    liveobj_guard_note_wait();
    clock_gettime(CLOCK_MONOTONIC, &start);
    EXPECT(liveobj_guard_run(60000, hang, NULL) == LIVEOBJ_STEP_STUCK);
    clock_gettime(CLOCK_MONOTONIC, &end);
    EXPECT(end.tv_sec - start.tv_sec < 30);
    liveobj_guard_end();
}
