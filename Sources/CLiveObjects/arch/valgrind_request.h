// valgrind_request.h - recognises valgrind, which supports neither processes that share memory nor
// ptrace, and reports the recorder's reads as the program's errors.

#pragma once

#include "arch/system_call.h"

/// Asks with instructions that have no effect if valgrind does not run them.
static inline bool liveobj_valgrind_is_running(void) {
    enum { RUNNING_ON_VALGRIND = 0x1001 };
    volatile uint64_t words[6] = {RUNNING_ON_VALGRIND};
    return liveobj_valgrind_ask(words) != 0;
}
