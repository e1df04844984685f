// Runs a program and prints what it and the children it waited for used:
// wall clock seconds, CPU seconds (user and system), peak resident KiB.
// Its output goes to /dev/null; its exit status becomes ours.

#define _DEFAULT_SOURCE // wait4

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static double seconds_of(struct timeval time) {
    return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

static _Noreturn void run_silently(char *arguments[]) {
    int null_device = open("/dev/null", O_RDWR);
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        dup2(null_device, fd);
    }
    execvp(arguments[0], arguments);
    _exit(127);
}

int main(int argc, char *argv[]) {
    if (argc < 2) {
        fprintf(stderr, "usage: Measure PROGRAM ARGS...\n");
        return 2;
    }
    double start = seconds_now();
    pid_t child = fork();
    if (child == 0) {
        run_silently(argv + 1);
    }
    int status = 0;
    struct rusage usage;
    if (child < 0 || wait4(child, &status, 0, &usage) < 0) {
        perror("Measure");
        return 2;
    }
    printf("%.4f %.4f %ld\n", seconds_now() - start,
           seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime), usage.ru_maxrss);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
