// fake_runtime.h - the parts of a Swift runtime that the recorder needs to hook the allocator's GOT
// entries. The program that includes it is the runtime.

#pragma once

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

/// The fixed part of a task in the layout of version 1, which ends with a lock.
enum { FAKE_TASK_BYTES = (168 + sizeof(pthread_mutex_t) + 15) / 16 * 16 };

// A sanitizer puts its own malloc into this program, and there is no slot to watch.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define OWN_MALLOC
#endif
#endif

#if !defined(OWN_MALLOC) && !defined(FAKE_RUNTIME_WITHOUT_FRAME_POINTER)
#define FAKE_RUNTIME_CAN_BE_WATCHED
#endif

void *swift_slowAlloc(size_t bytes, size_t alignment_mask);
void swift_slowDealloc(void *memory, size_t bytes, size_t alignment_mask);
void *swift_allocObject(const void *metadata, size_t bytes, size_t alignment_mask);
void *swift_retain(void *object);
void *swift_task_create_common(size_t bytes);

#if defined(__x86_64__)

#if defined(FAKE_RUNTIME_WITHOUT_FRAME_POINTER)
#define SET_FRAME_POINTER "  mov $0x10, %ebp\n" // any value at all
#else
#define SET_FRAME_POINTER "  mov %rsp, %rbp\n"
#endif
#define CALL_MALLOC "  push %rbp\n" SET_FRAME_POINTER "  call malloc@PLT\n  pop %rbp\n  ret\n"

#elif defined(__aarch64__)

#if defined(FAKE_RUNTIME_WITHOUT_FRAME_POINTER)
#define SET_FRAME_POINTER "  mov x29, #0x10\n"
#else
#define SET_FRAME_POINTER "  mov x29, sp\n"
#endif
#define CALL_MALLOC                                                                                \
    "  stp x29, x30, [sp, #-16]!\n" SET_FRAME_POINTER "  bl malloc\n"                              \
    "  ldp x29, x30, [sp], #16\n  ret\n"

#endif

// A function that allocates as many bytes as its first argument says.
#define MALLOC_CALLER(name)                                                                        \
    ".globl " name "\n"                                                                            \
    ".type " name ", %function\n" name ":\n" CALL_MALLOC ".size " name ", . - " name "\n"

__asm__(MALLOC_CALLER("swift_slowAlloc") MALLOC_CALLER("swift_task_create_common"));

void swift_slowDealloc(void *memory, size_t bytes, size_t alignment_mask) {
    (void)bytes, (void)alignment_mask;
    free(memory);
}

void *swift_allocObject(const void *metadata, size_t bytes, size_t alignment_mask) {
    const void **object = swift_slowAlloc(bytes, alignment_mask);
    object[0] = metadata;
    return object;
}

void *swift_retain(void *object) {
    return object;
}
