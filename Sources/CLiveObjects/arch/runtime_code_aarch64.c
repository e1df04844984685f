// runtime_code_aarch64.c - see runtime_code.h. Owns nothing.

#if defined(__linux__) && defined(__aarch64__)

#include "arch/runtime_code.h"

#include <string.h>

enum { INSTRUCTION_BYTES = 4, SP = 31, CONTEXT = 22 };

static uint32_t instruction_at(const unsigned char *code) {
    uint32_t instruction = 0;
    for (size_t i = 0; i < INSTRUCTION_BYTES; i++)
        instruction |= (uint32_t)code[i] << 8 * i;
    return instruction;
}

// MARK: - Instructions

static uint32_t register_at(uint32_t instruction, unsigned bit) {
    return instruction >> bit & 31;
}

/// A load or store of one or two 64-bit registers at a base register plus a constant.
struct access {
    uint32_t registers[2]; // the second is NONE if there is one
    uint32_t base;
    int32_t offset;
};

enum { NONE = 32 };

/// ldr or str with an unsigned offset, or ldp or stp with a signed one, without a change of the
/// base.
static bool is_access(uint32_t instruction, bool is_load, struct access *access) {
    uint32_t load_bit = (uint32_t)is_load << 22;
    *access = (struct access){{register_at(instruction, 0), NONE}, register_at(instruction, 5), 0};
    if ((instruction & 0xffc00000) == (0xf9000000 | load_bit)) {
        access->offset = (int32_t)(instruction >> 10 & 0xfff) * 8;
        return true;
    }
    if ((instruction & 0xffc00000) == (0xa9000000 | load_bit)) {
        access->registers[1] = register_at(instruction, 10);
        access->offset = ((int32_t)(instruction << 10) >> 25) * 8;
        return true;
    }
    return false;
}

/// The place that an instruction accesses for a register, as an offset from `access->base`.
static bool find_accessed_offset(const struct access *access, uint32_t number, int32_t *offset) {
    for (int32_t i = 0; i < 2; i++)
        if (access->registers[i] == number) {
            *offset = access->offset + 8 * i;
            return true;
        }
    return false;
}

/// br or blr, with or without authentication. \returns The register; NONE for others.
static uint32_t jump_register(uint32_t instruction, bool is_call) {
    uint32_t code = is_call ? 0xd63f0000 : 0xd61f0000;
    return (instruction & 0xfffffc1f) == code ? register_at(instruction, 5) : NONE;
}

// MARK: - A jump through a variable

/// The page that an adrp computes. \returns false for other instructions.
static bool is_page(uint32_t instruction, uintptr_t address, uint32_t number, uintptr_t *page) {
    if ((instruction & 0x9f000000) != 0x90000000 || register_at(instruction, 0) != number)
        return false;
    int64_t pages =
        (int64_t)(((uint64_t)(instruction >> 5 & 0x7ffff) << 2 | (instruction >> 29 & 3)) << 43) >>
        43;
    *page = (address & ~(uintptr_t)0xfff) + (uintptr_t)(pages * 0x1000);
    return true;
}

/// Whether the instruction may change the register. True too often rather than too seldom.
static bool may_change(uint32_t instruction, uint32_t number) {
    bool is_pair = (instruction & 0x3a000000) == 0x28000000;
    bool moves_base =
        (instruction & 0x3b200400) == 0x38000400 || (is_pair && instruction >> 23 & 1);
    return register_at(instruction, 0) == number ||
           (is_pair && register_at(instruction, 10) == number) ||
           (moves_base && register_at(instruction, 5) == number);
}

