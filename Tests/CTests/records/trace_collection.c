// Stack traces of dead objects are dropped, and those of live objects stay what was walked, while
// threads allocate with ever new stacks and do the work, others read, and the recorder stays within
// its budget.
//
// An object's size is the checksum of the return addresses that were walked, so that whoever reads
// a record and its trace can tell whether they belong together.

#include "records/trace_collection.h"
#include "os/arena.h"
#include "records/records.h"
#include "records/thread.h"
#include "support/stack_testing.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    BUDGET = 32 << 20,
    SPACE = 4 << 20,
    BASE = 0x10000000,
    METADATA = 0x10000,
    THREADS = 4,
    LIVE = 400, // objects of a thread
    DEPTH = 16,
    COLLECTIONS = 10,
};

// MARK: - Objects with stack traces

static uint32_t checksum_of(uint32_t stack) {
    uintptr_t frames[MAX_FRAMES];
    size_t count = expand(stack, frames);
    uint64_t sum = count;
    for (size_t i = 0; i < count; i++)
        sum = (sum ^ frames[i]) * 0x9e3779b97f4a7c15;
    return (uint32_t)(sum >> 32) | 1;
}

/// Never in use by another object of the test at the same time.
static uintptr_t address_of(unsigned thread, unsigned number) {
    return BASE + ((uintptr_t)thread * LIVE + number) * 48;
}

static void deallocate(struct liveobj_thread *thread, uintptr_t address) {
    uint32_t *slot = liveobj_records_slot(address);
    if (slot)
        liveobj_records_remove(thread, slot);
}

/// Steps of a hook: gets the trace, stores it with the object and with one of its retains.
static __attribute__((noinline)) void allocate(struct liveobj_thread *thread, uintptr_t address) {
    struct liveobj_registers caller = CALLER_REGISTERS();
    liveobj_traces_begin(thread);
    uint32_t stack = liveobj_stack_trace_record(thread->stacks, caller.pc, caller.sp, caller.fp);
    uint32_t checksum = stack ? checksum_of(stack) : 0;
    liveobj_records_insert(thread,
                           (struct liveobj_object){.address = address,
                                                   .metadata = METADATA,
                                                   .bytes = checksum,
                                                   .sequence = liveobj_sequence_next(thread),
                                                   .stack = stack});
    liveobj_ledger_add(*liveobj_records_slot(address), stack, checksum, 0);
    liveobj_traces_end(thread);
    liveobj_traces_advance_if_due();
}

static __thread volatile unsigned sink; // after a call: keeps it from becoming a jump

static void go_left(struct liveobj_thread *thread, uintptr_t address, uint32_t way, unsigned depth);

/// The stack depends on the way: a bit for each frame.
static __attribute__((noinline)) void go(struct liveobj_thread *thread, uintptr_t address,
                                         uint32_t way, unsigned depth) {
    if (depth == 0)
        allocate(thread, address);
    else if (way & 1)
        go_left(thread, address, way >> 1, depth - 1);
    else
        go(thread, address, way >> 1, depth - 1);
    sink = depth;
}

static __attribute__((noinline)) void go_left(struct liveobj_thread *thread, uintptr_t address,
                                              uint32_t way, unsigned depth) {
    go(thread, address, way, depth);
    sink = depth;
}

static struct liveobj_thread *attach(void) {
    struct liveobj_thread *thread = liveobj_thread_attach();
    if (!thread->stacks)
        thread->stacks = make_cache();
    return thread;
}

// MARK: - What must be true

struct expectation {
    uint32_t checksum;
    unsigned sites;
};

static void check_site(void *context, uint32_t stack, uint32_t retains, uint32_t releases) {
    struct expectation *expected = context;
    expected->sites++;
    EXPECT(stack && checksum_of(stack) == retains && retains == expected->checksum);
    EXPECT(releases == 0);
}

struct result {
    unsigned live;
    unsigned untraced; // their traces were dropped and counted
};

