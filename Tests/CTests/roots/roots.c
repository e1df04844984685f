// Roots in a process with several threads.

#include "roots/roots.h"
#include "CLiveObjects.h"
#include "os/os.h"
#include "records/records.h"
#include "records/thread.h"
#include "roots/stopped_threads.h"
#include "runtime/runtime.h"
#include "snapshot/snapshot_process.h"
#include "support/expect.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/// The roots found for one fake object, counted by kind.
struct seen {
    uint32_t counts[8];
    uint64_t place; // of the last one
};

enum {
    IN_GLOBAL,
    ON_STACK,
    ON_OTHER_STACK,
    IN_THREAD,
    IN_C,
    IN_OBJECT,
    BELOW_STACK,
    OWN,
    IN_FREED,
    IN_SLACK,
    IN_MIXED_CACHE,
    IN_HEAP_OF_PARTS,
    IN_QUEUED_WORK,
    IN_REGISTER,
    IN_SHARED,
    IN_FILE_OF_MEMORY,
    IN_READ_ONLY,
    IN_EPOLL,
    IN_CLOSED_EPOLL,
    IN_TIMER,
    OWN_SHARED,
    ON_ENDED_STACK,
    BELOW_A_JOINED_THREAD,
    IN_ENDED_VARIABLE,
    RETURNED_BY_THREAD,
    BELOW_A_STACK,
    ON_IDLE_STACK,
    FAR_BELOW_STACK,
    BEHIND_BLOCK,
    OBJECTS
};

static uintptr_t objects[OBJECTS];
static struct seen seen[OBJECTS]; // in the snapshot process, then copied here

static volatile uintptr_t global_variable;
static __thread volatile uintptr_t thread_variable;
static int gate[2]; // the other thread waits for it to close
static pid_t other_thread;

// The scan must not find the test's own copies of the addresses.
static uintptr_t hidden(uintptr_t address) {
    return ~address;
}

/// Not inlined: a copy of the address would stay in the frame of `main`.
__attribute__((noinline)) static void make_object(size_t index, size_t bytes) {
    struct liveobj_object object = {.bytes = bytes, .sequence = 1};
    object.address = (uintptr_t)calloc(1, bytes);
    objects[index] = hidden(object.address);
    liveobj_records_insert(liveobj_tls.thread, object);
}

/// Leaves an address behind the end of an object, in the same chunk: malloc may return 16 bytes
/// more than were requested, with the contents of a previous allocation.
static void leave_in_slack(void) {
    enum { OBJECT_BYTES = 24, CHUNK_BYTES = 40, WORD_IN_SLACK = 3 };
    uintptr_t *words = malloc(CHUNK_BYTES);
    words[WORD_IN_SLACK] = hidden(objects[IN_SLACK]);
    struct liveobj_object object = {
        .address = (uintptr_t)words, .bytes = OBJECT_BYTES, .sequence = 1};
    liveobj_records_insert(liveobj_tls.thread, object);
}

void *_NSConcreteMallocBlock[4]; // the recorder looks for it

/// Leaves an address behind a block, in the same chunk.
static void leave_behind_block(void) {
    enum { BLOCK_BYTES = 48, WORDS = BLOCK_BYTES / sizeof(uintptr_t) };
    static const uintptr_t descriptor[] = {0, BLOCK_BYTES};
    volatile uintptr_t *block = calloc(WORDS + 1, sizeof *block); // volatile: nobody reads it
    block[0] = (uintptr_t)_NSConcreteMallocBlock;
    block[3] = (uintptr_t)descriptor;
    block[WORDS] = hidden(objects[BEHIND_BLOCK]);
}

static void note_root(void *context, const struct liveobj_root *root) {
    (void)context;
    for (size_t i = 0; i < OBJECTS; i++)
        if (hidden(objects[i]) == root->target) {
            seen[i].counts[root->kind]++;
            seen[i].place = root->place;
        }
}

static bool scan(void *context, liveobj_write_fn write, void *destination) {
    static const struct liveobj_task_memory none;
    static const struct liveobj_suspects no_suspects;
    return liveobj_roots_place_stacks(context) &&
           liveobj_roots_scan(context, &none, &no_suspects, note_root, NULL) == 0 &&
           write(destination, seen, sizeof seen);
}