/// The variable from which the jump's register was loaded: adrp xA; ldr xM,[xA,#n], each up to a
/// few instructions before, and nothing in between changes these registers.
static uintptr_t variable_of_jump(const unsigned char *start, const unsigned char *jump,
                                  uint32_t target) {
    enum { MOST = 16 * INSTRUCTION_BYTES };
    struct access load = {{NONE, NONE}, NONE, 0};
    int32_t offset = 0;
    uintptr_t page;
    for (const unsigned char *at = jump; at > start && jump - at < MOST;) {
        at -= INSTRUCTION_BYTES;
        uint32_t instruction = instruction_at(at);
        struct access access;
        if (load.base == NONE && is_access(instruction, true, &access) &&
            find_accessed_offset(&access, target, &offset))
            load = access;
        else if (load.base != NONE && is_page(instruction, (uintptr_t)at, load.base, &page))
            return page + (uintptr_t)(intptr_t)offset;
        else if (may_change(instruction, load.base == NONE ? target : load.base))
            return 0;
    }
    return 0;
}

uintptr_t liveobj_code_next_variable_jump(const unsigned char **next, const unsigned char *end) {
    const unsigned char *start = *next;
    for (const unsigned char *at = start; end - at >= INSTRUCTION_BYTES; at += INSTRUCTION_BYTES) {
        uint32_t target = jump_register(instruction_at(at), false);
        uintptr_t variable = target == NONE ? 0 : variable_of_jump(start, at, target);
        if (!variable)
            continue;
        *next = at + INSTRUCTION_BYTES;
        return variable;
    }
    return 0;
}

// MARK: - Calls of the runtime

uintptr_t liveobj_code_find_pool_call(const unsigned char *code, const unsigned char *end) {
    // mov w0,#0x4000; mov x1,xzr or w1,wzr, in any order; bl
    static const uint32_t size = 0x52880000, none = 0xaa1f03e1, none_short = 0x2a1f03e1;
    for (; end - code >= 3 * INSTRUCTION_BYTES; code += INSTRUCTION_BYTES) {
        uint32_t first = instruction_at(code), second = instruction_at(code + INSTRUCTION_BYTES);
        uint32_t other = first == size ? second : second == size ? first : 0;
        bool is_call = (instruction_at(code + 2 * INSTRUCTION_BYTES) & 0xfc000000) == 0x94000000;
        if (is_call && (other == none || other == none_short))
            return (uintptr_t)code + 3 * INSTRUCTION_BYTES;
    }
    return 0;
}

LIVEOBJ_HOOK bool liveobj_code_runs_task(const unsigned char *return_address) {
    enum { FUNCTION = 0x38, TASK_CONTEXT = 0x40 };
    uint32_t target = jump_register(instruction_at(return_address - INSTRUCTION_BYTES), true);
    uint32_t function_base = NONE, context_base = NONE;
    for (const unsigned char *at = return_address - LIVEOBJ_CODE_BYTES_OF_RUN;
         target != NONE && at < return_address; at += INSTRUCTION_BYTES) {
        struct access access;
        int32_t offset;
        if (!is_access(instruction_at(at), true, &access))
            continue;
        if (find_accessed_offset(&access, target, &offset))
            function_base = offset == FUNCTION ? access.base : NONE;
        if (find_accessed_offset(&access, CONTEXT, &offset))
            context_base = offset == TASK_CONTEXT ? access.base : NONE;
    }
    // Not from the stack: functions end with such loads.
    return function_base == context_base && function_base != NONE && function_base != SP;
}

// str x22,[sp,#n-8] … add x29,sp,#n
LIVEOBJ_HOOK bool liveobj_code_stores_context(const unsigned char *function, size_t bytes) {
    int32_t stored = 0;
    for (size_t at = 0; at + INSTRUCTION_BYTES <= bytes; at += INSTRUCTION_BYTES) {
        uint32_t instruction = instruction_at(function + at);
        struct access access;
        if (is_access(instruction, false, &access) && access.base == SP)
            find_accessed_offset(&access, CONTEXT, &stored);
        if ((instruction & 0xffc003ff) == 0x910003fd)
            return stored > 0 && stored + 8 == (int32_t)(instruction >> 10 & 0xfff);
    }
    return false;
}

LIVEOBJ_HOOK bool liveobj_code_ends_signal(const unsigned char *code) {
    static const uint32_t number = 0xd2801168, call = 0xd4000001; // mov x8,#139 (rt_sigreturn); svc
    return instruction_at(code) == number && instruction_at(code + INSTRUCTION_BYTES) == call;
}

#endif
