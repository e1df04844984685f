// registers_aarch64.h - see registers.h, which includes it.

#pragma once

/// The record lies anywhere in the hook's frame, so the caller's stack pointer does not follow from
/// it.
struct liveobj_hook_frame {
    const uintptr_t *record;
    uintptr_t sp;
};

// At a function's entry the stack pointer is the caller's. __builtin_dwarf_cfa() is that value with
// gcc, and another one with clang.
#if defined(__clang__)
#define LIVEOBJ_ENTRY_SP() ((uintptr_t)__builtin_sponentry())
#else
#define LIVEOBJ_ENTRY_SP() ((uintptr_t)__builtin_dwarf_cfa())
#endif
#define LIVEOBJ_HOOK_FRAME()                                                                       \
    ((struct liveobj_hook_frame){__builtin_frame_address(0), LIVEOBJ_ENTRY_SP()})

static inline uintptr_t liveobj_hook_frame_sp(struct liveobj_hook_frame frame) {
    return frame.sp;
}

/// Code compiled with pointer authentication signs the return addresses that it stores, in the bits
/// that no address has with this kernel: from bit 39 on, 42, 47, 48 or 52. The processor knows them
/// (`xpaclri`, which does nothing where it does not sign).
static inline uintptr_t liveobj_code_address(uintptr_t word) {
    register uintptr_t address __asm__("x30") = word;
    __asm__("hint #7" : "+r"(address));
    return address & (LIVEOBJ_ADDRESS_END - 1);
}

static inline __attribute__((always_inline)) void liveobj_registers_save(uintptr_t *words) {
    __asm__ volatile("stp x19, x20, [%0]\n"
                     "stp x21, x22, [%0, 16]\n"
                     "stp x23, x24, [%0, 32]\n"
                     "stp x25, x26, [%0, 48]\n"
                     "stp x27, x28, [%0, 64]\n"
                     :
                     : "r"(words)
                     : "memory");
}

static inline __attribute__((always_inline)) void
liveobj_registers_read(uintptr_t *pc, uintptr_t *sp, uintptr_t *fp, uintptr_t *context) {
    // Into memory: an output register could be the one that is to be read.
    __asm__ volatile("str x22, %3\n\t"
                     "mov x16, sp\n\t"
                     "str x16, %1\n\t"
                     "str x29, %2\n\t"
                     "adr x16, .\n\t"
                     "str x16, %0"
                     : "=m"(*pc), "=m"(*sp), "=m"(*fp), "=m"(*context)
                     :
                     : "x16");
}

// MARK: - A stopped thread

static inline uintptr_t liveobj_stopped_pc(const struct user_regs_struct *registers) {
    return registers->pc;
}

static inline uintptr_t liveobj_stopped_sp(const struct user_regs_struct *registers) {
    return registers->sp;
}

static inline uintptr_t liveobj_stopped_fp(const struct user_regs_struct *registers) {
    return registers->regs[29];
}

static inline uintptr_t liveobj_stopped_link(const struct user_regs_struct *registers) {
    return liveobj_code_address(registers->regs[30]);
}

/// The thread is behind the instruction of a call, or at it if the kernel starts the call again.
static inline long liveobj_stopped_call(const struct user_regs_struct *registers) {
    enum { CALL = 0xd4000001, NUMBER = 8 }; // svc #0; x8
    const uint32_t *code = (const uint32_t *)registers->pc;
    return code[0] == CALL || code[-1] == CALL ? (long)registers->regs[NUMBER] : -1;
}

static inline uintptr_t liveobj_stopped_second(const struct user_regs_struct *registers) {
    return registers->regs[1];
}

/// The result has replaced the first argument.
static inline bool liveobj_stopped_repeat(struct user_regs_struct *registers,
                                          uintptr_t first_argument) {
    enum { CALL_BYTES = 4 };
    if (registers->regs[0] != (unsigned long)-EINTR)
        return false;
    registers->regs[0] = first_argument;
    registers->pc -= CALL_BYTES;
    return true;
}
