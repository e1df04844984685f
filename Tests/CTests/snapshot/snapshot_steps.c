// The steps of a snapshot process: one that fails, or makes no progress, does not end the others.

#include "CLiveObjects.h"
#include "heap/references.h"
#include "os/os.h"
#include "os/step.h"
#include "support/expect.h"
#include "support/snapshot_outputs.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

/// Ticks arrive, and the step has used no processor time in between.
static void simulate_a_busy_machine(void *context) {
    (void)context;
    for (int i = 0; i < 5; i++)
        raise(SIGALRM);
}

static bool try_without_time(void *context, liveobj_write_fn write, void *destination) {
    (void)context;
    bool is_done = liveobj_snapshot_step(simulate_a_busy_machine, NULL);
    return is_done && liveobj_snapshot_timeouts() == 0 && write(destination, "done", 4);
}

static void a_step_that_gets_no_processor_time_is_not_ended(void) {
    EXPECT(outputs(try_without_time, NULL, "done"));
}

static void crash(void *address) {
    *(volatile int *)address = 1;
}

static void give_up(void *unused) {
    (void)unused;
    abort();
}

static void loop(void *unused) {
    (void)unused;
    for (volatile int i = 0; true; i++)
        continue;
}

static void wait_for_lock(void *lock) {
    pthread_mutex_lock(lock);
}

/// The step with its own context, between two that succeed.
struct attempt {
    void (*step)(void *context);
    void *context;
};

static void succeed(void *unused) {
    (void)unused;
}

static bool try_step_between_others(void *context, liveobj_write_fn write, void *destination) {
    const struct attempt *attempt = context;
    const char *words[] = {"ended ", "done "};
    const char *first = words[liveobj_snapshot_step(succeed, NULL)];
    const char *second = words[liveobj_snapshot_step(attempt->step, attempt->context)];
    const char *third = words[liveobj_snapshot_step(succeed, NULL)];
    return write(destination, first, strlen(first)) && write(destination, second, strlen(second)) &&
           write(destination, third, strlen(third));
}

TEST(a_failing_step_does_not_end_the_others) {
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    const struct attempt attempts[] = {
        {crash, NULL}, {crash, (void *)1}, {give_up, NULL}, {loop, NULL}, {wait_for_lock, &lock}};
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < sizeof attempts / sizeof attempts[0]; i++)
        EXPECT(outputs(try_step_between_others, (void *)&attempts[i], "done ended done "));
    pthread_mutex_unlock(&lock);
}

/// What reads memory in the snapshot process may also be called in the program, before and after.
static void progress_in_the_program_is_not_counted(void) {
    liveobj_snapshot_advance();
    EXPECT(outputs(write_hello, NULL, "hello"));
    liveobj_snapshot_advance(); // the memory of the count is unmapped now
}

static void advance_for_long(void *unused) {
    (void)unused;
    for (int i = 0; i < 60; i++) {
        liveobj_os_sleep(5000000);
        liveobj_snapshot_advance();
    }
}

TEST(a_long_step_that_makes_progress_is_not_ended) {
    struct attempt attempt = {advance_for_long, NULL};
    EXPECT(outputs(try_step_between_others, &attempt, "done done done "));
}

static void ignore(void *context, const struct liveobj_reference *reference) {
    (void)context, (void)reference;
}

static const size_t buffer_bytes = 1 << 24;

/// Scans memory without references for several ticks, like that of a large buffer.
static void scan_for_long(void *buffer) {
    enum { SCANS = 256 };
    uintptr_t start = (uintptr_t)buffer;
    for (int i = 0; i < SCANS; i++)
        liveobj_references_scan(start, start + buffer_bytes, 0, ignore, NULL);
}

TEST(a_long_scan_without_references_is_not_ended) {
    struct attempt attempt = {scan_for_long, liveobj_os_map(buffer_bytes)};
    EXPECT(outputs(try_step_between_others, &attempt, "done done done "));
    liveobj_os_unmap(attempt.context, buffer_bytes);
}

static volatile unsigned deepest = 1 << 20;

static unsigned go_deeper(unsigned depth) {
    volatile char frame[4096];
    frame[0] = (char)depth;
    return depth < deepest ? go_deeper(depth + 1) + (unsigned)frame[0] : 0;
}

static void overflow(void *unused) {
    (void)unused;
    deepest += go_deeper(0);
}

TEST(a_stack_overflow_ends_only_its_step) {
    struct attempt attempt = {overflow, NULL};
    EXPECT(outputs(try_step_between_others, &attempt, "done ended done "));
}

int main(void) {
    a_step_that_gets_no_processor_time_is_not_ended();
    progress_in_the_program_is_not_counted();
    run_tests();
    return EXPECT_STATUS();
}
