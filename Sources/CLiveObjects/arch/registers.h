// registers.h - the registers of the calling thread: a hook's caller, and what a function keeps;
// and all registers of another thread that ptrace has stopped.
//
// Each architecture defines
//   struct liveobj_hook_frame      what a hook knows of its caller; passed in registers
//   LIVEOBJ_HOOK_FRAME()           the frame of the hook that uses it. The runtime jumps to hooks
//                                  by tail calls, so the caller is that of the runtime's function
//   liveobj_hook_frame_sp(frame)   the stack pointer that the caller has after the call
//   liveobj_code_address(word)     the code address in a word of a frame
//   liveobj_registers_save(words)  stores the registers that a function must preserve, at most 10
//   liveobj_registers_read(...)    the registers from which a stack walk begins here, and the one
//                                  in which asynchronous functions get their context
//   liveobj_stopped_pc, _sp, _fp   of a stopped thread
//   liveobj_stopped_link           the return address in a register; 0 where calls store it
//   liveobj_stopped_call           the system call that the stop has interrupted; -1 for none
//   liveobj_stopped_second         the second argument of that call
//   liveobj_stopped_repeat(...)    makes the call, whose first argument is given, start again if it
//                                  is about to fail with EINTR. \returns whether registers changed

#pragma once

#include "arch/address.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <sys/user.h>

#if defined(__x86_64__)
#include "arch/registers_x86_64.h"
#elif defined(__aarch64__)
#include "arch/registers_aarch64.h"
#endif

// A frame record, on both: the caller's frame pointer, then the return address.

static inline uintptr_t liveobj_frame_record_fp(const uintptr_t *record) {
    return record[0];
}

static inline uintptr_t liveobj_frame_record_pc(const uintptr_t *record) {
    return liveobj_code_address(record[1]);
}
