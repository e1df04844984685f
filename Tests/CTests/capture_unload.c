// A capture while another thread loads and unloads a library: what is written of it was copied
// while it was there.

#define _GNU_SOURCE
#include "internal.h"
#include "support/expect.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

// A sanitizer puts its own malloc into this program, and there is no slot to watch.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define OWN_MALLOC
#endif
#endif

#if defined(__x86_64__) && !defined(OWN_MALLOC)

// This program is the runtime: as much of one as watching needs.
void *swift_slowAlloc(size_t bytes, size_t alignment_mask);
void swift_slowDealloc(void *memory, size_t bytes, size_t alignment_mask);
void *swift_allocObject(const void *metadata, size_t bytes, size_t alignment_mask);
void *swift_retain(void *object);

__asm__(".globl swift_slowAlloc\n"
        ".type swift_slowAlloc, @function\n"
        "swift_slowAlloc:\n"
        "  push %rbp\n"
        "  mov %rsp, %rbp\n"
        "  call malloc@PLT\n"
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

static void *load_and_unload(void *stop) {
    while (!__atomic_load_n((bool *)stop, __ATOMIC_RELAXED)) {
        void *library = dlopen("libresolv.so.2", RTLD_NOW); // any that nobody else needs
        if (library)
            dlclose(library);
    }
    return NULL;
}

int main(void) {
    enum { CAPTURES = 3000 };
    struct liveobj_settings settings = liveobj_settings_default();
    settings.way = LIVEOBJ_WAY_SLOTS;
    settings.stacks = false;
    EXPECT(liveobj_start(&settings) == LIVEOBJ_STATE_TRACKING);
    bool stop = false;
    pthread_t loader;
    pthread_create(&loader, NULL, load_and_unload, &stop);
    for (unsigned i = 0; i < CAPTURES; i++) {
        struct liveobj_buffer buffer = liveobj_capture_to_memory(0, LIVEOBJ_CONTENTS_OBJECTS);
        EXPECT(buffer.count > 0);
        liveobj_buffer_free(buffer);
    }
    __atomic_store_n(&stop, true, __ATOMIC_RELAXED);
    pthread_join(loader, NULL);
    return EXPECT_STATUS();
}

#else

int main(void) {
    return 0; // nothing can be watched here
}

#endif
