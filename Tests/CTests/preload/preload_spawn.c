// The tool runs in a process that is invisible to the program, and ends in bounded time.

#include "CSpawn.h"
#include "output/descriptor.h"
#include "safety/safety.h"
#include "support/expect.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t child_signals;

static void count_child_signal(int signal) {
    (void)signal;
    child_signals++;
}

static char *environment[] = {"PATH=/usr/bin:/bin", NULL};

static struct liveobj_spawn_result run(const char *path, const char *command, int output,
                                       int seconds) {
    char *arguments[] = {(char *)path, "-c", (char *)command, NULL};
    int input = liveobj_descriptor_lift(open("/dev/null", O_RDONLY | O_CLOEXEC));
    struct liveobj_spawn spawn = {path, arguments, environment, input, output, -1, seconds};
    struct liveobj_signals saved = liveobj_signals_block();
    struct liveobj_spawn_result result = liveobj_spawn_run(&spawn);
    liveobj_signals_restore(&saved);
    close(input);
    return result;
}

static struct liveobj_spawn_result run_shell(const char *command) {
    int output = liveobj_descriptor_make_nameless("output");
    struct liveobj_spawn_result result = run("/bin/sh", command, output, 60);
    close(output);
    return result;
}

TEST(the_exit_status_is_returned) {
    struct liveobj_spawn_result result = run_shell("exit 7");
    EXPECT(result.error == 0 && WIFEXITED(result.status) && WEXITSTATUS(result.status) == 7);
    result = run_shell("kill -9 $$");
    EXPECT(result.error == 0 && WIFSIGNALED(result.status) && WTERMSIG(result.status) == SIGKILL);
}

/// Where the system lets this test have a real-time priority.
TEST(the_program_has_no_real_time_priority) {
    const struct sched_param most = {.sched_priority = 1}, none = {0};
    if (sched_setscheduler(0, SCHED_FIFO, &most) != 0)
        return;
    struct liveobj_spawn_result result =
        run_shell("set -- $(cat /proc/self/stat); shift 40; exit $1"); // the policy is the 41st
    sched_setscheduler(0, SCHED_OTHER, &none);
    EXPECT(WIFEXITED(result.status) && WEXITSTATUS(result.status) == SCHED_OTHER);
}

TEST(output_goes_to_the_given_descriptor) {
    char text[64];
    int output = liveobj_descriptor_make_nameless("output");
    struct liveobj_spawn_result result = run("/bin/sh", "echo $PATH; cat", output, 60);
    EXPECT(result.error == 0 && result.status == 0);
    ssize_t count = pread(output, text, sizeof text - 1, 0);
    text[count > 0 ? count : 0] = '\0';
    EXPECT_STRING(text, "/usr/bin:/bin\n");
    close(output);
}

TEST(a_failure_to_run_has_a_reason) {
    EXPECT(run("/does/not/exist", "", 2, 60).error == ENOENT);
    EXPECT(run("/etc/passwd", "", 2, 60).error == EACCES);
}

TEST(a_hanging_program_is_killed) {
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    EXPECT(run("/bin/sh", "trap '' TERM; exec sleep 600", 2, 1).error == ETIMEDOUT);
    clock_gettime(CLOCK_MONOTONIC, &end);
    EXPECT(end.tv_sec - start.tv_sec < 30);
}

/// All processes of a container may be stopped for a while.
TEST(time_while_all_processes_are_stopped_does_not_count) {
    enum { PATIENCE = 4, STOPPED = 5 };
    int ends[2], status = 0;
    char byte;
    EXPECT(pipe2(ends, O_CLOEXEC) == 0);
    pid_t host = fork();
    if (host == 0) {
        setpgid(0, 0);
        struct liveobj_spawn_result result =
            run("/bin/sh", "echo; sleep 1; sleep 1; exit 5", ends[1], PATIENCE);
        _exit(result.error ? 1 : WEXITSTATUS(result.status));
    }
    EXPECT(read(ends[0], &byte, 1) == 1);
    kill(-host, SIGSTOP);
    sleep(STOPPED);
    kill(-host, SIGCONT);
    EXPECT(waitpid(host, &status, 0) == host && WEXITSTATUS(status) == 5);
    close(ends[0]);
    close(ends[1]);
}

