// system_call.h - system calls without libc.
//
// libc's functions write into the thread-local storage of their thread (errno, cancellation), and
// sanitizers replace them. The keeper, and the program before its `execve`, run on the thread-local
// storage of a thread of the host. So they call nothing but these functions.

#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>

/// Disables the checks that compilers add, because they may read thread-local storage too.
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

/// \returns the kernel's result: a negative errno for an error.
LIVEOBJ_BARE static inline __attribute__((always_inline)) long
liveobj_system_call_6(long number, long first, long second, long third, long fourth, long fifth,
                      long sixth) {
#if defined(__x86_64__)
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
#elif defined(__aarch64__)
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
#endif
}

LIVEOBJ_BARE static inline __attribute__((always_inline)) long
liveobj_system_call(long number, long first, long second, long third, long fourth) {
    return liveobj_system_call_6(number, first, second, third, fourth, 0, 0);
}

/// Makes a process that calls `function`, which must not return.
/// \param flags Flags of the kernel's `clone`.
/// \param stack The stack's top. NULL to use the caller's stack below its frame, which needs
/// CLONE_VFORK or copied memory.
/// \returns the process's id, or a negative errno.
LIVEOBJ_BARE static inline __attribute__((always_inline)) long
liveobj_clone(long flags, void *stack, void (*function)(void *context), void *context) {
#if defined(__x86_64__)
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
