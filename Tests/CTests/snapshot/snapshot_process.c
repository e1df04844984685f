// The snapshot process: its output, its ends, and that the program does not notice it.

#include "CLiveObjects.h"
#include "heap/references.h"
#include "os/os.h"
#include "os/step.h"
#include "support/expect.h"
#include "support/snapshot_outputs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t child_signals;

static void count_child_signal(int signal) {
    (void)signal;
    child_signals++;
}

static unsigned open_descriptors(void) {
    unsigned count = 0;
    DIR *folder = opendir("/proc/self/fd");
    while (readdir(folder))
        count++;
    closedir(folder);
    return count;
}

// MARK: - Output

static int changed;

static bool change(void *context, liveobj_write_fn write, void *destination) {
    changed = *(int *)context;
    return write(destination, "changed", 7);
}

TEST(output_of_the_snapshot_process_is_received) {
    EXPECT(outputs(write_hello, NULL, "hello"));
}

TEST(memory_changes_in_the_snapshot_process_stay_there) {
    int value = 1;
    EXPECT(outputs(change, &value, "changed"));
    EXPECT(changed == 0);
}

static bool write_pages(void *context, liveobj_write_fn write, void *destination) {
    static char page[1 << 16];
    memset(page, 'a', sizeof page);
    bool is_written = true;
    for (int i = 0; i < *(int *)context; i++)
        is_written &= write(destination, page, liveobj_os_page_bytes());
    return is_written;
}

TEST(output_that_was_read_occupies_no_memory) {
    int pages = 3;
    unsigned char is_resident[3];
    struct liveobj_snapshot child =
        liveobj_snapshot_run(write_pages, NULL, &pages, capacity, UINT64_MAX);
    EXPECT(child.count == (size_t)pages * liveobj_os_page_bytes());
    liveobj_snapshot_discard(&child, 2 * liveobj_os_page_bytes() + 1);
    EXPECT(mincore((void *)(uintptr_t)child.bytes, child.count, is_resident) == 0);
    EXPECT(!(is_resident[0] & 1) && !(is_resident[1] & 1) && is_resident[2] & 1);
    liveobj_snapshot_end(&child);
}

static bool write_too_much(void *context, liveobj_write_fn write, void *destination) {
    static char bytes[4096];
    (void)context;
    while (write(destination, bytes, sizeof bytes))
        continue;
    return false;
}

TEST(output_beyond_the_limit_is_a_failure) {
    EXPECT(fails(write_too_much, NULL, "not enough memory"));
}

// MARK: - Ends

static bool crash_outside(void *context, liveobj_write_fn write, void *destination) {
    (void)write, (void)destination;
    *(volatile int *)context = 1;
    return true;
}

static bool die(void *context, liveobj_write_fn write, void *destination) {
    (void)context, (void)write, (void)destination;
    kill(getpid(), SIGKILL);
    return true;
}

TEST(a_snapshot_process_that_ends_early_is_a_failure) {
    EXPECT(fails(crash_outside, NULL, "crashed"));
    EXPECT(fails(die, NULL, "was killed"));
}

/// Forbids this process to create others.
static bool forbid_clone(void) {
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof filter / sizeof filter[0], filter};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

TEST(a_sandbox_that_forbids_clone_is_a_failure) {
    int status = -1;
    pid_t sandboxed = fork();
    if (sandboxed == 0) {
        EXPECT(forbid_clone());
        EXPECT(fails(write_hello, NULL, "does not allow the snapshot process"));
        _exit(EXPECT_STATUS());
    }
    EXPECT(waitpid(sandboxed, &status, 0) == sandboxed && status == 0);
}

/// No process can be created in a PID namespace once its first process has ended.
TEST(a_pid_namespace_for_children_stays_usable) {
    int status = -1;
    pid_t process = fork();
    if (process == 0) {
        if (unshare(CLONE_NEWUSER | CLONE_NEWPID) != 0)
            _exit(0); // not allowed here
        EXPECT(fails(write_hello, NULL, "PID namespace"));
        pid_t first = fork();
        if (first == 0)
            _exit(0);
        EXPECT(first > 0 && waitpid(first, &status, 0) == first && status == 0);
        _exit(EXPECT_STATUS());
    }
    EXPECT(waitpid(process, &status, 0) == process && status == 0);
}

static bool print(void *context, liveobj_write_fn write, void *destination) {
    (void)context;
    bool is_printed = dprintf(1, "printed\n") > 0;
    return write(destination, is_printed ? "printed" : "silent", is_printed ? 7 : 6);
}

TEST(a_snapshot_process_cannot_print) {
    EXPECT(outputs(print, NULL, "silent"));
}

// MARK: - The program does not notice

static bool write_oom_score(void *context, liveobj_write_fn write, void *destination) {
    char text[16];
    (void)context;
    size_t count = liveobj_os_file_read("/proc/self/oom_score_adj", text, sizeof text);
    return write(destination, text, count);
}

TEST(the_oom_killer_prefers_the_snapshot_process) {
    EXPECT(outputs(write_oom_score, NULL, "1000\n"));
}

