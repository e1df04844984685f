// hooks.h - the hooks in the Swift runtime.

#pragma once

#include "CLiveObjects.h"
#include "arch/registers.h"
#include "os/compiler.h"
#include "runtime/runtime.h"

#pragma GCC visibility push(hidden)

// MARK: - hooks.c: allocations and deallocations

bool liveobj_hooks_install(const struct liveobj_runtime *runtime, enum liveobj_hook_mode hook_mode);
/// From now on what the Swift runtime, its concurrency library, Foundation and libdispatch free is
/// cleared, if malloc is the C library's: no later use of the memory has words of objects in it.
/// For processes that run tests: it takes time.
void liveobj_hooks_clear_freed(void);
/// No further allocation is recorded until the hooks resume.
void liveobj_hooks_pause(void);
void liveobj_hooks_resume(void);
/// Pauses, and counts objects as missing until `liveobj_hooks_resume`.
void liveobj_hooks_stop(void);
/// From now on all hooks do nothing but what they replace: they make no system call.
void liveobj_hooks_end(void);
LIVEOBJ_HOOK bool liveobj_hooks_have_ended(void);
/// Sets whether hooks record stack traces.
void liveobj_hooks_set_stacks(bool on);
LIVEOBJ_HOOK bool liveobj_hooks_record_stacks(void);
void liveobj_hooks_set_scope_key(enum liveobj_scope_owner owner, const void *key);
/// The scope that is bound where the calling thread is; 0 for none.
LIVEOBJ_HOOK uint32_t liveobj_hooks_current_scope(void);

/// Records memory as a raw buffer, unless it is NULL or the thread is at work for the recorder.
LIVEOBJ_HOOK void liveobj_hooks_record_buffer(void *memory, size_t bytes,
                                              struct liveobj_hook_frame frame);
/// Removes the record of memory. \returns whether it had one.
LIVEOBJ_HOOK bool liveobj_hooks_forget_buffer(const void *memory);

// MARK: - malloc_hooks.c: allocations of C code

/// \returns false if the functions of the allocator cannot be found; then nothing is changed.
bool liveobj_malloc_hooks_install(void);
/// Replaces GOT entries in images that were loaded since. Takes the dynamic linker's lock.
void liveobj_malloc_hooks_take_new_images(void);

// MARK: - memory_purpose.c

/// \param sees_objects Whether objects are recorded in the allocator's hooks.
void liveobj_memory_purpose_prepare(const struct liveobj_runtime *runtime, bool sees_objects);
/// \param record The frame record of a hook that the runtime called for memory.
/// \returns One of LIVEOBJ_METADATA_*; 0 for memory that the runtime uses itself.
LIVEOBJ_HOOK uintptr_t liveobj_memory_purpose(const uintptr_t *record);

// MARK: - self_test.c

/// Checks the hooks, once they are installed: the runtime allocates and frees an object.
/// \returns true if the hooks saw both and, in mode LIVEOBJ_HOOKS_GOT, can distinguish an object
/// from a raw buffer.
bool liveobj_hooks_test(const struct liveobj_runtime *runtime, enum liveobj_hook_mode hook_mode);
/// Checks whether the runtime still calls the hooks, by an object that is not recorded. Another
/// tool that has replaced a hook, but calls it, is no failure. Cheap. Outside of hooks.
/// \returns What is not recorded any more, a sentence; NULL if all is. Once it has failed, it
/// always does: what was allocated meanwhile is missing.
const char *liveobj_hooks_failure(void);

// MARK: - retain_hooks.c: retains and releases

/// Replaces the runtime's retain pointers and, in all images, the GOT entries of functions that
/// retain without them.
void liveobj_retain_hooks_install(const struct liveobj_runtime *runtime);
/// Replaces these GOT entries in images that were loaded since.
/// \returns true if there were any, now or at an earlier call: their retains may have been missed.
/// Takes the dynamic linker's lock.
bool liveobj_retain_hooks_missed_images(void);

// MARK: - retain_path.c

/// Checks whether `_swift_retain` may be hooked in this runtime, and repairs the runtime if that is
/// needed and possible. The process must have one thread, because the check sets the hook pointers
/// for a moment.
enum liveobj_retain_path {
    LIVEOBJ_RETAIN_PATH_SOUND,
    LIVEOBJ_RETAIN_PATH_REPAIRED,
    LIVEOBJ_RETAIN_PATH_FAULTY,
};
enum liveobj_retain_path liveobj_retain_path_prepare(const struct liveobj_runtime *runtime);

/// The variable through which the repaired retain path jumps; NULL if nothing was repaired.
void **liveobj_retain_path_variable(void);

#pragma GCC visibility pop
