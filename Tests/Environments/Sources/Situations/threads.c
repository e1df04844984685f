// threads.c - unusual stacks, and many threads.

#include "situation.h"

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

// MARK: - Coroutines

enum { STACK_BYTES = 64 * 1024, STACKS = 256 };

static ucontext_t scheduler, coroutine;
static situation_work coroutine_work;

static void run_coroutine(void) {
    coroutine_work();
}

static void run_on(char *stack) {
    NEED(getcontext(&coroutine) == 0);
    coroutine.uc_stack = (stack_t){.ss_sp = stack, .ss_size = STACK_BYTES};
    coroutine.uc_link = &scheduler;
    makecontext(&coroutine, run_coroutine, 0);
    NEED(swapcontext(&scheduler, &coroutine) == 0);
}

/// Without guard pages between the stacks, as the simplest pools are.
void situation_coroutines(situation_work work) {
    char *pool = mmap(NULL, (size_t)STACKS * STACK_BYTES, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    NEED(pool != MAP_FAILED);
    coroutine_work = work;
    for (int round = 0; round < 4; round++)
        for (int i = 0; i < STACKS; i++)
            run_on(pool + (size_t)i * STACK_BYTES);
}

// MARK: - Signal stacks

static situation_work handler_work;

static void work_in_handler(int signal) {
    (void)signal;
    handler_work();
}

void situation_alternate_stack(situation_work work) {
    enum { BYTES = 32 * 1024 };
    stack_t stack = {.ss_sp = malloc(BYTES), .ss_size = BYTES};
    struct sigaction action = {.sa_handler = work_in_handler, .sa_flags = SA_ONSTACK};
    handler_work = work;
    NEED(sigaltstack(&stack, NULL) == 0 && sigaction(SIGUSR1, &action, NULL) == 0);
    for (int i = 0; i < 1000; i++)
        NEED(raise(SIGUSR1) == 0);
}

// MARK: - Threads

static void *work_on_thread(void *context) {
    ((situation_work)context)();
    return NULL;
}

static pthread_t start(situation_work work, size_t stack_bytes) {
    pthread_t thread;
    pthread_attr_t attributes;
    NEED(pthread_attr_init(&attributes) == 0);
    NEED(pthread_attr_setstacksize(&attributes, stack_bytes) == 0);
    NEED(pthread_create(&thread, &attributes, work_on_thread, (void *)work) == 0);
    pthread_attr_destroy(&attributes);
    return thread;
}

void situation_small_stacks(situation_work work) {
    enum { LEAST_BYTES = 16 * 1024 };
    for (int i = 0; i < 200; i++)
        NEED(pthread_join(start(work, LEAST_BYTES), NULL) == 0);
}

void situation_many_threads(situation_work work) {
    for (int i = 0; i < 50000; i++)
        NEED(pthread_join(start(work, STACK_BYTES), NULL) == 0);
}

void situation_threads_at_once(situation_work work) {
    enum { THREADS = 2000 };
    static pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        threads[i] = start(work, STACK_BYTES);
    for (int i = 0; i < THREADS; i++)
        NEED(pthread_join(threads[i], NULL) == 0);
}
