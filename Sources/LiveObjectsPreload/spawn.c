// spawn.c - owns, for each run, the two stacks that its child processes start on.
//
// They are mapped for the run: several threads may run programs at the same time, and one that ends
// the process must not wait for a lock of theirs.
//
// The program must not notice: no SIGCHLD, and no child that its own `wait(-1)` could reap. A child
// with exit signal 0 is such a one, but only until it executes another program (the kernel then
// gives it SIGCHLD again). So there are two: the keeper, which never executes anything, shares our
// memory and has exit signal 0; and the program itself, which is the keeper's child.
//
// The keeper runs while this thread is suspended by the kernel (CLONE_VFORK), on its thread-local
// storage; it may call what is async-signal-safe, and nothing else.

#define _GNU_SOURCE
#include "preload.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define STACK_BYTES (64 * 1024)

struct run {
    const struct liveobj_spawn *spawn;
    char *keeper_stack; ///< the top of each: they grow down
    char *program_stack;
    struct liveobj_spawn_result result;
};

/// No handler of the host may run in the child, where our memory is its own.
static void reset_signals(void) {
    struct sigaction standard = {.sa_handler = SIG_DFL};
    for (int signal = 1; signal < NSIG; signal++)
        sigaction(signal, &standard, NULL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/// The sources lie above the standard three (`liveobj_descriptor_lift`), or are their own target.
static bool place_descriptors(const struct liveobj_spawn *spawn) {
    int errors = spawn->errors >= 0 ? spawn->errors : open("/dev/null", O_WRONLY);
    bool done = errors >= 0 && dup2(errors, STDERR_FILENO) >= 0 &&
                dup2(spawn->input, STDIN_FILENO) >= 0 && dup2(spawn->output, STDOUT_FILENO) >= 0;
#ifdef SYS_close_range
    syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, 0); // the host's own, where the kernel can
#endif
    return done;
}

static int program_main(void *context) {
    struct run *run = context;
    reset_signals();
    if (place_descriptors(run->spawn))
        execve(run->spawn->path, run->spawn->arguments, run->spawn->environment);
    run->result.error = errno;
    return 127;
}

static struct timespec time_left(struct timespec end) {
    struct timespec now, left = {0, 0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (now.tv_sec < end.tv_sec || (now.tv_sec == end.tv_sec && now.tv_nsec < end.tv_nsec)) {
        left.tv_sec = end.tv_sec - now.tv_sec - (now.tv_nsec > end.tv_nsec);
        left.tv_nsec = end.tv_nsec - now.tv_nsec + (now.tv_nsec > end.tv_nsec) * 1000000000;
    }
    return left;
}

/// Waits for the program, and kills it when its time is over.
static void wait_for_program(struct run *run, pid_t program) {
    struct timespec end, left;
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += run->spawn->seconds;
    sigset_t child_ended;
    sigemptyset(&child_ended);
    sigaddset(&child_ended, SIGCHLD);
    while (waitpid(program, &run->result.status, WNOHANG) == 0) {
        left = time_left(end);
        if (left.tv_sec == 0 && left.tv_nsec == 0) {
            kill(program, SIGKILL);
            waitpid(program, NULL, 0);
            run->result.error = ETIMEDOUT;
            return;
        }
        sigtimedwait(&child_ended, NULL, &left);
    }
}

static int keeper_main(void *context) {
    struct run *run = context;
    // An ignored SIGCHLD would have the kernel throw the program's status away.
    struct sigaction standard = {.sa_handler = SIG_DFL};
    sigaction(SIGCHLD, &standard, NULL);
    pid_t program = clone(program_main, run->program_stack, CLONE_VM | CLONE_VFORK | SIGCHLD, run);
    if (program < 0)
        run->result.error = errno;
    else if (run->result.error)
        waitpid(program, NULL, 0);
    else
        wait_for_program(run, program);
    return 0;
}

static void run_keeper(struct run *run) {
    pid_t keeper = clone(keeper_main, run->keeper_stack, CLONE_VM | CLONE_VFORK, run);
    if (keeper < 0)
        run->result.error = errno;
    while (keeper >= 0 && waitpid(keeper, NULL, __WCLONE) < 0 && errno == EINTR)
        continue;
}

struct liveobj_spawn_result liveobj_spawn_run(const struct liveobj_spawn *spawn) {
    char *stacks =
        mmap(NULL, 2 * STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (stacks == MAP_FAILED)
        return (struct liveobj_spawn_result){.error = ENOMEM};
    struct run run = {.spawn = spawn,
                      .keeper_stack = stacks + STACK_BYTES,
                      .program_stack = stacks + 2 * STACK_BYTES};
    run_keeper(&run);
    munmap(stacks, 2 * STACK_BYTES);
    return run.result;
}
