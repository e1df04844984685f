// retain_path.c - checks whether the runtime's hook path for retain is safe, and repairs it if not.
//
// In Swift 6.3 on Linux, `swift_retain` with hooks enabled calls a file-local adapter, which clears
// the pointer's spare bits before it calls `_swift_retain`. The pointer of an immortal object (a
// string literal has the top bit set) then looks like an ordinary one, and its bytes are changed
// like a reference count. Every XCTest binary crashes for this reason. (Upstream: introduced by
// swiftlang/swift pull request 85044, fixed by 88924; runtimes up to 6.2 have no adapter.)
//
// The check calls the runtime's own `swift_retain` with an address that nothing dereferences. The
// runtime calls the adapter through a variable of libswiftCore; the repair stores a function there
// that takes the pointer unchanged.
//
// Owns the addresses of that variable and of `_swift_retain`. Runs once, while the process has one
// thread: a retain by another thread during the probe would be lost.

#if defined(__linux__)

#include "arch/runtime_code.h"
#include "hooks/hooks.h"
#include "os/os.h"
#include "runtime/image.h"

#include <elf.h>

typedef void *(*retain_fn)(void *);

/// Looks like an immortal object to a runtime that does not mask the pointer, and like address
/// 0x1000 to one that does.
static void *const probe_object = (void *)(uintptr_t)0x8000000000001000;

static void *seen_object;
static void **adapter_variable;
static retain_fn *hook_pointer;

static void *remember_argument(void *object) {
    seen_object = object;
    return object;
}

/// In the adapter's place.
LIVEOBJ_RETAIN_CONVENTION static void *retain_unmasked(void *object) {
    // Relaxed: the runtime reads the pointer in no order either.
    return __atomic_load_n(hook_pointer, __ATOMIC_RELAXED)(object);
}

/// Sends one retain of the probe object through the hook path, and restores the hook pointers.
/// \returns Whether the pointer was changed on the way.
static bool hook_path_masks(const struct liveobj_runtime *runtime) {
    retain_fn *hook = (retain_fn *)runtime->_swift_retain;
    bool *enabled =
        (bool *)
            runtime->_swift_enableSwizzlingOfAllocationAndRefCountingFunctions_forInstrumentsOnly;
    retain_fn retain = (retain_fn)(uintptr_t)runtime->swift_retain;
    retain_fn original = *hook;
    bool was_enabled = *enabled;
    seen_object = NULL;
    *hook = remember_argument;
    *enabled = true;
    retain(probe_object);
    *enabled = was_enabled;
    *hook = original;
    return seen_object != NULL && seen_object != probe_object;
}

/// True if `variable` can be the adapter's: data of the runtime that points to code of the runtime.
/// Asks the kernel too, because a part of the data is read-only after relocation.
static bool leads_to_adapter(const struct liveobj_runtime *runtime, void **variable) {
    return (uintptr_t)variable % sizeof *variable == 0 &&
           liveobj_image_contains(&runtime->image, (uintptr_t)variable, PF_W) &&
           liveobj_os_is_writable((uintptr_t)variable) &&
           liveobj_image_contains(&runtime->image, (uintptr_t)*variable, PF_X);
}

/// The variable that `swift_retain` jumps through.
static void **decode_adapter_variable(const struct liveobj_runtime *runtime) {
    enum { SEARCHED = 256 };
    const unsigned char *code = runtime->swift_retain, *end = code + SEARCHED;
    if (!liveobj_image_contains(&runtime->image, (uintptr_t)end, PF_X))
        return NULL;
    for (uintptr_t variable; (variable = liveobj_code_next_variable_jump(&code, end));)
        if (leads_to_adapter(runtime, (void **)variable))
            return (void **)variable;
    return NULL;
}

static void **find_adapter_variable(const struct liveobj_runtime *runtime) {
    void **variable = decode_adapter_variable(runtime);
    if (variable)
        return variable;
    const char *symbol = "_ZL21_swift_retain_adapter";
    variable = (void **)liveobj_image_symbol(&runtime->image, symbol).start;
    return variable && leads_to_adapter(runtime, variable) ? variable : NULL;
}

enum liveobj_retain_path liveobj_retain_path_prepare(const struct liveobj_runtime *runtime) {
    if (!liveobj_os_is_single_threaded())
        return LIVEOBJ_RETAIN_PATH_FAULTY; // cannot be checked
    if (!hook_path_masks(runtime))
        return LIVEOBJ_RETAIN_PATH_SOUND;
    void **variable = find_adapter_variable(runtime);
    if (!variable || !LIVEOBJ_HAS_RETAIN_CONVENTION)
        return LIVEOBJ_RETAIN_PATH_FAULTY;
    void *adapter = *variable;
    hook_pointer = (retain_fn *)runtime->_swift_retain;
    *variable = (void *)(uintptr_t)retain_unmasked;
    if (hook_path_masks(runtime)) {
        *variable = adapter;
        return LIVEOBJ_RETAIN_PATH_FAULTY;
    }
    // Saves a jump and two loads for each retain: a tenth of a program that does little else. What
    // another library stores in the hook pointer later is then not called.
    if (LIVEOBJ_RETAIN_IS_ORDINARY)
        *variable = (void *)(uintptr_t)*hook_pointer;
    adapter_variable = variable;
    return LIVEOBJ_RETAIN_PATH_REPAIRED;
}

void **liveobj_retain_path_variable(void) {
    return adapter_variable;
}

#endif
