// unwind_truth.h - libunwind's own walk of the calling thread's stack, to compare with.

#pragma once

#include "arch/unwind.h"
#include "stack_testing.h"
#include "stacks/unwind_rules.h"

#include <dlfcn.h>
#include <ucontext.h>

// libunwind's names of the architecture and of registers. On aarch64 it has no function that stores
// the caller's registers: here is one, for a ucontext_t, whose `uc_mcontext.regs` begin at 184.
#if defined(__x86_64__)
#define TRUTH_ARCHITECTURE "x86_64"
enum { TRUTH_SP = 7, TRUTH_PC = 16 };
#define truth_get_context NULL
#elif defined(__aarch64__)
#define TRUTH_ARCHITECTURE "aarch64"
enum { TRUTH_SP = 31, TRUTH_PC = 30 };
__attribute__((visibility("hidden"))) int truth_get_context(void *context);
__asm__(".pushsection .text\n.hidden truth_get_context\n.type truth_get_context, @function\n"
        "truth_get_context:\n"
        "  hint #34\n  add x1, x0, #184\n" // bti c
        "  stp x19, x20, [x1, #152]\n  stp x21, x22, [x1, #168]\n"
        "  stp x23, x24, [x1, #184]\n  stp x25, x26, [x1, #200]\n"
        "  stp x27, x28, [x1, #216]\n  stp x29, x30, [x1, #232]\n"
        "  mov x2, sp\n  stp x2, x30, [x1, #248]\n" // sp, pc
        "  mov w0, #0\n  ret\n.size truth_get_context, . - truth_get_context\n.popsection\n");
#endif

struct truth {
    int (*get_context)(ucontext_t *);
    int (*init_local)(void *, ucontext_t *);
    int (*step)(void *);
    int (*get_register)(void *, int, uintptr_t *);
};

/// \returns false where libunwind is not installed.
static inline bool truth_load(struct truth *truth) {
    void *library = dlopen("libunwind.so.8", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return false;
    *(void **)&truth->get_context = (void *)truth_get_context;
    if (!truth->get_context)
        *(void **)&truth->get_context = dlsym(library, "_U" TRUTH_ARCHITECTURE "_getcontext");
    *(void **)&truth->init_local = dlsym(library, "_UL" TRUTH_ARCHITECTURE "_init_local");
    *(void **)&truth->step = dlsym(library, "_UL" TRUTH_ARCHITECTURE "_step");
    *(void **)&truth->get_register = dlsym(library, "_UL" TRUTH_ARCHITECTURE "_get_reg");
    return truth->get_context && truth->init_local && truth->step && truth->get_register;
}

/// The return addresses from the frame `leaf` outwards. Where a signal interrupted code, the
/// recorder has the next address, as if a call had been there.
static inline size_t truth_walk(const struct truth *truth, struct liveobj_registers leaf,
                                uintptr_t *addresses) {
    ucontext_t context;
    _Alignas(16) unsigned char cursor[2048];
    uintptr_t pc = 0, sp = 0;
    size_t count = 0;
    bool is_interrupted = false;
    truth->get_context(&context);
    truth->init_local(cursor, &context);
    do {
        truth->get_register(cursor, TRUTH_PC, &pc);
        truth->get_register(cursor, TRUTH_SP, &sp);
        pc = liveobj_code_address(pc);
        if (sp >= leaf.sp && pc)
            addresses[count++] = is_interrupted ? pc + LIVEOBJ_CODE_UNIT : pc;
        is_interrupted = liveobj_unwind_rule_find(pc).kind == LIVEOBJ_UNWIND_SIGNAL;
    } while (count < MAX_FRAMES && truth->step(cursor) > 0);
    return count;
}

/// The number of our frames to compare. Libunwind for aarch64 ends before a thread's outermost
/// frame, in which the frame pointer is 0.
static inline size_t truth_count(const uintptr_t *ours, size_t our_count, size_t their_count) {
    bool has_one_more =
        our_count == their_count + 1 &&
        liveobj_unwind_rule_find(ours[their_count]).kind == LIVEOBJ_UNWIND_OUTERMOST;
    return has_one_more ? their_count : our_count;
}
