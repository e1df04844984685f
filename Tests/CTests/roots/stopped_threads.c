// Other threads are stopped, and do not notice it.

#include "roots/stopped_threads.h"
#include "support/expect.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ptrace.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static struct liveobj_stopped_threads stop_once(void) {
    struct liveobj_stopped_threads threads = {0};
    liveobj_threads_prepare(&threads);
    liveobj_threads_stop(&threads);
    return threads;
}

/// \returns whether every other thread was stopped.
static bool stop_and_continue(void) {
    struct liveobj_stopped_threads threads = stop_once();
    bool is_complete = threads.is_complete;
    liveobj_threads_continue(&threads);
    liveobj_threads_end(&threads);
    return is_complete;
}

// MARK: - Registers

static const uintptr_t mark = 0x1234567876543210;
static atomic_bool is_over;
static atomic_int running;

/// Has the mark in a register only.
static void *hold_in_register(void *unused) {
    running++;
    while (!is_over) {
#if defined(__x86_64__)
        __asm__ volatile("movabs $0x1234567876543210, %%r12\n"
                         "mov $20000, %%ecx\n1: dec %%ecx\n jnz 1b\n xor %%r12d, %%r12d" ::
                             : "r12", "ecx", "cc");
#else
        __asm__ volatile("mov x19, #0x3210\n movk x19, #0x7654, lsl #16\n"
                         "movk x19, #0x5678, lsl #32\n movk x19, #0x1234, lsl #48\n"
                         "mov w20, #20000\n1: subs w20, w20, #1\n b.ne 1b\n mov x19, #0" ::
                             : "x19", "x20", "cc");
#endif
    }
    return unused;
}

static bool has_mark(const struct liveobj_stopped_thread *thread) {
    const uintptr_t *words = (const void *)&thread->registers;
    for (size_t i = 0; i < sizeof thread->registers / sizeof *words; i++)
        if (words[i] == mark)
            return true;
    return false;
}

TEST(registers_are_read) {
    enum { ATTEMPTS = 50 };
    pthread_t thread;
    bool was_seen = false;
    pthread_create(&thread, NULL, hold_in_register, NULL);
    while (!running)
        usleep(100);
    for (int i = 0; i < ATTEMPTS && !was_seen; i++) {
        struct liveobj_stopped_threads threads = stop_once();
        EXPECT(threads.is_complete && threads.count == 1);
        was_seen = threads.count == 1 && has_mark(&threads.items[0]);
        EXPECT(liveobj_thread_stack_pointer(&threads.items[0]) != 0);
        liveobj_threads_continue(&threads);
        liveobj_threads_end(&threads);
    }
    EXPECT(was_seen);
    is_over = true;
    pthread_join(thread, NULL);
}

// MARK: - Calls that wait

enum { TIMEOUT = 30 };
static int ends[2], sockets[2], events;
static sem_t semaphore;
static sigset_t awaited;

static long wait_for_event(void) {
    struct epoll_event event;
    return epoll_wait(events, &event, 1, TIMEOUT * 1000);
}

static long wait_for_byte(void) {
    char byte;
    return read(ends[0], &byte, 1);
}