TEST(a_snapshot_process_leaves_no_zombie_and_no_descriptor) {
    unsigned before = open_descriptors();
    child_signals = 0;
    signal(SIGCHLD, count_child_signal);
    EXPECT(outputs(write_hello, NULL, "hello"));
    EXPECT(fails(die, NULL, "was killed"));
    signal(SIGCHLD, SIG_DFL);
    EXPECT(child_signals == 0);
    EXPECT(open_descriptors() == before);
    EXPECT(waitpid(-1, NULL, __WALL) == -1 && errno == ECHILD);
}

static bool sleep_some(void *context, liveobj_write_fn write, void *destination) {
    (void)context;
    liveobj_os_sleep(200000000);
    return write(destination, "slept", 5);
}

static void *run_child(void *unused) {
    (void)unused;
    EXPECT(outputs(sleep_some, NULL, "slept"));
    return NULL;
}

TEST(wait_in_the_program_does_not_return_the_snapshot_process) {
    pthread_t thread;
    pthread_create(&thread, NULL, run_child, NULL);
    liveobj_os_sleep(50000000);
    EXPECT(waitpid(-1, NULL, 0) == -1 && errno == ECHILD);
    pthread_join(thread, NULL);
}

static void *run_children(void *is_over) {
    enum { CHILDREN = 40 };
    for (int i = 0; i < CHILDREN; i++)
        EXPECT(outputs(write_hello, NULL, "hello"));
    __atomic_store_n((bool *)is_over, true, __ATOMIC_RELAXED);
    return NULL;
}

/// A pipe's reader sees the end when the program closes it, also while a snapshot process is
/// created. The kernel copies the first 64 descriptors for an instant: the pipes have higher ones.
TEST(no_descriptor_is_held_open) {
    enum { FIRST = 64 };
    int fillers[FIRST], count = 0;
    while ((fillers[count] = dup(0)) >= 0 && fillers[count] < FIRST - 1)
        count++;
    bool is_over = false;
    unsigned held = 0;
    pthread_t thread;
    pthread_create(&thread, NULL, run_children, &is_over);
    while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED)) {
        int ends[2];
        char byte;
        EXPECT(pipe2(ends, O_NONBLOCK) == 0 && ends[0] >= FIRST);
        close(ends[1]);
        held += read(ends[0], &byte, 1) != 0;
        close(ends[0]);
    }
    pthread_join(thread, NULL);
    EXPECT(held == 0);
    for (int i = 0; i <= count; i++)
        close(fillers[i]);
}

TEST(the_signal_mask_is_restored) {
    sigset_t wanted, present;
    sigemptyset(&wanted);
    sigaddset(&wanted, SIGUSR1);
    sigprocmask(SIG_SETMASK, &wanted, NULL);
    EXPECT(outputs(write_hello, NULL, "hello"));
    sigprocmask(SIG_SETMASK, NULL, &present);
    EXPECT(sigismember(&present, SIGUSR1) == 1 && sigismember(&present, SIGTERM) == 0);
    sigemptyset(&wanted);
    sigprocmask(SIG_SETMASK, &wanted, NULL);
}

// MARK: - Threads

static bool is_over; // atomic

static void *churn(void *unused) {
    (void)unused;
    void *blocks[64] = {0};
    for (unsigned i = 0; !__atomic_load_n(&is_over, __ATOMIC_RELAXED); i++) {
        free(blocks[i % 64]);
        blocks[i % 64] = malloc(16 + i * 7919 % 100000);
    }
    for (unsigned i = 0; i < 64; i++)
        free(blocks[i]);
    return NULL;
}

static void allocate(void *unused) {
    (void)unused;
    free(malloc(100));
}

static bool allocate_in_steps(void *context, liveobj_write_fn write, void *destination) {
    (void)context;
    liveobj_snapshot_step(allocate, NULL); // another thread may have held the allocator's lock
    return write(destination, "went on", 7);
}

TEST(snapshot_processes_end_while_other_threads_allocate) {
    enum { THREADS = 6, CHILDREN = 300 };
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, churn, NULL);
    for (int i = 0; i < CHILDREN; i++)
        EXPECT(outputs(allocate_in_steps, NULL, "went on"));
    __atomic_store_n(&is_over, true, __ATOMIC_RELAXED);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

static void *run_on_small_stack(void *unused) {
    (void)unused;
    EXPECT(outputs(write_hello, NULL, "hello"));
    return NULL;
}

TEST(a_small_stack_is_enough) {
    enum { STACK_BYTES = 16 * 1024 };
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    EXPECT(pthread_create(&thread, &attributes, run_on_small_stack, NULL) == 0);
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
}

// MARK: - The deadline

static bool advance_forever(void *context, liveobj_write_fn write, void *destination) {
    (void)context, (void)write, (void)destination;
    for (;;)
        liveobj_snapshot_advance();
}

TEST(work_that_goes_on_is_ended_at_the_deadline) {
    static const uint64_t tenth_of_a_second = 100000000;
    struct liveobj_snapshot child = liveobj_snapshot_run(advance_forever, NULL, NULL, capacity,
                                                         liveobj_os_time() + tenth_of_a_second);
    EXPECT(child.failure && strstr(child.failure, "it took longer than"));
    liveobj_snapshot_end(&child);
    EXPECT(waitpid(-1, NULL, __WALL) == -1 && errno == ECHILD);
}