__attribute__((noinline)) static void scan_in_snapshot(uintptr_t stack_pointer) {
    struct liveobj_roots roots;
    // Registers are stored as complements, like the objects' addresses here.
    struct liveobj_caller_context entry = {.stack_pointer = stack_pointer,
                                           .registers = {objects[IN_REGISTER]}};
    EXPECT(!liveobj_roots_find(&roots, &entry));
    struct liveobj_snapshot child =
        liveobj_snapshot_run(scan, &roots.threads, &roots, 1 << 20, UINT64_MAX);
    EXPECT(roots.threads.count == 2 && roots.threads.is_complete);
    EXPECT(!liveobj_roots_miss_stacks(&roots));
    EXPECT(!child.failure && child.count == sizeof seen);
    if (child.count == sizeof seen)
        memcpy(seen, child.bytes, sizeof seen);
    liveobj_snapshot_end(&child);
    liveobj_roots_end(&roots);
}

static void *hold_on_stack_and_wait(void *unused) {
    volatile uintptr_t held = hidden(objects[ON_OTHER_STACK]);
    char byte;
    thread_variable = hidden(objects[IN_THREAD]);
    __atomic_store_n(&other_thread, gettid(), __ATOMIC_RELEASE);
    EXPECT(read(gate[0], &byte, 1) == 0);
    EXPECT(held == hidden(objects[ON_OTHER_STACK]));
    return unused;
}

/// Holds an object below the stack pointer that is passed as the program's.
__attribute__((noinline)) static void scan_from_own_frames(uintptr_t stack_pointer) {
    volatile uintptr_t own = hidden(objects[BELOW_STACK]);
    scan_in_snapshot(stack_pointer);
    EXPECT(own == hidden(objects[BELOW_STACK]));
}

__attribute__((noinline)) static void hold_and_scan(void) {
    volatile uintptr_t held = hidden(objects[ON_STACK]);
    scan_from_own_frames((uintptr_t)&held);
    EXPECT(held == hidden(objects[ON_STACK]));
}

/// \returns whether the object was found once, as this kind.
static bool is_found(size_t index, enum liveobj_root_kind kind) {
    uint32_t total = 0;
    for (size_t i = 0; i < 8; i++)
        total += seen[index].counts[i];
    return total == 1 && seen[index].counts[kind] == 1;
}

static bool is_not_found(size_t index) {
    struct seen none = {0};
    return memcmp(&seen[index], &none, sizeof none) == 0;
}

/// A call with a frame of which it touches the lowest word alone: above it is memory without pages.
__attribute__((noinline)) static void leave_far_below_stack(size_t bytes) {
    char frame[bytes];
    __asm__ volatile("" ::"r"(frame)); // the compiler would make the frame smaller
    *(volatile uintptr_t *)(void *)frame = hidden(objects[FAR_BELOW_STACK]);
}

static uintptr_t *c_memory;

static uintptr_t *map_page(int flags, int file) {
    void *page = mmap(NULL, LIVEOBJ_PAGE_BYTES, PROT_READ | PROT_WRITE, flags, file, 0);
    EXPECT(page != MAP_FAILED);
    return page;
}

/// Memory that is not private, or not writable any more.
static void add_unusual_roots(void) {
    uintptr_t *own_shared = liveobj_os_map_shared(LIVEOBJ_PAGE_BYTES);
    int file = (int)syscall(SYS_memfd_create, "references", 0);
    EXPECT(ftruncate(file, LIVEOBJ_PAGE_BYTES) == 0);
    uintptr_t *read_only = map_page(MAP_PRIVATE | MAP_ANONYMOUS, -1);
    map_page(MAP_SHARED | MAP_ANONYMOUS, -1)[0] = hidden(objects[IN_SHARED]);
    map_page(MAP_PRIVATE, file)[0] = hidden(objects[IN_FILE_OF_MEMORY]);
    read_only[0] = hidden(objects[IN_READ_ONLY]);
    EXPECT(mprotect(read_only, LIVEOBJ_PAGE_BYTES, PROT_READ) == 0);
    own_shared[0] = hidden(objects[OWN_SHARED]);
}

