// Stack traces of tasks continue with the functions that wait, wherever the running function keeps
// its context. The code here is as compilers write it for the runtime and for tasks.

#include "CLiveObjects.h"
#include "arch/unwind.h"
#include "stacks/stacks.h"
#include "support/stack_testing.h"

#include <sys/mman.h>

/// An asynchronous function's context.
struct context {
    _Alignas(16) const struct context *caller;
    const void *resume;
};

/// What the runtime runs, with its layout.
struct task {
    uintptr_t other[7];
    void (*function)(void);
    const struct context *context;
};

/// Calls the task's function as the runtime does, with the context in its register.
void liveobj_test_run(const struct task *task);
/// Keeps its context in its frame, and calls `liveobj_test_record` with another value in the
/// register.
void liveobj_test_with_frame(void);
/// Keeps its context in the register, which a function that it calls saves and changes.
void liveobj_test_with_saved_register(void);
/// Keeps its context in the register.
void liveobj_test_with_register(void);

// GNU ld for aarch64 loses the offset of a local function whose address is taken.
#define FUNCTION(name) "  .globl " name "\n  .hidden " name "\n" name ":\n  .cfi_startproc\n"

// clang-format off
#if defined(__x86_64__)
#define FRAME                                                                                      \
    "  push %rbp\n  .cfi_def_cfa_offset 16\n  .cfi_offset %rbp, -16\n"
#define END_OF_FRAME "  pop %rbp\n  .cfi_def_cfa %rsp, 8\n  ret\n  .cfi_endproc\n"
#define FRAME_POINTER "  mov %rsp, %rbp\n  .cfi_def_cfa_register %rbp\n"
__asm__(
    FUNCTION("liveobj_test_run") FRAME FRAME_POINTER
    "  push %r14\n  .cfi_offset %r14, -24\n  sub $8, %rsp\n"
    "  mov 0x40(%rdi), %r14\n  call *0x38(%rdi)\n"
    "  add $8, %rsp\n  pop %r14\n"
    END_OF_FRAME
    FUNCTION("liveobj_test_with_frame") FRAME
    "  push %r14\n  lea 8(%rsp), %rbp\n  .cfi_def_cfa %rbp, 16\n  sub $8, %rsp\n"
    "  xor %r14d, %r14d\n  call liveobj_test_record\n"
    "  add $8, %rsp\n  pop %r14\n"
    END_OF_FRAME
    FUNCTION("liveobj_test_change_register") FRAME FRAME_POINTER
    "  push %r14\n  .cfi_offset %r14, -24\n  sub $8, %rsp\n"
    "  xor %r14d, %r14d\n  call liveobj_test_record\n"
    "  add $8, %rsp\n  pop %r14\n"
    END_OF_FRAME
    FUNCTION("liveobj_test_with_saved_register") FRAME FRAME_POINTER
    "  call liveobj_test_change_register\n"
    END_OF_FRAME
    FUNCTION("liveobj_test_with_register") FRAME FRAME_POINTER
    "  call liveobj_test_record\n"
    END_OF_FRAME);
#elif defined(__aarch64__)
#define FRAME(bytes)                                                                               \
    "  stp x29, x30, [sp, #-" #bytes "]!\n  .cfi_def_cfa_offset " #bytes                           \
    "\n  .cfi_offset x29, -" #bytes "\n  .cfi_offset x30, 8-" #bytes                               \
    "\n  mov x29, sp\n  .cfi_def_cfa x29, " #bytes "\n"
#define END_OF_FRAME(bytes)                                                                        \
    "  ldp x29, x30, [sp], #" #bytes "\n  .cfi_def_cfa sp, 0\n  ret\n  .cfi_endproc\n"
__asm__(
    FUNCTION("liveobj_test_run") FRAME(32)
    "  str x22, [sp, #16]\n  .cfi_offset x22, -16\n"
    "  ldp x8, x22, [x0, #0x38]\n  blr x8\n"
    "  ldr x22, [sp, #16]\n"
    END_OF_FRAME(32)
    FUNCTION("liveobj_test_with_frame")
    "  sub sp, sp, #48\n  .cfi_def_cfa_offset 48\n  stp x29, x30, [sp, #32]\n"
    "  str x22, [sp, #24]\n  add x29, sp, #32\n"
    "  .cfi_def_cfa x29, 16\n  .cfi_offset x29, -16\n  .cfi_offset x30, -8\n"
    "  mov x22, #0\n  bl liveobj_test_record\n"
    "  ldp x29, x30, [sp, #32]\n  add sp, sp, #48\n  .cfi_def_cfa sp, 0\n  ret\n"
    "  .cfi_endproc\n"
    FUNCTION("liveobj_test_change_register") FRAME(32)
    "  str x22, [sp, #16]\n  .cfi_offset x22, -16\n"
    "  mov x22, #0\n  bl liveobj_test_record\n"
    "  ldr x22, [sp, #16]\n"
    END_OF_FRAME(32)
    FUNCTION("liveobj_test_with_saved_register") FRAME(16)
    "  bl liveobj_test_change_register\n"
    END_OF_FRAME(16)
    FUNCTION("liveobj_test_with_register") FRAME(16)
    "  bl liveobj_test_record\n"
    END_OF_FRAME(16));
