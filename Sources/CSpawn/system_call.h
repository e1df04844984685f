// system_call.h - the kernel, without libc.
//
// libc's own functions write into the thread-local storage of the thread they run on (errno,
// cancellation), and the keeper runs on that of a thread which has long gone on, or is gone.

#ifndef LIVEOBJ_SYSTEM_CALL_H
#define LIVEOBJ_SYSTEM_CALL_H

/// No check of a compiler's may read thread-local storage either.
#if defined(__has_attribute)
#if __has_attribute(no_stack_protector)
#define LIVEOBJ_BARE_STACK __attribute__((no_stack_protector))
#endif
#endif
#ifndef LIVEOBJ_BARE_STACK
#define LIVEOBJ_BARE_STACK
#endif
#define LIVEOBJ_BARE LIVEOBJ_BARE_STACK __attribute__((no_sanitize("address", "undefined")))

/// \returns what the kernel does: negative for an error.
LIVEOBJ_BARE static inline __attribute__((always_inline)) long
liveobj_system_call(long number, long first, long second, long third, long fourth) {
#if defined(__x86_64__)
    long result;
    register long fourth_register __asm__("r10") = fourth;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(first), "S"(second), "d"(third), "r"(fourth_register)
                     : "rcx", "r11", "memory");
    return result;
#elif defined(__aarch64__)
    register long number_register __asm__("x8") = number;
    register long first_register __asm__("x0") = first;
    register long second_register __asm__("x1") = second;
    register long third_register __asm__("x2") = third;
    register long fourth_register __asm__("x3") = fourth;
    __asm__ volatile("svc 0"
                     : "+r"(first_register)
                     : "r"(number_register), "r"(second_register), "r"(third_register),
                       "r"(fourth_register)
                     : "memory");
    return first_register;
#endif
}

#endif
