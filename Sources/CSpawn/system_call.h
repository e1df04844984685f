// system_call.h - the kernel, without libc.
//
// libc's own functions write into the thread-local storage of the thread they run on (errno,
// cancellation), and sanitizers replace them. The keeper and the program before its `execve` run on
// the storage of a thread of the host: they call nothing but what is here.

#ifndef LIVEOBJ_SYSTEM_CALL_H
#define LIVEOBJ_SYSTEM_CALL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>

/// No check of a compiler's may read thread-local storage either.
#if defined(__has_attribute)
#if __has_attribute(no_stack_protector)
#define LIVEOBJ_BARE_STACK __attribute__((no_stack_protector))
#endif
#if __has_attribute(disable_sanitizer_instrumentation)
#define LIVEOBJ_BARE_CODE __attribute__((disable_sanitizer_instrumentation))
#endif
#endif
#ifndef LIVEOBJ_BARE_STACK
#define LIVEOBJ_BARE_STACK
#endif
#ifndef LIVEOBJ_BARE_CODE
#define LIVEOBJ_BARE_CODE __attribute__((no_sanitize("thread")))
#endif
#define LIVEOBJ_BARE                                                                               \
    LIVEOBJ_BARE_STACK LIVEOBJ_BARE_CODE __attribute__((no_sanitize("address", "undefined")))

/// \returns what the kernel does: a negative errno for an error.
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

/// A new process that calls `function`, which must not return.
/// \param flags of the kernel's `clone`.
/// \param stack its top; NULL goes on below the caller's, which needs CLONE_VFORK or a copied
/// memory.
/// \returns its id, or a negative errno.
LIVEOBJ_BARE static inline __attribute__((always_inline)) long
liveobj_clone(long flags, void *stack, void (*function)(void *context), void *context) {
#if defined(__x86_64__)
    enum { RED_ZONE = 128 }; // of the caller, where the stack is the same
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
#elif defined(__aarch64__)
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
#endif
}

#endif
