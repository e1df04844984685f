// Whether other threads are parked, if they must get a processor first.

#define _GNU_SOURCE
#include "roots/idle_threads.h"
#include "os/os.h"
#include "records/records.h"
#include "records/thread.h"
#include "support/expect.h"
#include "support/switch_stack.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/// Restricts the process to one processor.
static void stay_on_one_processor(void) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET((size_t)sched_getcpu(), &one);
    EXPECT(sched_setaffinity(0, sizeof one, &one) == 0);
}

static pid_t start_busy_process(void) {
    pid_t process = fork();
    if (process == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;)
            ;
    }
    return process;
}

static void schedule(int policy) {
    EXPECT(sched_setscheduler(0, policy, &(struct sched_param){0}) == 0);
}

static uint32_t has_run; // atomic

static void run_until(uint64_t time) {
    while (liveobj_os_thread_time(liveobj_os_thread_id()) < time)
        continue;
}

/// Runs for a while before and after it sets `has_run`. Then the thread waits, or ends.
static void run_on(int signal) {
    enum { A_WHILE = 3000000, LONGER = 4000000 };
    (void)signal;
    run_until(A_WHILE);
    __atomic_store_n(&has_run, 1, __ATOMIC_RELEASE);
    run_until(LONGER);
}

/// Starts a thread that gets the processor only once in a while.
static void start_starved_thread(void) {
    enum { A_MOMENT = 200 };
    pthread_t thread;
    signal(SIGUSR1, run_on);
    schedule(SCHED_IDLE); // which the thread inherits
    pthread_create(&thread, NULL, (void *(*)(void *))(uintptr_t)pause, NULL);
    schedule(SCHED_OTHER);
    pthread_kill(thread, SIGUSR1);
    while (!__atomic_load_n(&has_run, __ATOMIC_ACQUIRE))
        usleep(A_MOMENT);
}

static void note_other_thread(void *context, uint32_t thread) {
    if (thread != (uint32_t)getpid())
        liveobj_idle_threads_add(context, thread);
}

static bool is_waited_for_when_starved(void) {
    struct liveobj_idle_threads idle = {0};
    pid_t busy = start_busy_process();
    start_starved_thread();
    liveobj_idle_threads_let_settle();
    liveobj_os_visit_threads(note_other_thread, &idle);
    bool is_parked = liveobj_idle_threads_idleness(&idle) == LIVEOBJ_WAITED_FOR_WORK;
    kill(busy, SIGKILL);
    waitpid(busy, NULL, 0);
    return is_parked;
}

/// A virtual machine that was not running meanwhile charges its threads with the time, so that one
/// that has done nothing seems to have run. It does not happen every time.
static void settling_waits_for_a_starved_thread(void) {
    enum { ATTEMPTS = 5 };
    int status = -1;
    for (int i = 0; i < ATTEMPTS && status != 0; i++) {
        pid_t process = fork();
        if (process == 0)
            _exit(is_waited_for_when_starved() ? 0 : 1);
        EXPECT(waitpid(process, &status, 0) == process);
    }
    EXPECT(status == 0);
}

/// Whether the thread that waits can be cancelled. If not, glibc 2.43 saves nothing on aarch64
/// before it makes the system call.
static bool is_cancelable = true;

/// Waits in libc, on a stack without frames: `sigwait` returns to an address in libc that is no
/// code. It waits for what the top of the stack contains, and its frame has room that it leaves as
/// it is.
static void *wait_without_frames(void *top) {
    pthread_setcancelstate(is_cancelable ? PTHREAD_CANCEL_ENABLE : PTHREAD_CANCEL_DISABLE, NULL);
    ((uintptr_t *)top)[-1] = (uintptr_t)stdout;
    ((uintptr_t *)top)[-2] = (uintptr_t)sigwait;
    liveobj_switch_to((uintptr_t *)top - 2);
    return NULL;
}

/// Whether a thread without frames is parked whose outermost frame is that far away. Its stack is
/// full of old words that point to code, of which some remain in the frames of libc.
static bool is_parked_with_an_end_behind(size_t bytes) {
    enum { STACK_BYTES = 64 * 1024, MEMORY_BYTES = 1 << 20, A_MOMENT = 200 };
    struct liveobj_idle_threads idle = {0};
    pthread_t thread;
    char *memory =
        mmap(NULL, MEMORY_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uintptr_t place = 0, start = (uintptr_t)memory;
    for (uintptr_t *word = (void *)memory; (char *)word < memory + STACK_BYTES; word++)
        *word = (uintptr_t)is_parked_with_an_end_behind;
    *(uintptr_t *)(void *)(memory + STACK_BYTES + bytes) = getauxval(AT_ENTRY) + 4;
    pthread_create(&thread, NULL, wait_without_frames, memory + STACK_BYTES);
    for (; place < start || place > start + STACK_BYTES; usleep(A_MOMENT)) {
        idle.count = 0;
        liveobj_os_visit_threads(note_other_thread, &idle);
        place = idle.count ? liveobj_thread_state_of(idle.items[0].thread).stack_pointer : 0;
    }
    liveobj_idle_threads_let_settle();
    idle.count = 0;
    liveobj_os_visit_threads(note_other_thread, &idle);
    return liveobj_idle_threads_idleness(&idle) == LIVEOBJ_WAITED_FOR_WORK;
}

/// The same in a process of its own, because the threads stay.
static bool is_parked_in_fork(size_t bytes) {
    int status = -1;
    pid_t process = fork();
    if (process == 0)
        _exit(is_parked_with_an_end_behind(bytes) ? 0 : 1);
    EXPECT(waitpid(process, &status, 0) == process && WIFEXITED(status));
    return status == 0;
}

enum { NEAR = 64 * 1024, FAR = 512 * 1024 };

/// All memory behind the stack may be mapped, up to terabytes of it.
static void the_search_for_the_outermost_frame_has_an_end(void) {
    EXPECT(is_parked_in_fork(NEAR));
    EXPECT(!is_parked_in_fork(FAR));
}

/// As the main thread waits under Swift Testing, which has ended it.
static void a_thread_that_cannot_be_cancelled_is_parked(void) {
    is_cancelable = false;
    EXPECT(is_parked_in_fork(NEAR));
}

static volatile bool is_over;

static void *run(void *unused) {
    while (!is_over)
        continue;
    return unused;
}

static void settling_gives_up_on_a_running_thread(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    liveobj_idle_threads_let_settle(); // returns
    is_over = true;
    pthread_join(thread, NULL);
}

static void thread_time_is_processor_time(void) {
    enum { MILLISECOND = 1000000, NO_THREAD = 0x3fffff };
    uint32_t own = liveobj_os_thread_id();
    uint64_t begun = liveobj_os_time(), start = liveobj_os_thread_time(own);
    while (liveobj_os_thread_time(own) - start < MILLISECOND)
        continue;
    EXPECT(liveobj_os_time() - begun >= MILLISECOND);
    EXPECT(liveobj_os_thread_time(NO_THREAD) == UINT64_MAX);
}

int main(void) {
    EXPECT(liveobj_threads_start() && liveobj_records_start(1 << 16));
    EXPECT(liveobj_thread_attach() != NULL);
    thread_time_is_processor_time();
    the_search_for_the_outermost_frame_has_an_end();
    a_thread_that_cannot_be_cancelled_is_parked();
    settling_gives_up_on_a_running_thread();
    stay_on_one_processor();
    settling_waits_for_a_starved_thread();
    return EXPECT_STATUS();
}
