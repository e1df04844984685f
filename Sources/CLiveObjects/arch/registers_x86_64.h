// registers_x86_64.h - see registers.h, which includes it.

#pragma once

struct liveobj_hook_frame {
    const uintptr_t *record;
};

#define LIVEOBJ_HOOK_FRAME() ((struct liveobj_hook_frame){__builtin_frame_address(0)})

static inline uintptr_t liveobj_hook_frame_sp(struct liveobj_hook_frame frame) {
    return (uintptr_t)(frame.record + 2);
}

static inline uintptr_t liveobj_code_address(uintptr_t word) {
    return word;
}

static inline __attribute__((always_inline)) void liveobj_registers_save(uintptr_t *words) {
    __asm__ volatile("movq %%rbx, 0(%0)\n"
                     "movq %%rbp, 8(%0)\n"
                     "movq %%r12, 16(%0)\n"
                     "movq %%r13, 24(%0)\n"
                     "movq %%r14, 32(%0)\n"
                     "movq %%r15, 40(%0)\n"
                     :
                     : "r"(words)
                     : "memory");
}

static inline __attribute__((always_inline)) void
liveobj_registers_read(uintptr_t *pc, uintptr_t *sp, uintptr_t *fp, uintptr_t *context) {
    // Into memory: an output register could be the one that is to be read.
    __asm__ volatile("mov %%r14, %3\n\t"
                     "mov %%rsp, %1\n\t"
                     "mov %%rbp, %2\n\t"
                     "lea 0(%%rip), %%rax\n\t"
                     "mov %%rax, %0"
                     : "=m"(*pc), "=m"(*sp), "=m"(*fp), "=m"(*context)
                     :
                     : "rax");
}

// MARK: - A stopped thread

static inline uintptr_t liveobj_stopped_pc(const struct user_regs_struct *registers) {
    return registers->rip;
}

static inline uintptr_t liveobj_stopped_sp(const struct user_regs_struct *registers) {
    return registers->rsp;
}

static inline uintptr_t liveobj_stopped_fp(const struct user_regs_struct *registers) {
    return registers->rbp;
}

static inline uintptr_t liveobj_stopped_link(const struct user_regs_struct *registers) {
    (void)registers;
    return 0;
}

static inline long liveobj_stopped_call(const struct user_regs_struct *registers) {
    return (long)registers->orig_rax;
}

static inline uintptr_t liveobj_stopped_second(const struct user_regs_struct *registers) {
    return registers->rsi;
}

/// With this result, which no program sees, the kernel starts the call again, unless it runs a
/// signal handler first: then the call fails with EINTR, as it does without the stop.
static inline bool liveobj_stopped_repeat(struct user_regs_struct *registers,
                                          uintptr_t first_argument) {
    enum { RESTART_WITHOUT_HANDLER = 514 }; // ERESTARTNOHAND of the kernel
    (void)first_argument;
    if (registers->rax != (unsigned long)-EINTR)
        return false;
    registers->rax = (unsigned long)-RESTART_WITHOUT_HANDLER;
    return true;
}
