// valgrind_request.h - requests to valgrind.
//
// They are made with instructions that have no effect if valgrind does not run them.

#pragma once

#include "arch/system_call.h"

/// \returns 0 without valgrind, or if valgrind does not know the request.
static inline uint64_t liveobj_valgrind_request(uint64_t request, uint64_t argument) {
    volatile uint64_t words[6] = {request, argument};
    return liveobj_valgrind_ask(words);
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
