// Helper programs: the host cannot see them, and they do not outlive it.

#include "CSpawn.h"
#include "support/expect.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char *environment[] = {"PATH=/usr/bin:/bin", NULL};

/// A program, and our end of the socket that is its standard input and output.
struct helper {
    struct liveobj_process *process;
    int socket;
    int error;
};

static struct helper start(const char *command) {
    int ends[2];
    struct helper helper = {.socket = -1};
    char *arguments[] = {"sh", "-c", (char *)command, NULL};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return helper;
    struct liveobj_spawn spawn = {"/bin/sh", arguments, environment, ends[1], ends[1], -1, 0};
    helper.process = liveobj_spawn_start(&spawn, &helper.error);
    helper.socket = ends[0];
    close(ends[1]);
    return helper;
}

static struct liveobj_spawn_result end(struct helper *helper, int milliseconds) {
    close(helper->socket);
    return liveobj_spawn_end(helper->process, milliseconds);
}

/// \returns the output that arrives within ten seconds, "" at its end.
static const char *receive(const struct helper *helper) {
    static char text[64];
    struct pollfd waiting = {.fd = helper->socket, .events = POLLIN};
    ssize_t count = poll(&waiting, 1, 10000) == 1 ? read(helper->socket, text, 63) : -1;
    text[count > 0 ? count : 0] = '\0';
    return count < 0 ? "nothing" : text;
}

static const char *ask(const struct helper *helper, const char *question) {
    return write(helper->socket, question, strlen(question)) > 0 ? receive(helper) : "no room";
}

static pid_t program_of(const struct helper *helper) {
    return (pid_t)atoi(receive(helper));
}

/// Waits up to two seconds: a killed process disappears a moment later.
static bool is_gone(pid_t process) {
    for (int i = 0; i < 200; i++) {
        if (kill(process, 0) != 0)
            return errno == ESRCH;
        usleep(10000);
    }
    return false;
}

/// Children of any kind, zombies as well.
static int children(void) {
    int count = 0;
    DIR *processes = opendir("/proc");
    for (struct dirent *entry; (entry = readdir(processes));) {
        char path[64], text[512];
        int parent = 0;
        snprintf(path, sizeof path, "/proc/%.20s/stat", entry->d_name);
        FILE *file = fopen(path, "r");
        if (file && fgets(text, sizeof text, file) && strrchr(text, ')'))
            sscanf(strrchr(text, ')'), ") %*c %d", &parent);
        if (file)
            fclose(file);
        count += parent == getpid();
    }
    closedir(processes);
    return count;
}

static volatile sig_atomic_t child_signals;

static void count_child_signal(int signal) {
    (void)signal;
    child_signals++;
}

static bool sees_no_child(void) {
    return waitpid(-1, NULL, 0) == -1 && errno == ECHILD;
}

TEST(a_helper_answers_each_request) {
    struct helper helper = start("exec cat");
    EXPECT(helper.process != NULL);
    EXPECT_STRING(ask(&helper, "one"), "one");
    EXPECT_STRING(ask(&helper, "two"), "two");
    EXPECT(end(&helper, 10000).status == 0);
}

TEST(the_host_sees_no_child_alive_or_dead) {
    struct sigaction counting = {.sa_handler = count_child_signal}, before;
    sigaction(SIGCHLD, &counting, &before);
    struct helper alive = start("exec cat"), dead = start("echo $$; exit 7");
    EXPECT(is_gone(program_of(&dead)));
    EXPECT(sees_no_child());
    EXPECT(children() == 2); // the supervisors
    struct liveobj_spawn_result result = end(&dead, 10000);
    EXPECT(result.error == 0 && WIFEXITED(result.status) && WEXITSTATUS(result.status) == 7);
    end(&alive, 0);
    EXPECT(children() == 0);
    EXPECT(child_signals == 0);
    sigaction(SIGCHLD, &before, NULL);
}

TEST(a_hanging_helper_is_killed) {
    struct timespec begin, now;
    struct helper helper = start("trap '' TERM INT HUP; echo $$; while :; do sleep 600; done");
    pid_t program = program_of(&helper);
    clock_gettime(CLOCK_MONOTONIC, &begin);
    EXPECT(WTERMSIG(end(&helper, 0).status) == SIGKILL);
    clock_gettime(CLOCK_MONOTONIC, &now);
    EXPECT(now.tv_sec - begin.tv_sec < 3);
    EXPECT(is_gone(program));
}

TEST(a_failure_to_run_has_a_reason) {
    int error = 0;
    char *arguments[] = {"program", NULL};
    struct liveobj_spawn spawn = {"/does/not/exist", arguments, environment, 3, 3, -1, 0};
    EXPECT(liveobj_spawn_start(&spawn, &error) == NULL && error == ENOENT);
    EXPECT(children() == 0);
}

TEST(no_pipe_of_the_host_stays_open) {
    int ends[2];
    EXPECT(pipe(ends) == 0);
    struct helper helper = start("exec cat");
    close(ends[1]);
    struct pollfd reading = {.fd = ends[0], .events = POLLIN};
    EXPECT(poll(&reading, 1, 5000) == 1 && (reading.revents & POLLHUP));
    close(ends[0]);
    EXPECT_STRING(ask(&helper, "still there"), "still there");
    end(&helper, 0);
}

