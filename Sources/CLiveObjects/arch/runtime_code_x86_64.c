// runtime_code_x86_64.c - see runtime_code.h. Owns nothing.

#if defined(__linux__) && defined(__x86_64__)

#include "arch/runtime_code.h"

#include <string.h>

// mov disp32(%rip),%rax [pop %rbp] jmp *%rax
uintptr_t liveobj_code_next_variable_jump(const unsigned char **next, const unsigned char *end) {
    enum { MOV_BYTES = 7, MOST_BYTES = 10, POP_RBP = 0x5d };
    for (const unsigned char *at = *next; end - at >= MOST_BYTES; at++) {
        const unsigned char *jump = at + MOV_BYTES + (at[MOV_BYTES] == POP_RBP);
        int32_t displacement;
        if (memcmp(at, "\x48\x8b\x05", 3) != 0 || memcmp(jump, "\xff\xe0", 2) != 0)
            continue;
        memcpy(&displacement, at + 3, sizeof displacement);
        *next = at + 1;
        return (uintptr_t)at + MOV_BYTES + (uintptr_t)(intptr_t)displacement;
    }
    return 0;
}

uintptr_t liveobj_code_find_pool_call(const unsigned char *code, const unsigned char *end) {
    // mov $0x4000,%edi; xor %esi,%esi; call
    static const unsigned char call[] = {0xbf, 0x00, 0x40, 0x00, 0x00, 0x31, 0xf6, 0xe8};
    enum { CALL_BYTES = sizeof call + sizeof(int32_t) };
    const unsigned char *found = memmem(code, (size_t)(end - code), call, sizeof call);
    return found && end - found >= CALL_BYTES ? (uintptr_t)found + CALL_BYTES : 0;
}

static bool is_code(const unsigned char *code, const unsigned char *bytes, size_t count) {
    size_t same = 0;
    while (same < count && code[same] == bytes[same])
        same++;
    return same == count;
}

LIVEOBJ_HOOK bool liveobj_code_runs_task(const unsigned char *return_address) {
    for (unsigned char base = 0; base < 8; base++) {
        // mov 0x40(base),%r14; call *0x38(base)
        const unsigned char low[] = {0x4c, 0x8b, 0x70 | base, 0x40, 0xff, 0x50 | base, 0x38};
        const unsigned char high[] = {0x4d, 0x8b, 0x70 | base, 0x40, 0x41, 0xff, 0x50 | base, 0x38};
        if (is_code(return_address - sizeof low, low, sizeof low) ||
            is_code(return_address - sizeof high, high, sizeof high))
            return true;
    }
    return false;
}

LIVEOBJ_HOOK bool liveobj_code_stores_context(const unsigned char *function, size_t bytes) {
    static const unsigned char start[] = {
        0x55,                         // push rbp
        0x41, 0x56,                   // push r14
        0x48, 0x8d, 0x6c, 0x24, 0x08, // lea rbp, [rsp + 8]
    };
    return bytes >= sizeof start && is_code(function, start, sizeof start);
}

LIVEOBJ_HOOK bool liveobj_code_ends_signal(const unsigned char *code) {
    static const unsigned char call[LIVEOBJ_CODE_BYTES_OF_SIGNAL] = {
        0x48, 0xc7, 0xc0, 0x0f, 0x00, 0x00, 0x00, // mov rax, 15 (rt_sigreturn)
        0x0f, 0x05,                               // syscall
    };
    return is_code(code, call, sizeof call);
}

#endif
