// system_call_aarch64.h - the system-call instruction and valgrind's request on aarch64. Included
// by system_call.h only.

#pragma once

LIVEOBJ_BARE static inline __attribute__((always_inline)) long
liveobj_system_call_6(long number, long first, long second, long third, long fourth, long fifth,
                      long sixth) {
    register long number_register __asm__("x8") = number;
    register long first_register __asm__("x0") = first;
    register long second_register __asm__("x1") = second;
    register long third_register __asm__("x2") = third;
    register long fourth_register __asm__("x3") = fourth;
    register long fifth_register __asm__("x4") = fifth;
    register long sixth_register __asm__("x5") = sixth;
    __asm__ volatile("svc 0"
                     : "+r"(first_register)
                     : "r"(number_register), "r"(second_register), "r"(third_register),
                       "r"(fourth_register), "r"(fifth_register), "r"(sixth_register)
                     : "memory");
    return first_register;
}

LIVEOBJ_BARE static inline __attribute__((always_inline)) long
liveobj_clone(long flags, void *stack, void (*function)(void *context), void *context) {
    register long number __asm__("x8") = SYS_clone;
    register long result __asm__("x0") = flags;
    register void *stack_register __asm__("x1") = stack;
    register long none __asm__("x2") = 0;
    register void (*function_register)(void *) __asm__("x9") = function;
    register void *context_register __asm__("x10") = context;
    __asm__ volatile("svc 0\n\t"
                     "cbnz x0, 1f\n\t"
                     "mov x0, %[context]\n\t"
                     "blr %[function]\n\t"
                     "brk #1\n"
                     "1:"
                     : "+r"(result)
                     : "r"(number), "r"(stack_register),
                       "r"(none), [function] "r"(function_register), [context] "r"(context_register)
                     : "cc", "memory");
    return result;
}

static inline bool liveobj_order_threads(void) {
    // Of linux/membarrier.h: each thread of the process executes a barrier.
    enum { ALL_PROCESSES = 1 << 0, THIS_PROCESS = 1 << 3, REGISTER = 1 << 4 };
    bool is_done = liveobj_system_call_6(SYS_membarrier, REGISTER, 0, 0, 0, 0, 0) == 0 &&
                   liveobj_system_call_6(SYS_membarrier, THIS_PROCESS, 0, 0, 0, 0, 0) == 0;
    // The second before Linux 4.14.
    return is_done || liveobj_system_call_6(SYS_membarrier, ALL_PROCESSES, 0, 0, 0, 0, 0) == 0;
}

static inline uint64_t liveobj_valgrind_ask(volatile uint64_t words[6]) {
    register uint64_t answer __asm__("x3") = 0;
    register volatile uint64_t *asked __asm__("x4") = words;
    __asm__ volatile("ror x12, x12, #3\n\tror x12, x12, #13\n\t"
                     "ror x12, x12, #51\n\tror x12, x12, #61\n\t"
                     "orr x10, x10, x10"
                     : "+r"(answer)
                     : "r"(asked)
                     : "cc", "memory");
    return answer;
}
