// system_call_x86_64.h - the system-call instruction and valgrind's request on x86_64. Included by
// system_call.h only.

#pragma once

LIVEOBJ_BARE static inline __attribute__((always_inline)) long
liveobj_system_call_6(long number, long first, long second, long third, long fourth, long fifth,
                      long sixth) {
    long result;
    register long fourth_register __asm__("r10") = fourth;
    register long fifth_register __asm__("r8") = fifth;
    register long sixth_register __asm__("r9") = sixth;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(first), "S"(second), "d"(third), "r"(fourth_register),
                       "r"(fifth_register), "r"(sixth_register)
                     : "rcx", "r11", "memory");
    return result;
}

LIVEOBJ_BARE static inline __attribute__((always_inline)) long
liveobj_clone(long flags, void *stack, void (*function)(void *context), void *context) {
    enum { RED_ZONE = 128 }; // of the caller, if the stack is the same
    long result;
    register long none __asm__("r10") = 0;
    register void (*function_register)(void *) __asm__("r8") = function;
    register void *context_register __asm__("r9") = context;
    __asm__ volatile("syscall\n\t"
                     "testq %%rax, %%rax\n\t"
                     "jnz 1f\n\t"
                     "subq %[red_zone], %%rsp\n\t"
                     "andq $-16, %%rsp\n\t"
                     "movq %[context], %%rdi\n\t"
                     "callq *%[function]\n\t"
                     "ud2\n"
                     "1:"
                     : "=a"(result)
                     : "a"((long)SYS_clone), "D"(flags), "S"(stack), "d"(0L),
                       "r"(none), [function] "r"(function_register),
                       [context] "r"(context_register), [red_zone] "i"(RED_ZONE)
                     : "rcx", "r11", "cc", "memory");
    return result;
}

static inline bool liveobj_order_threads(void) {
    return true; // loads are in order
}

static inline uint64_t liveobj_valgrind_ask(volatile uint64_t words[6]) {
    register uint64_t answer __asm__("rdx") = 0;
    __asm__ volatile("rolq $3, %%rdi\n\trolq $13, %%rdi\n\t"
                     "rolq $61, %%rdi\n\trolq $51, %%rdi\n\t"
                     "xchgq %%rbx, %%rbx"
                     : "+r"(answer)
                     : "a"(words)
                     : "cc", "memory");
    return answer;
}
