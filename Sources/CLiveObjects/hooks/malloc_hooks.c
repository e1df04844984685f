// malloc_hooks.c - records, on request, what the program and C libraries allocate with malloc.
//
// Replaces the GOT entries of the allocator's functions in all images but LiveObjects' own. libc's
// calls of malloc go through such an entry too: strdup, getline. The memory is recorded as raw
// buffers are. What the Swift toolchain's libraries allocate for themselves is not: they only free.
// Without the request no entry is changed, and the program's malloc is as it was.
//
// An image that is loaded later is changed at the next capture. What it frees until then keeps its
// record, until malloc's chunks show that it is free (roots/freed_buffers.c).
//
// Owns the originals.

#if defined(__linux__)

#include "arch/address.h"
#include "arch/system_call.h"
#include "hooks/hook_frame.h"
#include "hooks/hooks.h"
#include "runtime/image.h"

#include <elf.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

// The program's own work, so they may allocate and lock.
LIVEOBJ_HOOK typedef void *(*c_malloc_fn)(size_t bytes);
LIVEOBJ_HOOK typedef void *(*c_calloc_fn)(size_t count, size_t bytes);
LIVEOBJ_HOOK typedef void *(*c_realloc_fn)(void *memory, size_t bytes);
LIVEOBJ_HOOK typedef int (*c_posix_memalign_fn)(void **memory, size_t alignment, size_t bytes);
LIVEOBJ_HOOK typedef void *(*c_aligned_alloc_fn)(size_t alignment, size_t bytes);
LIVEOBJ_HOOK typedef void *(*c_memalign_fn)(size_t alignment, size_t bytes);
LIVEOBJ_HOOK typedef void (*c_free_fn)(void *memory);

static struct {
    c_malloc_fn malloc;
    c_calloc_fn calloc;
    c_realloc_fn realloc;
    c_posix_memalign_fn posix_memalign;
    c_aligned_alloc_fn aligned_alloc;
    c_memalign_fn memalign;
    c_free_fn free;
} c_original;

static const struct liveobj_got_relocations got_relocations = {LIVEOBJ_RELOCATION_OF_CALL,
                                                               LIVEOBJ_RELOCATION_OF_GOT};
static bool are_installed;

// MARK: - Hooks

LIVEOBJ_HOOK_WITH_FRAME static void *hook_c_malloc(size_t bytes) {
    void *memory = c_original.malloc(bytes);
    liveobj_hooks_record_buffer(memory, bytes, LIVEOBJ_HOOK_FRAME());
    return memory;
}

LIVEOBJ_HOOK_WITH_FRAME static void *hook_c_calloc(size_t count, size_t bytes) {
    void *memory = c_original.calloc(count, bytes);
    liveobj_hooks_record_buffer(memory, count * bytes, LIVEOBJ_HOOK_FRAME());
    return memory;
}

/// Another thread may get the old memory before this call returns, so its record goes first. If the
/// call fails, the old memory has no record any more.
static inline void *reallocate(void *old, size_t bytes, bool records_new,
                               struct liveobj_hook_frame frame) {
    bool is_recorded = liveobj_hooks_forget_buffer(old) || (records_new && !old);
    void *memory = c_original.realloc(old, bytes);
    if (is_recorded)
        liveobj_hooks_record_buffer(memory, bytes, frame);
    return memory;
}

LIVEOBJ_HOOK_WITH_FRAME static void *hook_c_realloc(void *old, size_t bytes) {
    return reallocate(old, bytes, true, LIVEOBJ_HOOK_FRAME());
}

/// In libraries of the toolchain, which may get memory of others.
LIVEOBJ_HOOK_WITH_FRAME static void *hook_toolchain_realloc(void *old, size_t bytes) {
    return reallocate(old, bytes, false, LIVEOBJ_HOOK_FRAME());
}

LIVEOBJ_HOOK_WITH_FRAME static int hook_c_posix_memalign(void **memory, size_t alignment,
                                                         size_t bytes) {
    int error = c_original.posix_memalign(memory, alignment, bytes);
    liveobj_hooks_record_buffer(error ? NULL : *memory, bytes, LIVEOBJ_HOOK_FRAME());
    return error;
}

