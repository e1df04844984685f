// compiler.h - the compiler's extensions: annotations of functions, and relaxed atomic access.

#pragma once

#define LIVEOBJ_LIKELY(x) __builtin_expect(!!(x), 1)
#define LIVEOBJ_UNLIKELY(x) __builtin_expect(!!(x), 0)

// Relaxed: for words that order no other memory.
#define LIVEOBJ_LOAD_RELAXED(word) __atomic_load_n(&(word), __ATOMIC_RELAXED)
#define LIVEOBJ_STORE_RELAXED(word, value) __atomic_store_n(&(word), (value), __ATOMIC_RELAXED)

/// Adds one to a counter that only the calling thread writes, so no read-modify-write is needed.
#define LIVEOBJ_INCREMENT_OWNED(counter) LIVEOBJ_STORE_RELAXED(counter, (counter) + 1)

/// Marks a function that may run inside a hook: it must not allocate. The toolchain's clang checks
/// that with -Wfunction-effects, through all functions that it calls, except between the two macros
/// below.
#if defined(__clang__) && __has_attribute(nonallocating)
#define LIVEOBJ_HOOK __attribute__((nonallocating))
#define LIVEOBJ_UNCHECKED_BEGIN                                                                    \
    _Pragma("clang diagnostic push") _Pragma("clang diagnostic ignored \"-Wfunction-effects\"")
#define LIVEOBJ_UNCHECKED_END _Pragma("clang diagnostic pop")
#else
#define LIVEOBJ_HOOK
#define LIVEOBJ_UNCHECKED_BEGIN
#define LIVEOBJ_UNCHECKED_END
#endif

/// Enclose functions that read memory of any kind: freed memory, gaps between variables, another
/// thread's stack. A sanitizer would report an error and end the process.
#if defined(__clang__)
#define LIVEOBJ_UNSANITIZED __attribute__((no_sanitize("address", "thread")))
#define LIVEOBJ_ANY_MEMORY_BEGIN                                                                   \
    _Pragma("clang attribute push(LIVEOBJ_UNSANITIZED, apply_to = function)")
#define LIVEOBJ_ANY_MEMORY_END _Pragma("clang attribute pop")
#else
#define LIVEOBJ_ANY_MEMORY_BEGIN
#define LIVEOBJ_ANY_MEMORY_END
#endif