/// Registers the object with a new epoll. \returns its descriptor.
static int add_to_epoll(size_t object) {
    int epoll = epoll_create1(EPOLL_CLOEXEC), watched = eventfd(0, EFD_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = hidden(objects[object])};
    EXPECT(epoll_ctl(epoll, EPOLL_CTL_ADD, watched, &event) == 0);
    explicit_bzero(&event, sizeof event);
    return epoll;
}

static void add_to_timer(size_t object) {
    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    event.sigev_value.sival_ptr = (void *)hidden(objects[object]);
    EXPECT(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
    explicit_bzero(&event, sizeof event);
}

/// Words that no memory of the process has.
static void leave_in_kernel(void) {
    add_to_epoll(IN_EPOLL);
    EXPECT(close(add_to_epoll(IN_CLOSED_EPOLL)) == 0);
    add_to_timer(IN_TIMER);
}

static void add_roots(void) {
    uintptr_t *own_memory = liveobj_os_map(LIVEOBJ_PAGE_BYTES);
    c_memory = malloc(64);
    global_variable = hidden(objects[IN_GLOBAL]);
    c_memory[3] = hidden(objects[IN_C]) | UINT64_C(0xf000000000000002); // spare bits of an enum
    own_memory[0] = hidden(objects[OWN]);
    ((uintptr_t *)hidden(objects[IN_C]))[2] = hidden(objects[IN_OBJECT]);
}

/// Frees more chunks than a thread caches, of sizes that the C library keeps in different lists.
static void leave_in_freed_memory(size_t object) {
    enum { PIECES = 40, STEP = 48 };
    volatile uintptr_t *pieces[PIECES]; // volatile: keeps the stores before free
    for (size_t i = 0; i < PIECES; i++) {
        pieces[i] = malloc(64 + i % 4 * STEP);
        pieces[i][3] = hidden(objects[object]);
    }
    for (size_t i = 0; i < PIECES; i++)
        free((void *)pieces[i]);
}

/// The system lists a heap in parts if these have different properties: glibc 2.43 asks for huge
/// pages for a part of each on aarch64.
static void *leave_in_heap_of_parts(void *unused) {
    enum { BYTES = 100 << 10 };
    uintptr_t page = liveobj_os_page_bytes();
    uintptr_t block = (uintptr_t)malloc(BYTES);
    leave_in_freed_memory(IN_HEAP_OF_PARTS);
    EXPECT(madvise((void *)(block & ~(page - 1)), page, MADV_DONTDUMP) == 0);
    return unused;
}

/// In a thread, because the main thread's heap has another form.
static void run(void *(*action)(void *)) {
    pthread_t thread;
    EXPECT(pthread_create(&thread, NULL, action, NULL) == 0);
    pthread_join(thread, NULL);
}

enum { CACHED_BYTES = 640 };

static void *allocate_in_own_heap(void *unused) {
    (void)unused;
    return malloc(CACHED_BYTES);
}

/// Frees a chunk while the first one in the thread's cache is of another thread's heap.
static void leave_in_mixed_cache(void) {
    pthread_t thread;
    void *foreign;
    volatile uintptr_t *words = malloc(CACHED_BYTES); // volatile: keeps the store before free
    pthread_create(&thread, NULL, allocate_in_own_heap, NULL);
    pthread_join(thread, &foreign);
    words[3] = hidden(objects[IN_MIXED_CACHE]);
    free(foreign);
    free((void *)words);
}

/// Has libdispatch's layout: flags, priority, next, voucher, function, context.
static uintptr_t *make_continuation(uintptr_t priority, uintptr_t *next, size_t object) {
    uintptr_t *words = calloc(8, sizeof *words);
    words[0] = 0x104;
    words[1] = priority;
    words[2] = (uintptr_t)next;
    words[4] = (uintptr_t)free;
    words[5] = object < OBJECTS ? hidden(objects[object]) : 0;
    return words;
}

/// The head of a queue.
static __thread uintptr_t *volatile queue;

/// The continuations were cached before: old counts are in the field of the priority.
static void leave_in_queue(void) {
    enum { MEMBERS = 4 };
    for (uintptr_t count = 1; count <= MEMBERS; count++)
        queue = make_continuation(count, queue, count == MEMBERS ? IN_QUEUED_WORK : OBJECTS);
}

/// Reserves more than there is memory: only touched pages may be read.
static void reserve_too_much(void) {
    enum { TOUCHED = 1 << 30 };
    char *sparse = mmap(NULL, (size_t)1 << 38, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    EXPECT(sparse != MAP_FAILED);
    sparse[TOUCHED] = 1;
}

/// Leaves a word on the stack and one in a variable, and returns another one.
static void *leave_on_stack(void *unused) {
    volatile uintptr_t words[8];
    (void)unused;
    thread_variable = hidden(objects[IN_ENDED_VARIABLE]);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        words[i] = hidden(objects[ON_ENDED_STACK]);
    return (void *)hidden(objects[RETURNED_BY_THREAD]);
}

static void count_thread(void *context, uint32_t thread) {
    (void)thread;
    ++*(uint32_t *)context;
}

static void *leave_another_on_stack(void *unused) {
    (void)unused;
    volatile uintptr_t words[] = {hidden(objects[BELOW_A_JOINED_THREAD])};
    return (void *)(words[0] & 1); // an address is even
}

/// The C library keeps the stack of a thread that has ended, and marks those that were joined.
static pthread_t end_a_thread(void) {
    pthread_t thread, joined;
    uint32_t count;
    EXPECT(pthread_create(&joined, NULL, leave_another_on_stack, NULL) == 0);
    EXPECT(pthread_create(&thread, NULL, leave_on_stack, NULL) == 0);
    pthread_join(joined, NULL);
    do {
        count = 0;
        liveobj_os_visit_threads(count_thread, &count);
    } while (count != 1);
    return thread;
}

static pthread_t start_other_thread(void) {
    enum { A_MOMENT = 50000, STACK_BYTES = 1 << 20 };
    pthread_t thread;
    pthread_attr_t attributes;
    // As the system places memory and stacks since glibc 2.42: in one mapping.
    char *memory = mmap(NULL, (size_t)2 * STACK_BYTES, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    EXPECT(memory != MAP_FAILED);
    // In one huge page, no untouched memory would be between the stack and what is below it.
    EXPECT(madvise(memory, (size_t)2 * STACK_BYTES, MADV_NOHUGEPAGE) == 0);
    *(volatile uintptr_t *)(void *)memory = hidden(objects[BELOW_A_STACK]);
    // The head of an empty list looks much like a thread's control block.
    uintptr_t *head = (uintptr_t *)(void *)(memory + 64);
    head[-1] = head[0] = head[1] = head[2] = (uintptr_t)head;
    EXPECT(pipe(gate) == 0);
    pthread_attr_init(&attributes);
    EXPECT(pthread_attr_setstack(&attributes, memory + STACK_BYTES, STACK_BYTES) == 0);
    pthread_create(&thread, &attributes, hold_on_stack_and_wait, NULL);
    pthread_attr_destroy(&attributes);
    while (!__atomic_load_n(&other_thread, __ATOMIC_ACQUIRE))
        usleep(A_MOMENT);
    while (!liveobj_thread_state_of(other_thread).stack_pointer)
        usleep(A_MOMENT); // until it waits
    return thread;
}

static sem_t work;

/// A thread that waits in libc, on a stack full of words of its last work.
static pthread_t start_idle_thread(void) {
    enum { STACK_BYTES = 256 * 1024, USED_BYTES = 248 * 1024, A_MOMENT = 50000 };
    pthread_t thread;
    pthread_attr_t attributes;
    uintptr_t *stack =
        mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (size_t i = 0; i < USED_BYTES / sizeof *stack; i++)
        stack[i] = hidden(objects[ON_IDLE_STACK]);
    sem_init(&work, 0, 0);
    pthread_attr_init(&attributes);
    EXPECT(pthread_attr_setstack(&attributes, stack, STACK_BYTES) == 0);
    pthread_create(&thread, &attributes, (void *(*)(void *))(uintptr_t)sem_wait, &work);
    pthread_attr_destroy(&attributes);
    usleep(A_MOMENT);
    return thread;
}

static void roots_are_found_and_distinguished(void) {
    EXPECT(is_found(IN_GLOBAL, LIVEOBJ_ROOT_GLOBAL));
    EXPECT(seen[IN_GLOBAL].place == (uintptr_t)&global_variable);
    EXPECT(seen[ON_STACK].counts[LIVEOBJ_ROOT_STACK] > 0);
    EXPECT(seen[ON_STACK].place == (uint64_t)getpid());
    EXPECT(seen[ON_OTHER_STACK].counts[LIVEOBJ_ROOT_STACK] > 0);
    EXPECT(seen[ON_OTHER_STACK].place == (uint64_t)other_thread);
    EXPECT(is_found(IN_C, LIVEOBJ_ROOT_C_MEMORY));
    EXPECT(seen[IN_C].place == (uintptr_t)&c_memory[3]);
    EXPECT(is_found(IN_QUEUED_WORK, LIVEOBJ_ROOT_C_MEMORY));
    EXPECT(is_found(IN_REGISTER, LIVEOBJ_ROOT_STACK));
    EXPECT(is_found(IN_SHARED, LIVEOBJ_ROOT_C_MEMORY));
    EXPECT(is_found(IN_FILE_OF_MEMORY, LIVEOBJ_ROOT_C_MEMORY));
    EXPECT(is_found(IN_READ_ONLY, LIVEOBJ_ROOT_C_MEMORY));
    EXPECT(is_found(IN_EPOLL, LIVEOBJ_ROOT_C_MEMORY));
    EXPECT(is_found(IN_TIMER, LIVEOBJ_ROOT_C_MEMORY));
    EXPECT(seen[RETURNED_BY_THREAD].counts[LIVEOBJ_ROOT_C_MEMORY] > 0);
    EXPECT(is_found(BELOW_A_STACK, LIVEOBJ_ROOT_C_MEMORY));
    EXPECT(is_found(IN_THREAD, LIVEOBJ_ROOT_THREAD_LOCAL));
    EXPECT(seen[IN_THREAD].place == (uint64_t)other_thread);
}

static void words_outside_of_roots_are_not_found(void) {
    EXPECT(is_not_found(IN_OBJECT));
    EXPECT(is_not_found(BELOW_STACK));
    EXPECT(is_not_found(OWN));
    EXPECT(is_not_found(OWN_SHARED));
    EXPECT(is_not_found(IN_FREED));
    EXPECT(is_not_found(IN_SLACK));
    EXPECT(is_not_found(IN_MIXED_CACHE));
    EXPECT(is_not_found(IN_HEAP_OF_PARTS));
    EXPECT(is_not_found(IN_CLOSED_EPOLL));
    EXPECT(is_not_found(ON_ENDED_STACK));
    EXPECT(is_not_found(BELOW_A_JOINED_THREAD));
    EXPECT(is_not_found(IN_ENDED_VARIABLE));
    EXPECT(is_not_found(ON_IDLE_STACK));
    EXPECT(is_not_found(FAR_BELOW_STACK));
    EXPECT(is_not_found(BEHIND_BLOCK));
}

int main(void) {
    enum { FRAME_BYTES = 512 << 10 };
    EXPECT(liveobj_threads_start() && liveobj_records_start(1 << 16));
    EXPECT(liveobj_thread_attach() != NULL);
    liveobj_runtime_find();
    for (size_t i = 0; i < OBJECTS; i++)
        make_object(i, 64);
    add_roots();
    add_unusual_roots();
    leave_in_kernel();
    leave_in_freed_memory(IN_FREED);
    run(leave_in_heap_of_parts);
    leave_in_slack();
    leave_behind_block();
    leave_far_below_stack(FRAME_BYTES);
    leave_in_mixed_cache();
    leave_in_queue();
    reserve_too_much();
    pthread_t ended = end_a_thread();
    pthread_t thread = start_other_thread(), idle = start_idle_thread();
    hold_and_scan();
    roots_are_found_and_distinguished();
    words_outside_of_roots_are_not_found();
    close(gate[1]);
    pthread_join(thread, NULL);
    pthread_join(ended, NULL);
    sem_post(&work);
    pthread_join(idle, NULL);
    return EXPECT_STATUS();
}
