// Stack traces of code that is compiled with the processor's protection of branches: on aarch64 it
// signs the return addresses that it stores (see CMakeLists.txt).

#include "CLiveObjects.h"
#include "stacks/stacks.h"
#include "stacks/unwind_rules.h"
#include "support/stack_testing.h"

#if defined(__aarch64__)
#include <sys/auxv.h>
#endif

enum { CALLS = 20 };

static struct liveobj_stack_cache *cache;
static uintptr_t expected[CALLS]; // innermost first
static unsigned signed_addresses;
static uint32_t trace;

/// Whether the processor can sign addresses.
static bool processor_signs(void) {
#if defined(__aarch64__)
    enum { SIGNS = 1 << 30 }; // HWCAP_PACA
    return getauxval(AT_HWCAP) & SIGNS;
#else
    return false;
#endif
}

static void note(int call, const uintptr_t *record, void *return_address) {
    expected[call] = (uintptr_t)return_address;
    signed_addresses += record[1] != expected[call];
}

__attribute__((noinline)) static void record_trace(void) {
    struct liveobj_registers caller = CALLER_REGISTERS();
    trace = liveobj_stack_trace_record(cache, caller.pc, caller.sp, caller.fp);
}

__attribute__((noinline)) static void call_deeply(int calls) {
    note(calls - 1, __builtin_frame_address(0), __builtin_return_address(0));
    if (calls == 1)
        record_trace();
    else
        call_deeply(calls - 1);
    __asm__ volatile(""); // no tail call
}

static void traces_have_plain_addresses(void) {
    uintptr_t found[MAX_FRAMES];
    call_deeply(CALLS);
    EXPECT(processor_signs() ? signed_addresses > 0 : signed_addresses == 0);
    EXPECT(liveobj_unwind_rule_find(expected[0]).kind == LIVEOBJ_UNWIND_STEP);
    size_t count = expand(trace, found);
    EXPECT(count > CALLS + 1);
    for (size_t i = 0; i < CALLS; i++)
        EXPECT(found[i + 1] == expected[i]); // after the one in the innermost call
}

int main(void) {
    cache = make_cache();
    EXPECT(liveobj_stacks_start(64, 1 << 24) != LIVEOBJ_STACKS_OFF);
    traces_have_plain_addresses();
    return EXPECT_STATUS();
}