LIVEOBJ_HOOK_WITH_FRAME static void *hook_c_aligned_alloc(size_t alignment, size_t bytes) {
    void *memory = c_original.aligned_alloc(alignment, bytes);
    liveobj_hooks_record_buffer(memory, bytes, LIVEOBJ_HOOK_FRAME());
    return memory;
}

LIVEOBJ_HOOK_WITH_FRAME static void *hook_c_memalign(size_t alignment, size_t bytes) {
    void *memory = c_original.memalign(alignment, bytes);
    liveobj_hooks_record_buffer(memory, bytes, LIVEOBJ_HOOK_FRAME());
    return memory;
}

LIVEOBJ_HOOK static void hook_c_free(void *memory) {
    liveobj_hooks_forget_buffer(memory);
    c_original.free(memory);
}

// MARK: - Installation

static size_t folder_length(const struct liveobj_image *image) {
    return (size_t)(liveobj_image_file_name(image) - image->path);
}

/// Whether the image is in the folder of the Swift runtime's library, or has the runtime in it.
static bool is_of_toolchain(const struct liveobj_image *image) {
    const struct liveobj_image *runtime = &liveobj_runtime_current()->image;
    size_t length = runtime->path && !runtime->is_main ? folder_length(runtime) : 0;
    return image->start == runtime->start ||
           (length && !image->is_main && folder_length(image) == length &&
            strncmp(image->path, runtime->path, length) == 0);
}

/// Entries that lead to a hook of hooks.c stay as they are.
static void take_slots_of_toolchain(const struct liveobj_image *image) {
    liveobj_image_redirect_calls(image, "free", got_relocations,
                                 (const void *)(uintptr_t)c_original.free,
                                 (void *)(uintptr_t)hook_c_free);
    liveobj_image_redirect_calls(image, "realloc", got_relocations,
                                 (const void *)(uintptr_t)c_original.realloc,
                                 (void *)(uintptr_t)hook_toolchain_realloc);
}

static bool take_malloc_slots(void *unused, const struct liveobj_image *image) {
    (void)unused;
    if (liveobj_image_is_named(image, "libLiveObjects"))
        return false;
    if (is_of_toolchain(image)) {
        take_slots_of_toolchain(image);
        return false;
    }
#define LIVEOBJ_MALLOC_SLOT(name)                                                                  \
    liveobj_image_redirect_calls(image, #name, got_relocations,                                    \
                                 (const void *)(uintptr_t)c_original.name,                         \
                                 (void *)(uintptr_t)hook_c_##name);
#include "hooks/hooks.def"
    return false;
}

/// Whether an address is that of code of the program that calls the function, and not the function:
/// so it is in a program at a fixed address that uses the address of `free` itself.
static bool has_no_original(void *missing, const struct liveobj_image *image) {
#define LIVEOBJ_MALLOC_SLOT(name)                                                                  \
    *(bool *)missing |= image->is_main && (uintptr_t)c_original.name >= image->start &&            \
                        (uintptr_t)c_original.name < image->end &&                                 \
                        liveobj_image_import(image, #name);
#include "hooks/hooks.def"
    return true; // the executable comes first
}

bool liveobj_malloc_hooks_install(void) {
    bool is_missing = false;
    // The barrier hides from the optimiser that the original has only this value: a direct call
    // could go through the replaced GOT entry again.
#define LIVEOBJ_MALLOC_SLOT(name)                                                                  \
    c_original.name = (c_##name##_fn)name;                                                         \
    __asm__ volatile("" : "+r"(c_original.name));
#include "hooks/hooks.def"
    liveobj_images_visit(has_no_original, &is_missing);
    if (is_missing)
        return false;
    are_installed = true;
    liveobj_order_threads();
    liveobj_images_visit(take_malloc_slots, NULL);
    return true;
}

void liveobj_malloc_hooks_take_new_images(void) {
    if (are_installed)
        liveobj_images_visit(take_malloc_slots, NULL);
}

#endif