#endif
// clang-format on

static struct liveobj_stack_cache *cache;
static uint32_t trace;

__attribute__((noinline, visibility("hidden"))) void liveobj_test_record(void) {
    struct liveobj_registers caller = CALLER_REGISTERS();
    trace = liveobj_stack_trace_record(cache, caller.pc, caller.sp, caller.fp);
}

static void resume_first(void) {
    EXPECT(cache);
}

static void resume_second(void) {
    EXPECT(trace);
}

static void end_task(void) {
    EXPECT(cache && trace);
}

/// \param own_frames Of the task's running functions.
static void callers_follow_the_frames_of(void (*function)(void), size_t own_frames) {
    const struct context first = {NULL, (const void *)(uintptr_t)end_task};
    const struct context second = {&first, (const void *)(uintptr_t)resume_second};
    const struct context own = {&second, (const void *)(uintptr_t)resume_first};
    const struct task task = {{0}, function, &own};
    uintptr_t found[MAX_FRAMES];
    trace = 0;
    liveobj_test_run(&task);
    size_t count = expand(trace, found);
    EXPECT(count == own_frames + 2);
    EXPECT(found[own_frames] == (uintptr_t)resume_first + LIVEOBJ_CODE_UNIT);
    EXPECT(found[own_frames + 1] == (uintptr_t)resume_second + LIVEOBJ_CODE_UNIT);
}

static void what_the_register_has_is_not_read_once_it_is_unmapped(void) {
    void *memory = mmap(NULL, LIVEOBJ_PAGE_BYTES, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const struct task task = {{0}, liveobj_test_with_register, memory};
    liveobj_test_run(&task);
    uint32_t while_mapped = trace;
    munmap(memory, LIVEOBJ_PAGE_BYTES);
    trace = 0;
    liveobj_test_run(&task);
    EXPECT(trace != 0 && trace == while_mapped); // the callers are unknown
}

// MARK: - Memory of the running task

enum { RUNNING_TASK = 0x5000 };
static uintptr_t asked_for;
static bool runs_task;

LIVEOBJ_HOOK static uintptr_t running_task(void) {
    return runs_task ? RUNNING_TASK : 0;
}

LIVEOBJ_HOOK static bool note_address(uintptr_t task, uintptr_t address) {
    asked_for = task == RUNNING_TASK ? address : 0;
    return true;
}

static void what_the_task_owns_is_not_asked_of_the_kernel(void) {
    static const struct context only = {NULL, (const void *)(uintptr_t)end_task};
    const struct task task = {{0}, liveobj_test_with_register, &only};
    runs_task = true;
    liveobj_test_run(&task);
    EXPECT(asked_for == (uintptr_t)&only);
}

/// As when the running function has given its task to another executor.
static void nothing_is_known_of_a_task_that_runs_no_more(void) {
    void *memory = mmap(NULL, LIVEOBJ_PAGE_BYTES, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const struct task task = {{0}, liveobj_test_with_frame, memory};
    runs_task = true;
    liveobj_test_run(&task); // keeps the page
    munmap(memory, LIVEOBJ_PAGE_BYTES);
    runs_task = false;
    trace = 0;
    liveobj_test_run(&task);
    EXPECT(trace != 0);
}

int main(void) {
    cache = make_cache();
    EXPECT(liveobj_stacks_start(64, 1 << 24) != LIVEOBJ_STACKS_OFF);
    callers_follow_the_frames_of(liveobj_test_with_frame, 1);
    callers_follow_the_frames_of(liveobj_test_with_saved_register, 2);
    callers_follow_the_frames_of(liveobj_test_with_register, 1);
    what_the_register_has_is_not_read_once_it_is_unmapped();
    liveobj_stacks_set_tasks(running_task, note_address);
    what_the_task_owns_is_not_asked_of_the_kernel();
    nothing_is_known_of_a_task_that_runs_no_more();
    return EXPECT_STATUS();
}
