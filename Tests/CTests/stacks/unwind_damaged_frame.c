// A trace ends at a frame that is damaged, behind a signal frame too. It must not read what the
// damaged frame points to.

#include "CLiveObjects.h"
#include "stacks/stacks.h"
#include "support/stack_testing.h"

#include <signal.h>

static struct liveobj_stack_cache *cache;
static uint32_t trace;

static void record_trace(int signal) {
    (void)signal;
    struct liveobj_registers leaf = CALLER_REGISTERS();
    trace = liveobj_stack_trace_record(cache, leaf.pc, leaf.sp, leaf.fp);
}

void liveobj_raise(void);
void liveobj_raise(void) {
    raise(SIGTRAP);
}

/// Raises a signal with `record` as its frame record.
void liveobj_stop_in_frame(const uintptr_t *record);

/// A return address in a function whose frame is found by the frame pointer. Hidden: GNU ld gives a
/// local symbol the wrong GOT entry on aarch64.
__attribute__((visibility("hidden"))) extern const char liveobj_place_in_caller[];

#if defined(__x86_64__)
__asm__("liveobj_stop_in_frame:\n"
        "  .cfi_startproc\n"
        "  push %rbp\n  mov %rdi, %rbp\n"
        "  .cfi_def_cfa %rbp, 16\n  .cfi_offset %rbp, -16\n"
        "  call liveobj_raise\n  pop %rbp\n"
        "  .cfi_def_cfa %rsp, 8\n  ret\n"
        "  .cfi_endproc\n"
        "liveobj_caller:\n"
        "  .cfi_startproc\n"
        "  .cfi_def_cfa %rbp, 16\n  .cfi_offset %rbp, -16\n"
        "  nop\nliveobj_place_in_caller:\n  nop\n"
        "  .cfi_endproc\n");
#elif defined(__aarch64__)
__asm__("liveobj_stop_in_frame:\n"
        "  .cfi_startproc\n"
        "  stp x29, x30, [sp, #-16]!\n  mov x29, x0\n"
        "  .cfi_def_cfa x29, 16\n  .cfi_offset x29, -16\n  .cfi_offset x30, -8\n"
        "  bl liveobj_raise\n  ldp x29, x30, [sp], #16\n"
        "  .cfi_def_cfa sp, 0\n  ret\n"
        "  .cfi_endproc\n"
        "liveobj_caller:\n"
        "  .cfi_startproc\n"
        "  .cfi_def_cfa x29, 16\n  .cfi_offset x29, -16\n  .cfi_offset x30, -8\n"
        "  nop\nliveobj_place_in_caller:\n  nop\n"
        "  .cfi_endproc\n");
#endif

/// The caller's frame pointer is no address. Not sanitized: the record must be on the stack.
__attribute__((no_sanitize("address"))) static void a_damaged_frame_ends_the_trace(void) {
    uintptr_t found[MAX_FRAMES];
    const uintptr_t place = (uintptr_t)liveobj_place_in_caller;
    const _Alignas(16) uintptr_t record[] = {5, place};
    signal(SIGTRAP, record_trace);
    liveobj_stop_in_frame(record);
    size_t count = expand(trace, found);
    EXPECT(count > 2 && found[count - 1] == place);
}

int main(void) {
    cache = make_cache();
    EXPECT(liveobj_stacks_start(64, 1 << 24) != LIVEOBJ_STACKS_OFF);
    a_damaged_frame_ends_the_trace();
    return EXPECT_STATUS();
}
