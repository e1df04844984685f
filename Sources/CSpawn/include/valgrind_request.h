// valgrind_request.h - requests to valgrind.
//
// They are made with instructions that have no effect if valgrind does not run them.

#pragma once

#include <stdbool.h>
#include <stdint.h>

/// \returns 0 without valgrind, or if valgrind does not know the request.
static inline uint64_t liveobj_valgrind_request(uint64_t request, uint64_t argument) {
    volatile uint64_t words[6] = {request, argument};
    uint64_t result = 0;
#if defined(__x86_64__)
    register uint64_t answer __asm__("rdx") = 0;
    __asm__ volatile("rolq $3, %%rdi\n\trolq $13, %%rdi\n\t"
                     "rolq $61, %%rdi\n\trolq $51, %%rdi\n\t"
                     "xchgq %%rbx, %%rbx"
                     : "+r"(answer)
                     : "a"(&words[0])
                     : "cc", "memory");
    result = answer;
#elif defined(__aarch64__)
    register uint64_t answer __asm__("x3") = 0;
    register volatile uint64_t *asked __asm__("x4") = words;
    __asm__ volatile("ror x12, x12, #3\n\tror x12, x12, #13\n\t"
                     "ror x12, x12, #51\n\tror x12, x12, #61\n\t"
                     "orr x10, x10, x10"
                     : "+r"(answer)
                     : "r"(asked)
                     : "cc", "memory");
    result = answer;
#else
    (void)words;
#endif
    return result;
}

static inline bool liveobj_valgrind_is_running(void) {
    return liveobj_valgrind_request(0x1001, 0) != 0;
}

/// Makes valgrind report no errors of this thread from here on: the heap is read without regard to
/// what is initialised. Calls nest.
static inline void liveobj_valgrind_ignore_begin(void) {
    liveobj_valgrind_request(0x1801, 1);
}

static inline void liveobj_valgrind_ignore_end(void) {
    liveobj_valgrind_request(0x1801, UINT64_MAX);
}
