// The repair of a runtime whose hook path for retain changes the pointer: pointers arrive as they
// are, and the functions that replace the runtime's adapter keep the registers that it keeps.

#include "arch/runtime_code.h"
#include "hooks/hooks.h"
#include "os/os.h"
#include "records/records.h"
#include "records/thread.h"
#include "support/expect.h"

// MARK: - The runtime

static void *const immortal = (void *)(uintptr_t)0x8000000000005000;
static void *retained;

/// Changes the registers that an ordinary function may change.
static void *retain(void *object) {
#if defined(__aarch64__)
    __asm__ volatile("mov x9, #0\n\tmov x10, #0\n\tmov x11, #0\n\tmov x12, #0\n\t"
                     "mov x13, #0\n\tmov x14, #0\n\tmov x15, #0" ::
                         : "x9", "x10", "x11", "x12", "x13", "x14", "x15");
#endif
    retained = object;
    return object;
}

static void *(*retain_pointer)(void *) = retain;
static bool hooks_are_enabled;

LIVEOBJ_RETAIN_CONVENTION static void *adapter(void *object) {
    return retain_pointer((void *)((uintptr_t)object & 0x0ffffffffffffff8));
}

__attribute__((visibility("hidden"))) void *(*liveobj_test_adapter)(void *);
void *liveobj_test_swift_retain(void *object);
/// Calls that. \returns Whether the registers are as before that it keeps.
bool liveobj_test_keeps_registers(void *object);

#define FUNCTION(name) "  .globl " name "\n  .hidden " name "\n" name ":\n"
// clang-format off
#if defined(__x86_64__)
__asm__(
    FUNCTION("liveobj_test_swift_retain")
    "  mov liveobj_test_adapter(%rip), %rax\n  jmp *%rax\n"
    FUNCTION("liveobj_test_keeps_registers")
    "  sub $8, %rsp\n  call liveobj_test_swift_retain\n  add $8, %rsp\n"
    "  mov $1, %eax\n  ret\n");
#elif defined(__aarch64__)
__asm__(
    FUNCTION("liveobj_test_swift_retain")
    "  adrp x1, liveobj_test_adapter\n  ldr x1, [x1, :lo12:liveobj_test_adapter]\n  br x1\n"
    FUNCTION("liveobj_test_keeps_registers")
    "  stp x29, x30, [sp, #-16]!\n  mov x29, sp\n"
    "  mov x9, #9\n  mov x10, #10\n  mov x11, #11\n  mov x12, #12\n"
    "  mov x13, #13\n  mov x14, #14\n  mov x15, #15\n"
    "  bl liveobj_test_swift_retain\n"
    "  cmp x9, #9\n  ccmp x10, #10, #0, eq\n  ccmp x11, #11, #0, eq\n"
    "  ccmp x12, #12, #0, eq\n  ccmp x13, #13, #0, eq\n  ccmp x14, #14, #0, eq\n"
    "  ccmp x15, #15, #0, eq\n  cset w0, eq\n"
    "  ldp x29, x30, [sp], #16\n  ret\n");
#endif
// clang-format on

// MARK: - The tests

static void retain_is_as_the_runtime_means_it(void) {
    retained = NULL;
    EXPECT(liveobj_test_keeps_registers(immortal));
    EXPECT(retained == immortal);
}

int main(void) {
    liveobj_test_adapter = (void *(*)(void *))(uintptr_t)adapter;
    void *unused_pointer = NULL;
    struct liveobj_runtime runtime = {
        .swift_retain = (void *)(uintptr_t)liveobj_test_swift_retain,
        ._swift_retain = &retain_pointer,
        ._swift_retain_n = &unused_pointer,
        ._swift_release = &unused_pointer,
        ._swift_release_n = &unused_pointer,
        ._swift_tryRetain = &unused_pointer,
        ._swift_enableSwizzlingOfAllocationAndRefCountingFunctions_forInstrumentsOnly =
            &hooks_are_enabled,
    };
    EXPECT(liveobj_image_of((uintptr_t)runtime.swift_retain, &runtime.image));
    liveobj_test_swift_retain(immortal);
    EXPECT(retained != immortal);

    bool has_one_thread = liveobj_os_is_single_threaded(); // not with ThreadSanitizer
    enum liveobj_retain_path path = liveobj_retain_path_prepare(&runtime);
    EXPECT(path == (has_one_thread ? LIVEOBJ_RETAIN_PATH_REPAIRED : LIVEOBJ_RETAIN_PATH_FAULTY));
    if (!has_one_thread)
        return EXPECT_STATUS();
    retain_is_as_the_runtime_means_it();
    bool is_direct = liveobj_test_adapter == retain;
    EXPECT(is_direct == LIVEOBJ_RETAIN_IS_ORDINARY);

    EXPECT(liveobj_threads_start() && liveobj_records_start(1 << 20));
    liveobj_retain_hooks_install(&runtime);
    EXPECT((void *)(uintptr_t)retain_pointer != (void *)(uintptr_t)retain);
    retain_is_as_the_runtime_means_it();
    return EXPECT_STATUS();
}