/// The trace and the call sites of an object are those that were walked.
static void check(struct result *result, uint32_t index, bool with_sites) {
    struct liveobj_object object;
    if (!liveobj_records_get(index, &object))
        return;
    EXPECT(!liveobj_stack_depot_has(object.stack) || checksum_of(object.stack) == object.bytes);
    struct expectation expected = {(uint32_t)object.bytes, 0};
    if (with_sites && object.stack)
        liveobj_ledger_visit(index, check_site, &expected);
    EXPECT(!with_sites || !object.stack || expected.sites == 1);
    result->live++;
    result->untraced += object.stack == 0;
}

static struct result check_all(bool with_sites) {
    struct result result = {0, 0};
    for (uint32_t index = 1; index < liveobj_records_end(); index++)
        check(&result, index, with_sites);
    return result;
}

static bool all_have_traces(unsigned live) {
    struct result result = check_all(true);
    return result.live == live && result.untraced == 0;
}

static uint32_t round_now(void) {
    return __atomic_load_n(&liveobj_stack_depot_round, __ATOMIC_ACQUIRE);
}

// MARK: - One thread

enum { MANY = 1 << 20 };

/// Replaces an object again and again, with ever new stacks, until rounds have begun.
/// \returns false if they have not after so many new stacks.
static bool churn(struct liveobj_thread *thread, uint32_t rounds, uint32_t most) {
    static uint32_t way = LIVE; // of one thread at a time
    uint32_t first = round_now(), last = way + most;
    while (round_now() - first < rounds && way < last) {
        deallocate(thread, address_of(0, 0));
        go(thread, address_of(0, 0), way++, DEPTH);
    }
    return way < last;
}

static void traces_of_dead_objects_are_dropped(struct liveobj_thread *thread) {
    for (unsigned i = 0; i < LIVE; i++)
        go(thread, address_of(0, i), i, DEPTH);
    for (unsigned i = 0; i < COLLECTIONS; i++) {
        EXPECT(churn(thread, 1, MANY));
        EXPECT(bytes_in_memory() < BUDGET);
        EXPECT(all_have_traces(LIVE));
    }
}

static void traces_are_found_again_after_a_collection(struct liveobj_thread *thread) {
    struct liveobj_object a, b;
    for (volatile unsigned i = 0; i < 2; i++) // volatile: one call, not two
        go(thread, address_of(1, i), 5, DEPTH);
    EXPECT(liveobj_records_find(address_of(1, 0), &a) &&
           liveobj_records_find(address_of(1, 1), &b));
    EXPECT(a.stack == b.stack);
}

static void a_holder_keeps_a_collection_from_advancing(struct liveobj_thread *thread) {
    enum { TO_NEXT_ROUND = 40000 };
    liveobj_traces_hold();
    EXPECT(!churn(thread, 1, TO_NEXT_ROUND));
    EXPECT(check_all(true).live == LIVE + 2);
    liveobj_traces_release();
    EXPECT(churn(thread, 2, MANY));
}

static void *churn_for_two_rounds(void *has_begun) {
    *(bool *)has_begun = churn(attach(), 2, MANY / 8);
    return NULL;
}

/// As if a signal handler went on for long: the round that begins meanwhile does not end.
static void a_thread_in_a_hook_is_waited_for(struct liveobj_thread *thread) {
    bool has_begun = true;
    pthread_t other;
    liveobj_traces_begin(thread);
    pthread_create(&other, NULL, churn_for_two_rounds, &has_begun);
    pthread_join(other, NULL);
    EXPECT(!has_begun);
    liveobj_traces_end(thread);
    EXPECT(churn(thread, 2, MANY));
}

static void deallocate_all(struct liveobj_thread *thread) {
    for (unsigned i = 0; i < THREADS * LIVE; i++)
        deallocate(thread, address_of(0, i));
}

// MARK: - Many threads

static uint32_t last_round;
static uint64_t deadline;

/// After some time as well: on a busy machine, threads that read often keep others from collecting.
static bool is_over(void) {
    return round_now() >= last_round || liveobj_os_time() > deadline;
}