/// With a timeout, the kernel does not start the call again by itself.
static long wait_for_message(void) {
    char byte;
    struct timeval timeout = {TIMEOUT, 0};
    setsockopt(sockets[0], SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
    return recv(sockets[0], &byte, 1, 0);
}

static long wait_for_signal(void) {
    return sigtimedwait(&awaited, NULL, &(struct timespec){TIMEOUT, 0}) > 0 ? 1 : -1;
}

static long wait_for_semaphore(void) {
    return sem_wait(&semaphore) == 0 ? 1 : -1;
}

static long sleep_for_a_while(void) {
    return nanosleep(&(struct timespec){0, 300000000}, NULL) == 0 ? 1 : -1;
}

static long (*const calls[])(void) = {wait_for_event,  wait_for_byte,      wait_for_message,
                                      wait_for_signal, wait_for_semaphore, sleep_for_a_while};
enum { CALLS = sizeof calls / sizeof *calls };

static void *make_call(void *number) {
    running++;
    long result = calls[(uintptr_t)number]();
    if (result != 1)
        fprintf(stderr, "call %zu: %ld, %s\n", (size_t)number, result, strerror(errno));
    return (void *)(uintptr_t)(result == 1);
}

TEST(waiting_calls_go_on) {
    enum { STOPS = 100 };
    pthread_t threads[CALLS];
    struct epoll_event event = {.events = EPOLLIN};
    EXPECT(pipe(ends) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0);
    events = epoll_create1(0);
    EXPECT(epoll_ctl(events, EPOLL_CTL_ADD, sockets[1], &event) == 0);
    sem_init(&semaphore, 0, 0);
    running = 0;
    for (uintptr_t i = 0; i < CALLS; i++)
        pthread_create(&threads[i], NULL, make_call, (void *)i);
    while (running < CALLS)
        usleep(100);
    for (int i = 0; i < STOPS; i++) {
        EXPECT(stop_and_continue());
        usleep(1000);
    }
    EXPECT(write(ends[1], "b", 1) == 1 && send(sockets[1], "b", 1, 0) == 1);
    EXPECT(send(sockets[0], "b", 1, 0) == 1);
    EXPECT(pthread_kill(threads[3], SIGRTMIN + 1) == 0 && sem_post(&semaphore) == 0);
    for (int i = 0; i < CALLS; i++) {
        void *has_succeeded = NULL;
        pthread_join(threads[i], &has_succeeded);
        EXPECT(has_succeeded);
    }
}

// MARK: - Signals

static atomic_int handled;

static void count(int signal) {
    (void)signal;
    handled++;
}

/// A call that a handler interrupts fails, as it does without the stop.
static void *wait_until_interrupted(void *unused) {
    struct epoll_event event;
    running++;
    while (!is_over)
        if (epoll_wait(events, &event, 1, TIMEOUT * 1000) < 0 && errno != EINTR)
            return (void *)1;
    return unused;
}

TEST(signals_are_delivered) {
    enum { SIGNALS = 200 };
    pthread_t thread;
    void *result;
    is_over = false;
    running = handled = 0;
    events = epoll_create1(0);
    signal(SIGRTMIN + 2, count);
    pthread_create(&thread, NULL, wait_until_interrupted, NULL);
    while (!running)
        usleep(100);
    for (int i = 0; i < SIGNALS; i++) {
        EXPECT(pthread_kill(thread, SIGRTMIN + 2) == 0);
        EXPECT(stop_and_continue());
    }
    is_over = true;
    pthread_kill(thread, SIGRTMIN + 2); // ends the wait
    pthread_join(thread, &result);
    EXPECT(result == NULL);
    EXPECT(handled == SIGNALS + 1);
}

// MARK: - Threads that come and go

static void *end_soon(void *unused) {
    usleep(100);
    return unused;
}

static void *start_threads(void *unused) {
    while (!is_over) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, end_soon, NULL) == 0)
            pthread_join(thread, NULL);
    }
    return unused;
}

TEST(threads_may_start_and_end) {
    enum { STARTERS = 3, STOPS = 200 };
    pthread_t threads[STARTERS];
    is_over = false;
    for (int i = 0; i < STARTERS; i++)
        pthread_create(&threads[i], NULL, start_threads, NULL);
    for (int i = 0; i < STOPS; i++)
        EXPECT(stop_and_continue());
    is_over = true;
    for (int i = 0; i < STARTERS; i++)
        pthread_join(threads[i], NULL);
}

TEST(the_helper_is_no_child) {
    EXPECT(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
}

// MARK: - Threads that cannot be stopped

/// Traces the parent's second thread, as a debugger does.
static pid_t trace(pid_t thread, int ready) {
    pid_t tracer = fork();
    if (tracer == 0) {
        bool is_traced = ptrace(PTRACE_SEIZE, thread, 0, 0) == 0;
        EXPECT(write(ready, is_traced ? "t" : "-", 1) == 1);
        pause();
    }
    return tracer;
}

static atomic_int waiting_thread;

static void *wait_in_read(void *unused) {
    waiting_thread = gettid();
    wait_for_byte();
    return unused;
}

TEST(a_traced_thread_is_read_as_far_as_it_waits) {
    pthread_t thread;
    int ready[2];
    char answer = 0;
    EXPECT(pipe(ends) == 0 && pipe(ready) == 0);
    pthread_create(&thread, NULL, wait_in_read, NULL);
    while (!waiting_thread || !liveobj_thread_state_of((uint32_t)waiting_thread).stack_pointer)
        usleep(100);
    pid_t tracer = trace(waiting_thread, ready[1]);
    EXPECT(read(ready[0], &answer, 1) == 1 && answer == 't');
    struct liveobj_stopped_threads threads = stop_once();
    EXPECT(!threads.is_complete && threads.count == 1);
    EXPECT(liveobj_thread_stack_pointer(&threads.items[0]) != 0);
    liveobj_threads_continue(&threads);
    liveobj_threads_end(&threads);
    kill(tracer, SIGKILL);
    waitpid(tracer, NULL, 0);
    EXPECT(write(ends[1], "b", 1) == 1);
    pthread_join(thread, NULL);
}

int main(void) {
    sigemptyset(&awaited);
    sigaddset(&awaited, SIGRTMIN + 1);
    sigprocmask(SIG_BLOCK, &awaited, NULL);
    EXPECT(stop_and_continue()); // there are none
    run_tests();
    return EXPECT_STATUS();
}
