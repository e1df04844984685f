// runtime_code.h - recognises code of the Swift runtime and of the kernel that has no symbol or no
// unwind table, by its instructions.
//
// The functions read the given bytes, which must be readable, and nothing else.

#pragma once

#include "os/compiler.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// Finds the next jump whose target is read from a variable: where `swift_retain` calls its
/// adapter.
/// \param next Where to search; moved behind the jump that was found.
/// \returns The variable's address; 0 if there is none before `end`.
uintptr_t liveobj_code_next_variable_jump(const unsigned char **next, const unsigned char *end);

/// The calling convention of a function that replaces the adapter. On aarch64, the runtimes that
/// have an adapter keep x9 to x15 as well when they retain (SWIFT_REFCOUNT_CC in the runtime's
/// Config.h; swiftlang/swift pull request 85044), and gcc does not know that convention. Where the
/// convention is the ordinary one, the function behind `_swift_retain` can replace the adapter.
#if defined(__x86_64__)
#define LIVEOBJ_RETAIN_CONVENTION
#define LIVEOBJ_HAS_RETAIN_CONVENTION true
#define LIVEOBJ_RETAIN_IS_ORDINARY true
#elif defined(__aarch64__) && defined(__clang__)
#define LIVEOBJ_RETAIN_CONVENTION __attribute__((preserve_most))
#define LIVEOBJ_HAS_RETAIN_CONVENTION true
#define LIVEOBJ_RETAIN_IS_ORDINARY false
#else
#define LIVEOBJ_RETAIN_CONVENTION
#define LIVEOBJ_HAS_RETAIN_CONVENTION false
#define LIVEOBJ_RETAIN_IS_ORDINARY false
#endif

/// Finds the call with which the runtime allocates memory for its metadata pools: the only call
/// that passes 16 KB and no alignment as constants.
/// \returns The call's return address; 0 if there is none.
uintptr_t liveobj_code_find_pool_call(const unsigned char *code, const unsigned char *end);

/// The bytes before a return address that `liveobj_code_runs_task` reads.
#define LIVEOBJ_CODE_BYTES_OF_RUN 32

/// Whether the call before the return address is the one by which the runtime resumes a task. It
/// passes the task's context (at 0x40) in the context register and calls the task's function (at
/// 0x38). No other code does both.
LIVEOBJ_HOOK bool liveobj_code_runs_task(const unsigned char *return_address);

/// The bytes of a function that `liveobj_code_stores_context` reads, at most.
#define LIVEOBJ_CODE_BYTES_OF_PROLOGUE 64

/// Whether a function begins like an asynchronous one that stores its context in its frame: in the
/// word below the frame record.
LIVEOBJ_HOOK bool liveobj_code_stores_context(const unsigned char *function, size_t bytes);

/// The bytes from an address on that `liveobj_code_ends_signal` reads.
#if defined(__x86_64__)
#define LIVEOBJ_CODE_BYTES_OF_SIGNAL 9
#else
#define LIVEOBJ_CODE_BYTES_OF_SIGNAL 8
#endif

/// Whether a signal handler returns to this address: the code there calls `rt_sigreturn`.
LIVEOBJ_HOOK bool liveobj_code_ends_signal(const unsigned char *code);

#pragma GCC visibility pop