TEST(the_host_gets_no_child_and_no_signal) {
    struct sigaction counting = {.sa_handler = count_child_signal}, before;
    sigaction(SIGCHLD, &counting, &before);
    run_shell("exit 0");
    EXPECT(child_signals == 0);
    EXPECT(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
    EXPECT(waitpid(-1, NULL, WNOHANG | __WALL) == -1 && errno == ECHILD);
    sigaction(SIGCHLD, &before, NULL);
}

TEST(the_host_keeps_its_own_child) {
    pid_t own = fork();
    if (own == 0)
        _exit(5);
    int status;
    EXPECT(WEXITSTATUS(run_shell("exit 3").status) == 3);
    EXPECT(waitpid(-1, &status, 0) == own && WEXITSTATUS(status) == 5);
}

TEST(signal_settings_of_the_host_are_kept) {
    struct sigaction ignored = {.sa_handler = SIG_IGN}, before, after;
    sigaction(SIGCHLD, &ignored, &before);
    struct liveobj_spawn_result result = run_shell("exit 4");
    EXPECT(result.error == 0 && WEXITSTATUS(result.status) == 4);
    sigaction(SIGCHLD, &before, &after);
    EXPECT(after.sa_handler == SIG_IGN);
}

TEST(the_program_inherits_no_descriptors_of_the_host) {
    int ours = dup2(STDERR_FILENO, 77);
    struct liveobj_spawn_result result = run_shell("test ! -e /proc/self/fd/77");
    EXPECT(result.error == 0 && result.status == 0);
    close(ours);
}

/// Forbids this process to close a range of descriptors, as old kernels and containers do, and
/// kills it if it closes a descriptor that it cannot have.
static bool forbid_close_range(int end) {
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_close_range, 3, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_close, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args)),
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, (unsigned)end, 2, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL),
    };
    struct sock_fprog program = {sizeof filter / sizeof filter[0], filter};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/// The limit may be a thousand million.
TEST(descriptors_are_not_closed_one_by_one_up_to_the_limit) {
    enum { BEHIND_OURS = 2000 };
    struct rlimit limit;
    int status = -1;
    pid_t sandboxed = fork();
    if (sandboxed == 0) {
        int ours = dup2(STDERR_FILENO, 77);
        getrlimit(RLIMIT_NOFILE, &limit);
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
        EXPECT(ours == 77 && forbid_close_range(BEHIND_OURS));
        struct liveobj_spawn_result result = run_shell("test ! -e /proc/self/fd/77");
        EXPECT(result.error == 0 && result.status == 0);
        _exit(EXPECT_STATUS());
    }
    EXPECT(waitpid(sandboxed, &status, 0) == sandboxed && status == 0);
}

static void *run_in_thread(void *status) {
    char command[32] = "sleep 0.0$$; exit ";
    strcat(command, status);
    return (void *)(intptr_t)WEXITSTATUS(run_shell(command).status);
}

TEST(threads_run_programs_concurrently) {
    static char *const statuses[] = {"11", "12", "13", "14"};
    pthread_t threads[4];
    void *results[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, run_in_thread, statuses[i]);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], &results[i]);
    for (int i = 0; i < 4; i++)
        EXPECT((intptr_t)results[i] == 11 + i);
}

/// \returns the contents of a file of /proc/self, as `cat` or the host reads it.
static const char *own_score(void) {
    static char text[16];
    int file = open("/proc/self/oom_score_adj", O_RDONLY);
    ssize_t count = read(file, text, sizeof text - 1);
    text[count > 0 ? count : 0] = '\0';
    close(file);
    return text;
}

TEST(the_oom_killer_prefers_the_program) {
    char before[16], text[16];
    strcpy(before, own_score());
    int output = liveobj_descriptor_make_nameless("output");
    run("/bin/sh", "cat /proc/self/oom_score_adj", output, 60);
    ssize_t count = pread(output, text, sizeof text - 1, 0);
    text[count > 0 ? count : 0] = '\0';
    EXPECT_STRING(text, "1000\n");
    EXPECT_STRING(own_score(), before);
    close(output);
}

static int cleanups;

TEST(a_small_stack_of_the_host_is_enough) {
    struct rlimit limit, small;
    getrlimit(RLIMIT_STACK, &limit);
    small = (struct rlimit){64 << 10, limit.rlim_max};
    EXPECT(setrlimit(RLIMIT_STACK, &small) == 0);
    struct liveobj_spawn_result result = run_shell("test $(ulimit -s) -ge 8192");
    EXPECT(result.error == 0 && result.status == 0);
    getrlimit(RLIMIT_STACK, &small);
    EXPECT(small.rlim_cur == 64 << 10);
    setrlimit(RLIMIT_STACK, &limit);
}

static void count_cleanup(void *context) {
    (void)context;
    cleanups++;
}

/// The cancel must not interrupt the run, nor run the thread's cleanup in another process.
static void *run_with_pending_cancel(void *result) {
    pthread_cleanup_push(count_cleanup, NULL);
    pthread_cancel(pthread_self());
    int input = 2; // `open` would be cancelled
    char *arguments[] = {"sh", "-c", "exit 6", NULL};
    struct liveobj_spawn spawn = {"/bin/sh", arguments, environment, input, input, -1, 60};
    *(struct liveobj_spawn_result *)result = liveobj_spawn_run(&spawn);
    pthread_testcancel();
    pthread_cleanup_pop(0);
    return NULL;
}

TEST(a_pending_cancel_is_deferred) {
    struct liveobj_spawn_result result = {-1, -1};
    pthread_t thread;
    void *value = NULL;
    pthread_create(&thread, NULL, run_with_pending_cancel, &result);
    pthread_join(thread, &value);
    EXPECT(result.error == 0 && WEXITSTATUS(result.status) == 6);
    EXPECT(value == PTHREAD_CANCELED && cleanups == 1);
}
