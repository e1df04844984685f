// ending.c - events during the end of a process.

#include "situation.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/time.h>
#include <time.h>

static bool ends_slowly;

static void pause_for(long milliseconds) {
    struct timespec left = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    while (nanosleep(&left, &left) != 0)
        continue;
}

/// A destructor of the program runs after all handlers of exit.
__attribute__((destructor)) static void end(void) {
    if (ends_slowly)
        pause_for(2000);
}

/// The line says that a signal sent from now on meets the end of the process.
void situation_end_slowly(void) {
    ends_slowly = true;
    puts("ending");
    fflush(stdout);
}

static void *fault(void *context) {
    (void)context;
    pause_for(300);
    *(volatile int *)8 = 0;
    return NULL;
}

void situation_crash_while_ending(void) {
    pthread_t thread;
    situation_end_slowly();
    NEED(pthread_create(&thread, NULL, fault, NULL) == 0);
}

static void exit_now(int signal) {
    (void)signal;
    _exit(5);
}

/// The process has threads, so that malloc takes its locks, and is interrupted in malloc or free.
void situation_exit_in_handler(void) {
    struct itimerval once = {{0, 0}, {0, 20000}};
    NEED(signal(SIGALRM, exit_now) != SIG_ERR);
    NEED(setitimer(ITIMER_REAL, &once, NULL) == 0);
    for (size_t bytes = 2000;; bytes = bytes * 7 % 100000 + 2000)
        free(malloc(bytes));
}
