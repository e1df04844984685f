// The recorder's stack traces are libunwind's, in C code of every shape: leaf code without frame
// pointers, dynamic frames, callbacks from libc, signal handlers, another stack, threads.

#include "support/unwind_truth.h"

#include <alloca.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct truth truth;
static uint64_t compared;
static volatile unsigned sink;
static _Thread_local struct liveobj_stack_cache *cache;

/// libunwind tries memory out with a pipe of its own, from which it reads what it wrote the last
/// time; found empty, as when two threads are at it, it fails with an error.
static void empty_pipes(void) {
    struct stat status;
    char byte;
    for (int fd = 3; fd < 10; fd++)
        if (fstat(fd, &status) == 0 && S_ISFIFO(status.st_mode) && fcntl(fd, F_GETFL) & O_NONBLOCK)
            (void)!read(fd, &byte, 1);
}

static __attribute__((noinline)) void compare(void) {
    uintptr_t ours[MAX_FRAMES], theirs[MAX_FRAMES];
    struct liveobj_registers leaf = CALLER_REGISTERS();
    if (!cache)
        cache = make_cache();
    empty_pipes();
    errno = ENOTTY; // of the host: none of ours may replace it
    uint32_t id = liveobj_stack_trace_record(cache, leaf.pc, leaf.sp, leaf.fp);
    EXPECT(errno == ENOTTY);
    size_t our_count = expand(id, ours);
    size_t their_count = truth_walk(&truth, leaf, theirs);
    EXPECT(our_count > 1);
    EXPECT(liveobj_unwind_rule_find(ours[0]).kind == LIVEOBJ_UNWIND_STEP);
    our_count = truth_count(ours, our_count, their_count);
    EXPECT(our_count == their_count);
    EXPECT(memcmp(ours, theirs, our_count * sizeof ours[0]) == 0);
    compared++;
}

static __attribute__((noinline)) void recurse(unsigned depth) {
    if (depth > 0)
        recurse(depth - 1);
    compare();
    sink = depth;
}

static __attribute__((noinline)) void recurse_dynamically(unsigned depth) {
    volatile char *bytes = alloca(24 * depth + 1);
    bytes[0] = 1;
    if (depth > 0)
        recurse_dynamically(depth - 1);
    compare();
    recurse(depth % 3);
    sink = (unsigned)bytes[0];
}

static int by_value(const void *a, const void *b) {
    compare();
    return *(const int *)a - *(const int *)b;
}

static void sort(void) {
    int numbers[] = {3, 1, 4, 1, 5, 9, 2, 6};
    qsort(numbers, 8, sizeof numbers[0], by_value);
}

/// More than the cache's frames deep: the innermost frames are kept.
static __attribute__((noinline)) void recurse_deep(unsigned depth) {
    if (depth > 0) {
        recurse_deep(depth - 1);
    } else {
        uintptr_t ours[MAX_FRAMES], theirs[MAX_FRAMES];
        struct liveobj_registers leaf = CALLER_REGISTERS();
        EXPECT(expand(liveobj_stack_trace_record(cache, leaf.pc, leaf.sp, leaf.fp), ours) == 64);
        EXPECT(truth_walk(&truth, leaf, theirs) == MAX_FRAMES);
        EXPECT(memcmp(ours, theirs, 64 * sizeof ours[0]) == 0);
    }
    sink = depth;
}

static void on_signal(int number) {
    (void)number;
    recurse(3);
}

static void handle_signal(int flags) {
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = flags};
    sigaction(SIGUSR1, &action, NULL);
    raise(SIGUSR1);
}

static void handle_signal_on_another_stack(void) {
    static char bytes[256 << 10];
    stack_t stack = {.ss_sp = bytes, .ss_size = sizeof bytes};
    stack_t before;
    sigaltstack(&stack, &before);
    handle_signal(SA_ONSTACK);
    sigaltstack(&before, NULL);
}

static void *run_everything(void *argument) {
    recurse(20);
    recurse_dynamically(12);
    sort();
    recurse_deep(600);
    handle_signal(0);
    handle_signal_on_another_stack();
    recurse(20);
    return argument;
}

int main(void) {
    if (!truth_load(&truth)) {
        fprintf(stderr, "libunwind.so.8 is not installed\n");
        return 1;
    }
    EXPECT(liveobj_stacks_start(64, (uint64_t)1 << 30) == LIVEOBJ_STACKS_UNWIND);
    run_everything(NULL);
    pthread_t thread;
    pthread_create(&thread, NULL, run_everything, NULL);
    pthread_join(thread, NULL);
    EXPECT(compared > 100);
    EXPECT(liveobj_stack_depot_dropped() == 0);
    return EXPECT_STATUS();
}