static void *allocate_and_deallocate(void *argument) {
    unsigned number = (unsigned)(uintptr_t)argument;
    struct liveobj_thread *thread = attach();
    uint64_t state = number + 1;
    for (unsigned round = 0; round < LIVE || !is_over(); round++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        unsigned object = round < LIVE ? round : (unsigned)(state >> 32) % LIVE;
        uint64_t dropped = liveobj_stack_depot_dropped();
        deallocate(thread, address_of(number, object));
        go(thread, address_of(number, object), (uint32_t)(state >> 40), DEPTH);
        if (liveobj_stack_depot_dropped() != dropped)
            usleep(300); // so that few traces are dropped
    }
    return NULL;
}

/// In the child of a fork, in the middle of a collection too, no trace is another object's.
/// ThreadSanitizer does not work in the child of a process with threads.
static void check_in_child(void) {
#if !defined(__has_feature) || !__has_feature(thread_sanitizer)
    int status = -1;
    pid_t child = fork();
    if (child == 0) {
        liveobj_stack_depot_after_fork_child();
        check_all(false);
        _exit(EXPECT_STATUS());
    }
    EXPECT(waitpid(child, &status, 0) == child && status == 0);
#endif
}

static void *read_all_the_time(void *most) {
    while (!is_over()) {
        uint64_t bytes = bytes_in_memory();
        *(uint64_t *)most = bytes > *(uint64_t *)most ? bytes : *(uint64_t *)most;
        liveobj_traces_hold();
        check_all(false); // an object without its retain yet may be among them
        liveobj_traces_release();
        check_in_child();
        usleep(1000);
    }
    return NULL;
}

static void run_threads(void) {
    pthread_t threads[THREADS];
    for (uintptr_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, allocate_and_deallocate, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

static void every_trace_is_right_while_threads_allocate_and_traces_are_collected(void) {
    static const uint64_t patience = 20000000000;
    pthread_t reader;
    uint64_t most = 0;
    uint32_t first = round_now();
    last_round = first + COLLECTIONS;
    deadline = liveobj_os_time() + patience;
    pthread_create(&reader, NULL, read_all_the_time, &most);
    run_threads();
    pthread_join(reader, NULL);
    struct result result = check_all(true);
    EXPECT(result.live == THREADS * LIVE);
    EXPECT(result.untraced < result.live);
    EXPECT(most < BUDGET);
    EXPECT(round_now() > first);
    printf("%u rounds, ", round_now() - first);
    printf("%u objects, %u without a trace, %llu KB at most\n", result.live, result.untraced,
           (unsigned long long)most >> 10);
}

static void the_page_map_is_measured(struct liveobj_thread *thread) {
    enum { PAGES = 64 };
    uint64_t before = liveobj_records_map_bytes();
    // Each address is in another page of the map, in which a slot stands for 32 bytes or less.
    for (uintptr_t i = 0; i < PAGES; i++)
        go(thread, BASE + ((uintptr_t)1 << 30) + i * 8 * liveobj_os_page_bytes(), 0, 1);
    EXPECT(liveobj_records_map_bytes() >= before + PAGES * liveobj_os_page_bytes());
    EXPECT(liveobj_records_map_bytes() < before + 2 * (PAGES + 1) * liveobj_os_page_bytes());
    for (uintptr_t i = 0; i < PAGES; i++)
        deallocate(thread, BASE + ((uintptr_t)1 << 30) + i * 8 * liveobj_os_page_bytes());
}

int main(void) {
    liveobj_os_read_limits();
    EXPECT(liveobj_os_set_budget(BUDGET) == BUDGET);
    EXPECT(liveobj_threads_start() && liveobj_stack_depot_start_prepaid(2 * SPACE));
    EXPECT(liveobj_records_start(1 << 20));
    EXPECT(liveobj_ledger_start(liveobj_records_limit(), liveobj_records_room(), NULL));
    EXPECT(liveobj_stacks_start(64, SPACE) != LIVEOBJ_STACKS_OFF);
    struct liveobj_thread *thread = attach();
    traces_of_dead_objects_are_dropped(thread);
    traces_are_found_again_after_a_collection(thread);
    EXPECT(liveobj_stack_depot_dropped() == 0);
    a_holder_keeps_a_collection_from_advancing(thread);
    a_thread_in_a_hook_is_waited_for(thread);
    deallocate_all(thread);
    the_page_map_is_measured(thread);
    every_trace_is_right_while_threads_allocate_and_traces_are_collected();
    return EXPECT_STATUS();
}
