// A Swift runtime whose `swift_slowAlloc` keeps no frame pointer: who asks for memory cannot be
// told by it, so nothing is watched, and the program runs on.

#include "internal.h"
#include "support/expect.h"

#include <stdlib.h>

#if defined(__x86_64__)

// This program is the runtime.
void *swift_slowAlloc(size_t bytes, size_t alignment_mask);
void swift_slowDealloc(void *memory, size_t bytes, size_t alignment_mask);
void *swift_allocObject(const void *metadata, size_t bytes, size_t alignment_mask);
void *swift_retain(void *object);

__asm__(".globl swift_slowAlloc\n"
        ".type swift_slowAlloc, @function\n"
        "swift_slowAlloc:\n"
        "  push %rbp\n"
        "  mov $0x10, %ebp\n" // any value at all
        "  sub $16, %rsp\n"
        "  call malloc@PLT\n"
        "  add $16, %rsp\n"
        "  pop %rbp\n"
        "  ret\n"
        ".size swift_slowAlloc, . - swift_slowAlloc\n");

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

int main(void) {
    struct liveobj_settings settings = liveobj_settings_default();
    settings.way = LIVEOBJ_WAY_SLOTS;
    settings.stacks = false;
    EXPECT(liveobj_start(&settings) == LIVEOBJ_STATE_BLIND);
    EXPECT(liveobj_status().reason[0] != 0);
    void *object = swift_allocObject(NULL, 48, 7);
    EXPECT(object != NULL && liveobj_live_count(0) == 0);
    swift_slowDealloc(object, 48, 7);
    return EXPECT_STATUS();
}

#else

int main(void) {
    return 0; // the runtime above is written for one machine
}

#endif
