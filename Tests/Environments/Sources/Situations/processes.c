// processes.c - children of all kinds. Each of them works as well, and prints nothing.

#include "situation.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>

extern char **environ;

static void wait_for(pid_t child) {
    int status;
    NEED(waitpid(child, &status, 0) == child);
    NEED(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

void situation_fork_storm(situation_work work) {
    enum { CHILDREN = 1000, AT_ONCE = 20 };
    for (int i = 0; i < CHILDREN; i += AT_ONCE) {
        pid_t children[AT_ONCE];
        for (int j = 0; j < AT_ONCE; j++) {
            NEED((children[j] = fork()) >= 0);
            if (children[j] == 0) {
                work();
                _exit(0);
            }
        }
        for (int j = 0; j < AT_ONCE; j++)
            wait_for(children[j]);
        work();
    }
}

void situation_vfork(situation_work work) {
    for (int i = 0; i < 200; i++) {
        pid_t child = vfork();
        NEED(child >= 0);
        if (child == 0 && i % 2)
            execl("/bin/true", "true", (char *)NULL);
        if (child == 0)
            _exit(0);
        wait_for(child);
        work();
    }
}

void situation_spawn(situation_work work) {
    char *arguments[] = {"true", NULL};
    for (int i = 0; i < 100; i++) {
        pid_t child;
        NEED(posix_spawn(&child, "/bin/true", NULL, NULL, arguments, environ) == 0);
        wait_for(child);
        work();
    }
}

static void run_daemon(situation_work work) {
    NEED(setsid() > 0);
    pid_t second = fork();
    NEED(second >= 0);
    if (second == 0) {
        NEED(close_range(0, ~0U, 0) == 0);
        work();
        exit(0); // not _exit: what a library does when a process ends is done here, too
    }
    wait_for(second);
    _exit(0);
}

void situation_daemonize(situation_work work) {
    pid_t first = fork();
    NEED(first >= 0);
    if (first == 0)
        run_daemon(work);
    wait_for(first);
}

const char *situation_program(void) {
    return program_invocation_name;
}

void situation_exec(void) {
    const char *program = situation_program();
    const char *left = getenv("EXECUTIONS_LEFT");
    if (left && *left == '0')
        return;
    NEED(setenv("EXECUTIONS_LEFT", left ? "0" : "1", 1) == 0);
    fflush(stdout);
    execl(program, program, "exec-chain", (char *)NULL);
    NEED(!"execl");
}

static volatile sig_atomic_t forks;

static void fork_in_handler(int signal) {
    (void)signal;
    pid_t child = fork();
    if (child == 0)
        syscall(SYS_exit_group, 0);
    if (child > 0 && waitpid(child, NULL, 0) == child)
        forks++;
}

void situation_fork_in_handler(situation_work work) {
    struct sigaction action = {.sa_handler = fork_in_handler, .sa_flags = SA_RESTART};
    struct itimerval tick = {{0, 1000}, {0, 1000}}, none = {{0, 0}, {0, 0}};
    NEED(sigaction(SIGALRM, &action, NULL) == 0);
    NEED(setitimer(ITIMER_REAL, &tick, NULL) == 0);
    while (forks < 200)
        work();
    NEED(setitimer(ITIMER_REAL, &none, NULL) == 0);
}
