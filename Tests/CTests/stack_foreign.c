// Stacks that the program made itself, as coroutine libraries do: walked as far as they are memory.

#define _GNU_SOURCE
#include "stacks.h"
#include "support/expect.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__x86_64__)

enum { STACK_BYTES = 64 * 1024, PAGE_BYTES = 4096 };

static struct liveobj_stack_cache *cache;
static uint32_t trace;

/// libco puts the address of a function that is never to run at the very top of a new stack. A walk
/// takes it for a return address, whose call lies in the function before: a leaf, by its table.
void liveobj_switch_to(void *stack_pointer);
void liveobj_switch_back(void);
extern const char liveobj_never_run[];
__asm__(".local saved_stack_pointer\n"
        ".comm saved_stack_pointer, 8, 8\n"
        "liveobj_switch_to:\n"
        "  push %rbp\n  push %rbx\n  push %r12\n  push %r13\n  push %r14\n  push %r15\n"
        "  mov %rsp, saved_stack_pointer(%rip)\n"
        "  mov %rdi, %rsp\n"
        "  ret\n"
        "liveobj_switch_back:\n"
        "  mov saved_stack_pointer(%rip), %rsp\n"
        "  pop %r15\n  pop %r14\n  pop %r13\n  pop %r12\n  pop %rbx\n  pop %rbp\n"
        "  ret\n"
        "liveobj_leaf:\n"
        "  .cfi_startproc\n  ret\n  .cfi_endproc\n"
        "liveobj_never_run:\n"
        "  .cfi_startproc\n  ud2\n  .cfi_endproc\n");

__attribute__((noinline)) static void record_trace(void) {
    const uintptr_t *frame = __builtin_frame_address(0);
    trace = liveobj_stack_trace_record(cache, frame[1], (uintptr_t)(frame + 2), frame[0]);
}

static void coroutine(void) {
    record_trace();
    record_trace(); // with the last trace in the cache
    liveobj_switch_back();
}

/// Runs the coroutine on a stack with nothing above it.
static void *walk_a_foreign_stack(void *unused) {
    char *start = mmap(NULL, STACK_BYTES + PAGE_BYTES, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(start + STACK_BYTES, PAGE_BYTES, PROT_NONE);
    const void **top = (const void **)(void *)(start + STACK_BYTES);
    top[-1] = liveobj_never_run;
    top[-2] = (const void *)(uintptr_t)coroutine;
    trace = 0;
    liveobj_switch_to(top - 2);
    EXPECT(trace != 0);
    EXPECT(liveobj_stack_depot_get(trace).own_frames >= 2);
    munmap(start, STACK_BYTES + PAGE_BYTES);
    return unused;
}

/// A walk that leaves memory kills the process, so it is done in a child.
static void in_a_child(bool in_thread) {
    int status = -1;
    pid_t child = fork();
    if (child == 0) {
        pthread_t thread;
        if (in_thread && pthread_create(&thread, NULL, walk_a_foreign_stack, NULL) == 0)
            pthread_join(thread, NULL);
        else
            walk_a_foreign_stack(NULL);
        _exit(EXPECT_STATUS());
    }
    waitpid(child, &status, 0);
    EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(void) {
    cache = liveobj_os_map(liveobj_stack_cache_bytes());
    EXPECT(liveobj_stacks_start(64, 1 << 24) != LIVEOBJ_STACKS_OFF);
    in_a_child(false);
    in_a_child(true);
    return EXPECT_STATUS();
}

#else

int main(void) {
    return 0; // no unwind tables are read on this machine
}

#endif
