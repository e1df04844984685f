// Captures with references in a running program: threads that allocate and free, two threads that
// capture at once, and forks.

#include "CLiveObjects.h"
#include "support/capture_sections.h"
#include "support/expect.h"
#include "support/fake_runtime.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef FAKE_RUNTIME_CAN_BE_WATCHED

enum { GRAPH_READ = 1, GRAPH_NOT_READ = 2 };

/// Metadata of a closure context without reflection metadata: all its words are scanned.
static const struct {
    uintptr_t kind;
    uint32_t offset_to_first_capture;
    const void *captures;
} context_metadata = {0x400, 16, NULL};

static void **make_object(size_t bytes) {
    void **object = swift_allocObject(&context_metadata, bytes, 15);
    memset(object + 1, 0, bytes - sizeof *object);
    object[1] = (void *)3; // reference counts as the runtime makes them
    return object;
}

// MARK: - Reading captures

static uint32_t capture_state(void) {
    struct liveobj_buffer capture = liveobj_capture_to_memory(0, LIVEOBJ_CONTENTS_GRAPH);
    uint32_t state = section_word(section_find(capture, "GRPH"), 0);
    EXPECT(section_find(capture, "END!").count == sizeof(uint64_t));
    liveobj_buffer_free(capture);
    return state;
}

// MARK: - References

static void *held; // a global variable

TEST(a_capture_contains_references_and_roots) {
    uint64_t since = liveobj_mark();
    void **first = make_object(32), **second = make_object(32);
    first[2] = second;
    held = first;
    struct liveobj_buffer capture = liveobj_capture_to_memory(since, LIVEOBJ_CONTENTS_GRAPH);
    EXPECT(section_word(section_find(capture, "GRPH"), 0) == GRAPH_READ);
    EXPECT(section_find(capture, "OBJS").count == 2 * 48);
    EXPECT(section_find(capture, "REFS").count == 20);
    EXPECT(section_word(section_find(capture, "REFS"), 0) == 0 &&
           section_word(section_find(capture, "REFS"), 1) == 1);
    EXPECT(section_word(section_find(capture, "ROOT"), 0) == 1 &&
           section_word(section_find(capture, "ROOT"), 1) == 0);
    liveobj_buffer_free(capture);
}

TEST(a_capture_without_references_contains_only_new_objects) {
    uint64_t since = liveobj_mark();
    make_object(32);
    struct liveobj_buffer capture = liveobj_capture_to_memory(since, LIVEOBJ_CONTENTS_OBJECTS);
    EXPECT(section_find(capture, "GRPH").bytes == NULL);
    EXPECT(section_find(capture, "OBJS").count == 48);
    liveobj_buffer_free(capture);
}

// MARK: - Other threads

static bool is_over; // atomic

static bool should_continue(void) {
    return !__atomic_load_n(&is_over, __ATOMIC_RELAXED);
}

static void *churn(void *unused) {
    enum { KEPT = 256, MOST_BYTES = 4096 };
    void **objects[KEPT] = {0};
    (void)unused;
    for (unsigned i = 0; should_continue(); i++) {
        void ***object = &objects[i % KEPT];
        if (*object)
            swift_slowDealloc(*object, 0, 0);
        *object = make_object(32 + i * 7919 % MOST_BYTES);
        (*object)[2] = objects[i * 31 % KEPT];
    }
    return NULL;
}

static void *capture_many(void *count) {
    for (unsigned i = 0; i < *(unsigned *)count; i++)
        EXPECT(capture_state() == GRAPH_READ);
    return NULL;
}

static void *capture_when_cancelled(void *is_captured) {
    pthread_cancel(pthread_self());
    *(bool *)is_captured = capture_state() == GRAPH_READ;
    pthread_testcancel();
    return is_captured;
}

TEST(a_cancelled_thread_ends_after_its_capture) {
    pthread_t thread;
    bool is_captured = false;
    void *result = NULL;
    pthread_create(&thread, NULL, capture_when_cancelled, &is_captured);
    pthread_join(thread, &result);
    EXPECT(is_captured && result == PTHREAD_CANCELED);
}

/// A fork may happen while another thread holds the lock for reading references. No thread releases
/// it in the child then, which must report that.
static bool a_forked_child_captures(void) {
    int status = -1;
    pid_t process = fork();
    if (process == 0) {
        uint32_t state = capture_state();
        _exit(state == GRAPH_READ || state == GRAPH_NOT_READ ? EXPECT_STATUS() : 1);
    }
    return waitpid(process, &status, 0) == process && status == 0;
}

static void captures_and_forks_run_concurrently(unsigned count) {
    enum { CHURNING = 6, CAPTURING = 2, FORKS = 20 };
    pthread_t threads[CHURNING + CAPTURING];
    for (int i = 0; i < CHURNING; i++)
        pthread_create(&threads[i], NULL, churn, NULL);
    for (int i = CHURNING; i < CHURNING + CAPTURING; i++)
        pthread_create(&threads[i], NULL, capture_many, &count);
    for (int i = 0; i < FORKS; i++)
        EXPECT(a_forked_child_captures());
    for (int i = CHURNING; i < CHURNING + CAPTURING; i++)
        pthread_join(threads[i], NULL);
    __atomic_store_n(&is_over, true, __ATOMIC_RELAXED);
    for (int i = 0; i < CHURNING; i++)
        pthread_join(threads[i], NULL);
    EXPECT(waitpid(-1, NULL, __WALL) == -1 && errno == ECHILD);
}

/// An argument asks for more captures than a test has time for.
int main(int argument_count, char **arguments) {
    struct liveobj_settings settings = liveobj_settings_default();
    settings.hook_mode = LIVEOBJ_HOOKS_GOT;
    settings.stacks = false;
    EXPECT(liveobj_start(&settings) == LIVEOBJ_STATE_TRACKING);
    run_tests();
    captures_and_forks_run_concurrently(
        argument_count > 1 ? (unsigned)strtoul(arguments[1], NULL, 10) : 50);
    return EXPECT_STATUS();
}

#endif
