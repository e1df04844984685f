// Frames that no unwind rule passes. Those that gcc and the kernel make are passed; a row that is
// wrong, or has an expression that neither makes, ends the trace: it is not evaluated, since it may
// read any memory or never end.

#include "CLiveObjects.h"
#include "arch/unwind.h"
#include "stacks/stacks.h"
#include "support/stack_testing.h"

#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

// MARK: - Frames
//
// A frame calls `function` with `argument`. Its CFA is also in a word of its own, as in a frame
// that gcc has realigned. `rules` replace its unwind rules; `code` runs before the call.

typedef void frame(void (*function)(void *, void *), void *argument);

#if defined(__x86_64__)
#define FRAME(name, rules, code)                                                                   \
    __asm__(".text\n.type " #name ", @function\n" #name ":\n  .cfi_startproc\n"                    \
            "  push %rbp\n  mov %rsp, %rbp\n  lea 16(%rbp), %rax\n  push %rax\n  push %rax\n"      \
            "  .cfi_def_cfa %rbp, 16\n  .cfi_offset %rbp, -16\n" rules                             \
            "  mov %rdi, %rax\n  mov %rsi, %rdi\n" code                                            \
            "  call *%rax\n  add $16, %rsp\n  pop %rbp\n  ret\n  .cfi_endproc\n"                   \
            ".size " #name ", . - " #name "\n");                                                   \
    __attribute__((visibility("hidden"))) frame name
#define FP "6"
#define BREG_FP "0x76"
#define PLACE_OF_CFA "0x78" // -8
#define RETURN "16"
#define CFA_BY_SP "  .cfi_def_cfa %rsp, 32\n"
#define CFA_BY_ANOTHER "  .cfi_def_cfa %rbx, 16\n"
#define DAMAGE_FP "  mov $0x1234567890, %rbp\n"
#elif defined(__aarch64__)
#define FRAME(name, rules, code)                                                                   \
    __asm__(".text\n.type " #name ", @function\n" #name ":\n  .cfi_startproc\n"                    \
            "  stp x29, x30, [sp, #-32]!\n  mov x29, sp\n  add x9, x29, #32\n"                     \
            "  str x9, [x29, #16]\n  .cfi_def_cfa x29, 32\n"                                       \
            "  .cfi_offset x29, -32\n  .cfi_offset x30, -24\n" rules                               \
            "  mov x9, x0\n  mov x0, x1\n" code                                                    \
            "  blr x9\n  ldp x29, x30, [sp], #32\n  ret\n  .cfi_endproc\n"                         \
            ".size " #name ", . - " #name "\n");                                                   \
    __attribute__((visibility("hidden"))) frame name
#define FP "29"
#define BREG_FP "0x8d"
#define PLACE_OF_CFA "16"
#define RETURN "30"
#define CFA_BY_SP "  .cfi_def_cfa sp, 32\n"
#define CFA_BY_ANOTHER "  .cfi_def_cfa x19, 16\n"
#define DAMAGE_FP "  mov x29, #0x5670\n  movk x29, #0x1234, lsl #16\n"
#endif

#define CFA_EXPRESSION(bytes) "  .cfi_escape 0x0f, " bytes "\n"
#define FP_EXPRESSION(bytes) "  .cfi_escape 0x10, " FP ", " bytes "\n"
#define REALIGNED                                                                                  \
    CFA_EXPRESSION("3, " BREG_FP ", " PLACE_OF_CFA ", 6") FP_EXPRESSION("2, " BREG_FP ", 0")

FRAME(realigned, REALIGNED, "");
/// Its rules do not say that it uses the frame pointer for something else.
FRAME(thunk, CFA_BY_SP "  .cfi_same_value " FP "\n", DAMAGE_FP);
FRAME(endless, CFA_EXPRESSION("3, 0x2f, 0xfd, 0xff"), ""); // DW_OP_skip -3
FRAME(read_twice, CFA_EXPRESSION("4, " BREG_FP ", " PLACE_OF_CFA ", 6, 6"), "");
FRAME(read_at_zero, CFA_EXPRESSION("3, 0x08, 0, 6"), ""); // DW_OP_const1u 0, deref
FRAME(cut_short, CFA_EXPRESSION("1, " BREG_FP), "");
FRAME(by_another_register, CFA_BY_ANOTHER, "");
FRAME(return_by_expression, "  .cfi_escape 0x10, " RETURN ", 3, 0x2f, 0xfd, 0xff\n", "");
FRAME(return_by_value, "  .cfi_escape 0x16, " RETURN ", 3, 0x2f, 0xfd, 0xff\n", "");
FRAME(fp_by_expression, FP_EXPRESSION("3, 0x2f, 0xfd, 0xff"), "");
FRAME(fp_by_value, "  .cfi_escape 0x16, " FP ", 3, 0x08, 0, 6\n", "");

// MARK: - Traces

static struct liveobj_stack_cache *cache;
static uintptr_t addresses[MAX_FRAMES];
static size_t count;

__attribute__((noinline)) static void record(void *unused, void *unused_too) {
    struct liveobj_registers leaf = CALLER_REGISTERS();
    (void)unused, (void)unused_too;
    count = expand(liveobj_stack_trace_record(cache, leaf.pc, leaf.sp, leaf.fp), addresses);
}

static void on_signal(int signal, siginfo_t *info, void *context) {
    (void)signal, (void)info, (void)context;
    record(NULL, NULL);
}

static void record_in_handler(void *unused, void *unused_too) {
    (void)unused, (void)unused_too;
    raise(SIGUSR1);
}

static void handle(int signal, void (*action)(int, siginfo_t *, void *)) {
    enum { STACK_BYTES = 64 << 10 };
    static char bytes[STACK_BYTES];
    stack_t stack = {.ss_sp = bytes, .ss_size = sizeof bytes};
    sigaltstack(&stack, NULL);
    sigaction(signal, &(struct sigaction){.sa_sigaction = action, .sa_flags = SA_ONSTACK}, NULL);
}

static bool ends_in(frame *function) {
    uintptr_t start = (uintptr_t)function;
    return count > 0 && addresses[count - 1] > start && addresses[count - 1] < start + 64;
}

static bool is_complete(void) {
    uintptr_t root = addresses[count - 1];
    record(NULL, NULL);
    return addresses[count - 1] == root;
}

/// Twice: the second time with the last trace in the cache.
static bool trace_ends_in(frame *function) {
    function(record, NULL);
    bool ends = ends_in(function);
    function(record, NULL);
    ends = ends && ends_in(function);
    function(record_in_handler, NULL);
    return ends && ends_in(function);
}

static bool trace_is_complete(frame *function) {
    function(record, NULL);
    bool complete = is_complete();
    function(record, NULL);
    complete = complete && is_complete();
    function(record_in_handler, NULL);
    return complete && is_complete();
}

TEST(a_realigned_frame_is_passed) {
    EXPECT(trace_is_complete(realigned));
}

TEST(a_wrong_rule_ends_the_trace) {
    realigned((void (*)(void *, void *))thunk, (void *)(uintptr_t)record);
    EXPECT(ends_in(realigned));
    realigned((void (*)(void *, void *))thunk, (void *)(uintptr_t)record_in_handler);
    EXPECT(ends_in(realigned));
}

TEST(another_expression_ends_the_trace) {
    EXPECT(trace_ends_in(endless));
    EXPECT(trace_ends_in(read_twice));
    EXPECT(trace_ends_in(read_at_zero));
    EXPECT(trace_ends_in(cut_short));
    EXPECT(trace_ends_in(by_another_register));
    EXPECT(trace_ends_in(return_by_expression));
    EXPECT(trace_ends_in(return_by_value));
}

/// The caller is found by the stack pointer; further out a frame may need the frame pointer.
TEST(a_lost_frame_pointer_does_not_end_the_trace) {
    EXPECT(!trace_ends_in(fp_by_expression));
    EXPECT(!trace_ends_in(fp_by_value));
}

// MARK: - The code that a signal interrupts

/// Traps at `at_trap`, with a stack pointer that is no stack.
extern const char at_trap[] __attribute__((visibility("hidden")));
void trap_without_stack(void *no_stack) __attribute__((visibility("hidden")));
#if defined(__x86_64__)
__asm__("trap_without_stack:\n  .cfi_startproc\n"
        "  mov %rsp, %rax\n  mov %rdi, %rsp\nat_trap:\n  ud2\n  mov %rax, %rsp\n  ret\n"
        "  .cfi_endproc\n");
enum { TRAP_BYTES = 2 };
#define PC_OF(context) (context)->uc_mcontext.gregs[REG_RIP]
#elif defined(__aarch64__)
__asm__("trap_without_stack:\n  .cfi_startproc\n"
        "  mov x9, sp\n  mov sp, x0\nat_trap:\n  .inst 0\n  mov sp, x9\n  ret\n"
        "  .cfi_endproc\n");
enum { TRAP_BYTES = 4 };
#define PC_OF(context) (context)->uc_mcontext.pc
#endif

static void on_trap(int signal, siginfo_t *info, void *context) {
    ucontext_t *interrupted = context;
    on_signal(signal, info, context);
    PC_OF(interrupted) += TRAP_BYTES;
}

TEST(a_stack_that_cannot_be_read_ends_the_trace) {
    const size_t bytes = 1 << 16;
    char *unreadable = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    handle(SIGILL, on_trap);
    trap_without_stack(unreadable + bytes / 2);
    EXPECT(count > 2 && addresses[count - 1] == (uintptr_t)at_trap + LIVEOBJ_CODE_UNIT);
    trap_without_stack((void *)(UINTPTR_MAX & ~(uintptr_t)15)); // the last word of memory
    EXPECT(count > 2 && addresses[count - 1] == (uintptr_t)at_trap + LIVEOBJ_CODE_UNIT);
    munmap(unreadable, bytes);
}

/// A function that has saved nothing yet: its return address is where the call left it.
void trap_at_start(void) __attribute__((visibility("hidden")));
#if defined(__x86_64__)
__asm__("trap_at_start:\n  .cfi_startproc\n  ud2\n  ret\n  .cfi_endproc\n");
#elif defined(__aarch64__)
__asm__("trap_at_start:\n  .cfi_startproc\n  .inst 0\n  ret\n  .cfi_endproc\n");
#endif

TEST(the_first_instruction_of_a_function_is_passed) {
    trap_at_start();
    EXPECT(is_complete());
}

#if defined(__x86_64__)
/// The rule of GNU ld for entries of a procedure linkage table: one word more from byte 11 on.
void liveobj_plt(void) __attribute__((visibility("hidden")));
__asm__(".p2align 4\nliveobj_plt:\n  .cfi_startproc\n"
        "  .cfi_escape 0x0f, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22\n"
        "  ud2\n  nop\n  nop\n  nop\n  nop\n  push $5\n  .byte 0x66, 0x90, 0x66, 0x90\n"
        "  nop\n  ud2\n  pop %rax\n  ret\n  .cfi_endproc\n");

static unsigned traps;

static void on_trap_in_plt(int signal, siginfo_t *info, void *context) {
    on_trap(signal, info, context);
    traps += is_complete();
}

static void an_entry_of_a_linkage_table_is_passed(void) {
    handle(SIGILL, on_trap_in_plt);
    liveobj_plt();
    EXPECT(traps == 2);
}
#else
static void an_entry_of_a_linkage_table_is_passed(void) {}
#endif

int main(void) {
    cache = make_cache();
    EXPECT(liveobj_stacks_start(64, 1 << 24) != LIVEOBJ_STACKS_OFF);
    handle(SIGUSR1, on_signal);
    run_tests();
    an_entry_of_a_linkage_table_is_passed();
    return EXPECT_STATUS();
}
