// Stacks that the program allocated itself, as coroutine libraries do: walked while they are
// mapped.

#include "CLiveObjects.h"
#include "arch/system_call.h"
#include "os/os.h"
#include "stacks/stack_walk.h"
#include "stacks/stacks.h"
#include "support/stack_testing.h"
#include "support/switch_stack.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE_BYTES liveobj_os_page_bytes()
enum { STACK_BYTES = 64 * 1024 };

static struct liveobj_stack_cache *cache;
static uint32_t trace;
static unsigned system_calls; // to the kernel

/// Replaces the C library's, to count the recorder's system calls.
long syscall(long number, ...) {
    va_list list;
    long result, a[6];
    va_start(list, number);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(list, long);
    va_end(list);
    result = liveobj_system_call_6(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    system_calls += number == SYS_rt_sigprocmask;
    errno = result < 0 ? (int)-result : errno;
    return result < 0 ? -1 : result;
}

/// libco puts the address of a function that is never to run at the very top of a new stack. A walk
/// takes it for a return address, whose call lies in the function before: a leaf, by its table.
extern const char liveobj_never_run[];
#if defined(__x86_64__)
__asm__("liveobj_leaf:\n"
        "  .cfi_startproc\n  ret\n  .cfi_endproc\n"
        "liveobj_never_run:\n"
        "  .cfi_startproc\n  ud2\n  .cfi_endproc\n");
#elif defined(__aarch64__)
__asm__("liveobj_leaf:\n" // with a frame record, so that the walk goes on above the stack
        "  .cfi_startproc\n  .cfi_def_cfa_offset 16\n  .cfi_offset x29, -16\n"
        "  .cfi_offset x30, -8\n  ret\n  .cfi_endproc\n"
        "liveobj_never_run:\n"
        "  .cfi_startproc\n  brk #1\n  .cfi_endproc\n");
#endif

__attribute__((noinline)) static void record_trace(void) {
    struct liveobj_registers leaf = CALLER_REGISTERS();
    trace = liveobj_stack_trace_record(cache, leaf.pc, leaf.sp, leaf.fp);
}

static unsigned traces_to_record;
static char *neighbour; // a page above the stack, which goes while the coroutine runs

static void coroutine(void) {
    record_trace();
    record_trace(); // with the last trace in the cache
    if (neighbour)
        munmap(neighbour, PAGE_BYTES);
    system_calls = 0;
    for (unsigned i = 0; i < traces_to_record; i++)
        record_trace();
    liveobj_switch_back();
}

static uint32_t frames_of(uint32_t id) {
    struct liveobj_stored_trace stored = liveobj_stack_depot_get(id);
    return stored.own_frames + stored.parent_frames;
}

static char *map_memory(size_t bytes) {
    return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void run_coroutine(char *stack, const void *return_address) {
    const void **top = (const void **)(void *)(stack + STACK_BYTES);
    top[-1] = return_address;
    top[-2] = (const void *)(uintptr_t)coroutine;
    trace = 0;
    liveobj_switch_to(top - 2);
    EXPECT(trace != 0 && frames_of(trace) >= (return_address ? 2 : 1));
}

/// Nothing is above the stack.
static void *walk_a_program_stack(void *unused) {
    char *stack = map_memory(STACK_BYTES + PAGE_BYTES);
    mprotect(stack + STACK_BYTES, PAGE_BYTES, PROT_NONE);
    traces_to_record = 1;
    run_coroutine(stack, liveobj_never_run);
    munmap(stack, STACK_BYTES + PAGE_BYTES);
    return unused;
}

/// A chain of apparent frames continues in the memory above the stack, which is then unmapped.
static void walk_below_unmapped_memory(size_t apparent_frames) {
    char *stack = map_memory(STACK_BYTES + PAGE_BYTES);
    neighbour = stack + STACK_BYTES;
    for (size_t i = 0; i < apparent_frames; i++)
        ((const void **)(void *)neighbour)[i] = liveobj_never_run;
    traces_to_record = 10;
    run_coroutine(stack, liveobj_never_run);
    neighbour = NULL;
    munmap(stack, STACK_BYTES);
}

static void *walk_below_a_few_frames(void *unused) {
    walk_below_unmapped_memory(3);
    return unused;
}

static void *walk_below_a_page_of_frames(void *unused) {
    walk_below_unmapped_memory(PAGE_BYTES / sizeof(void *));
    return unused;
}

/// A stack from a pool without gaps, close below the thread's own stack.
static void *walk_in_a_stack_pool(void *unused) {
    enum { POOL_BYTES = 16 << 20, TRACES = 1000 };
    char *pool = map_memory(POOL_BYTES);
    traces_to_record = TRACES;
    record_trace();
    run_coroutine(pool, NULL);
    EXPECT(system_calls < 10);
    record_trace();
    run_coroutine(pool + STACK_BYTES, NULL);
    EXPECT(system_calls < 10);
    munmap(pool, POOL_BYTES);
    return unused;
}

/// A walk that leaves memory kills the process, so it is done in a child.
static void run_in_a_child(void *(*work)(void *), bool in_thread) {
    int status = -1;
    pid_t child = fork();
    if (child == 0) {
        liveobj_stack_depot_after_fork_child();
        pthread_t thread;
        if (in_thread && pthread_create(&thread, NULL, work, NULL) == 0)
            pthread_join(thread, NULL);
        else
            work(NULL);
        _exit(EXPECT_STATUS());
    }
    waitpid(child, &status, 0);
    EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(void) {
    cache = liveobj_os_map(sizeof *cache);
    EXPECT(liveobj_stacks_start(64, 1 << 24) != LIVEOBJ_STACKS_OFF);
    for (int in_thread = 0; in_thread < 2; in_thread++) {
        run_in_a_child(walk_a_program_stack, in_thread);
        run_in_a_child(walk_below_a_few_frames, in_thread);
        run_in_a_child(walk_below_a_page_of_frames, in_thread);
        run_in_a_child(walk_in_a_stack_pool, in_thread);
    }
    return EXPECT_STATUS();
}
