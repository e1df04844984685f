// unwind_truth.h - libunwind's own walk of the calling thread's stack, to compare with.

#pragma once

#include "arch/assembly.h"
#include "arch/unwind.h"
#include "stack_testing.h"
#include "stacks/unwind_rules.h"

#include <dlfcn.h>
#include <ucontext.h>

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
    *(void **)&truth->get_context = (void *)liveobj_libunwind_context;
    if (!truth->get_context)
        *(void **)&truth->get_context = dlsym(library, "_U" LIVEOBJ_LIBUNWIND_NAME "_getcontext");
    *(void **)&truth->init_local = dlsym(library, "_UL" LIVEOBJ_LIBUNWIND_NAME "_init_local");
    *(void **)&truth->step = dlsym(library, "_UL" LIVEOBJ_LIBUNWIND_NAME "_step");
    *(void **)&truth->get_register = dlsym(library, "_UL" LIVEOBJ_LIBUNWIND_NAME "_get_reg");
    return truth->get_context && truth->init_local && truth->step && truth->get_register;
}

/// The return addresses from the frame `leaf` outwards.
static inline size_t truth_walk(const struct truth *truth, struct liveobj_registers leaf,
                                uintptr_t *addresses) {
    ucontext_t context;
    _Alignas(16) unsigned char cursor[2048];
    uintptr_t pc = 0, sp = 0;
    size_t count = 0;
    truth->get_context(&context);
    truth->init_local(cursor, &context);
    do {
        truth->get_register(cursor, LIVEOBJ_LIBUNWIND_PC, &pc);
        truth->get_register(cursor, LIVEOBJ_LIBUNWIND_SP, &sp);
        pc = liveobj_code_address(pc);
        if (sp >= leaf.sp && pc)
            addresses[count++] = pc;
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