static void *start_in_thread(void *helper) {
    *(struct helper *)helper = start("exec cat");
    return NULL;
}

/// It was started on the local storage of a thread that is gone.
TEST(a_helper_outlives_the_thread_that_started_it) {
    pthread_t thread;
    struct helper helper;
    pthread_create(&thread, NULL, start_in_thread, &helper);
    pthread_join(thread, NULL);
    usleep(1200000); // some of the supervisor's ticks
    EXPECT_STRING(ask(&helper, "alive"), "alive");
    EXPECT(end(&helper, 10000).status == 0);
}

TEST(the_supervisor_does_not_change_errno) {
    struct helper helper = start("exec cat");
    errno = EDOM;
    usleep(1200000); // in each tick a system call of the supervisor's fails
    EXPECT(errno == EDOM);
    end(&helper, 0);
}

TEST(signals_to_the_process_group_of_the_host_do_not_reach_a_helper) {
    struct sigaction ignored = {.sa_handler = SIG_IGN}, before;
    sigaction(SIGUSR1, &ignored, &before);
    struct helper helper = start("exec cat");
    kill(0, SIGUSR1);
    EXPECT_STRING(ask(&helper, "alive"), "alive");
    sigaction(SIGUSR1, &before, NULL);
    end(&helper, 0);
}

TEST(a_forked_child_ends_only_its_own_helpers) {
    struct helper helper = start("exec cat");
    pid_t child = fork();
    if (child == 0) {
        end(&helper, 0);
        helper = start("exec cat");
        _exit(strcmp(ask(&helper, "mine"), "mine") != 0 || end(&helper, 0).error != 0);
    }
    int status;
    EXPECT(waitpid(child, &status, 0) == child && status == 0);
    EXPECT_STRING(ask(&helper, "ours"), "ours");
    end(&helper, 0);
}

// MARK: - The end of the host

/// Runs a host that starts a program, and ends as `finish` has it.
/// \returns the program's process id.
static pid_t run_host(void (*finish)(void)) {
    int ends[2];
    pid_t program = 0;
    EXPECT(pipe(ends) == 0);
    pid_t host = fork();
    if (host == 0) {
        struct helper helper = start("echo $$; exec cat");
        program = program_of(&helper);
        (void)!write(ends[1], &program, sizeof program);
        finish();
    }
    close(ends[1]);
    EXPECT(read(ends[0], &program, sizeof program) == sizeof program);
    close(ends[0]);
    EXPECT(waitpid(host, NULL, 0) == host);
    return program;
}

static void exits(void) {
    exit(0);
}

static void is_killed(void) {
    raise(SIGKILL);
}

/// The child holds the host's end of the socket.
static void is_killed_with_a_child(void) {
    if (fork() == 0) {
        sleep(4);
        _exit(0);
    }
    raise(SIGKILL);
}

static void executes_another_program(void) {
    execl("/bin/sleep", "sleep", "4", NULL);
}

/// Orphans of the host are reparented to this process.
static bool leaves_no_process_behind(void) {
    for (int i = 0; i < 300 && children() > 0; i++) {
        while (waitpid(-1, NULL, WNOHANG | __WALL) > 0)
            continue;
        usleep(10000);
    }
    return children() == 0;
}

static void exit_of_the_host_ends_the_helper(void) {
    pid_t program = run_host(exits);
    EXPECT(kill(program, 0) != 0 && errno == ESRCH);
    EXPECT(children() == 0);
}

static void death_of_the_host_ends_the_helper(void) {
    EXPECT(is_gone(run_host(is_killed)));
    EXPECT(leaves_no_process_behind());
}

static void children_of_a_killed_host_do_not_keep_the_helper_alive(void) {
    EXPECT(is_gone(run_host(is_killed_with_a_child)));
    while (waitpid(-1, NULL, __WALL) > 0)
        continue;
}

static void exec_in_the_host_ends_the_helper(void) {
    struct timespec begin, now;
    int ends[2];
    pid_t program = 0;
    EXPECT(pipe2(ends, O_CLOEXEC) == 0);
    clock_gettime(CLOCK_MONOTONIC, &begin);
    pid_t host = fork();
    if (host == 0) {
        struct helper helper = start("echo $$; exec cat");
        program = program_of(&helper);
        (void)!write(ends[1], &program, sizeof program);
        executes_another_program();
    }
    close(ends[1]);
    EXPECT(read(ends[0], &program, sizeof program) == sizeof program);
    EXPECT(is_gone(program));
    clock_gettime(CLOCK_MONOTONIC, &now);
    EXPECT(now.tv_sec - begin.tv_sec < 3); // before the new program ends
    close(ends[0]);
    EXPECT(waitpid(host, NULL, 0) == host);
    EXPECT(leaves_no_process_behind());
}

int main(void) {
    setpgid(0, 0); // a group of our own, to send signals to
    run_tests();
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    exit_of_the_host_ends_the_helper();
    death_of_the_host_ends_the_helper();
    children_of_a_killed_host_do_not_keep_the_helper_alive();
    exec_in_the_host_ends_the_helper();
    return EXPECT_STATUS();
}
