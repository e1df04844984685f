// The runtime's code is recognised by its instructions, as compilers write them in different
// versions, and nothing that is like it.

#include "arch/runtime_code.h"
#include "support/expect.h"

#include <string.h>

/// The address in bytes of code, which need not lie where the code would.
static uintptr_t address_of(const void *code, size_t offset) {
    return (uintptr_t)code + offset;
}

static uintptr_t jump_in(const void *code, size_t bytes) {
    const unsigned char *next = code;
    return liveobj_code_next_variable_jump(&next, next + bytes);
}

static uintptr_t pool_call_in(const void *code, size_t bytes) {
    return liveobj_code_find_pool_call(code, (const unsigned char *)code + bytes);
}

/// \param code Is at the end of what is read.
static bool runs_task(const void *code, size_t bytes) {
    unsigned char before[LIVEOBJ_CODE_BYTES_OF_RUN];
    memset(before, 0, sizeof before);
    memcpy(before + sizeof before - bytes, code, bytes);
    return liveobj_code_runs_task(before + sizeof before);
}

#define JUMP_IN(code) jump_in(code, sizeof code)
#define POOL_CALL_IN(code) pool_call_in(code, sizeof code)
#define RUNS_TASK(code) runs_task(code, sizeof code)
#define STORES_CONTEXT(code) liveobj_code_stores_context((const void *)code, sizeof code)

#if defined(__x86_64__)

static void jumps_through_variables_are_found(void) {
    static const unsigned char plain[] = {0x90, 0x48, 0x8b, 0x05, 0x00, 0x01,
                                          0x00, 0x00, 0xff, 0xe0, 0x90};
    static const unsigned char with_frame[] = {0x48, 0x8b, 0x05, 0xf0, 0xff,
                                               0xff, 0xff, 0x5d, 0xff, 0xe0};
    static const unsigned char call[] = {0x48, 0x8b, 0x05, 0x00, 0x01,
                                         0x00, 0x00, 0xff, 0xd0, 0x90};
    EXPECT(JUMP_IN(plain) == address_of(plain, 8 + 0x100));
    EXPECT(JUMP_IN(with_frame) == address_of(with_frame, 7) - 0x10);
    EXPECT(JUMP_IN(call) == 0);
}

static void pool_calls_are_found(void) {
    static const unsigned char call[] = {0x90, 0xbf, 0x00, 0x40, 0x00, 0x00, 0x31,
                                         0xf6, 0xe8, 0x01, 0x02, 0x03, 0x04};
    EXPECT(POOL_CALL_IN(call) == address_of(call, sizeof call));
    EXPECT(pool_call_in(call, sizeof call - 1) == 0);
}

static void runs_of_tasks_are_recognised(void) {
    static const unsigned char low[] = {0x4c, 0x8b, 0x70, 0x40, 0xff, 0x50, 0x38};
    static const unsigned char high[] = {0x4d, 0x8b, 0x77, 0x40, 0x41, 0xff, 0x57, 0x38};
    static const unsigned char other[] = {0x4c, 0x8b, 0x70, 0x40, 0xff, 0x50, 0x30};
    EXPECT(RUNS_TASK(low) && RUNS_TASK(high) && !RUNS_TASK(other));
}

static void functions_with_a_context_are_recognised(void) {
    static const unsigned char own[] = {0x55, 0x41, 0x56, 0x48, 0x8d, 0x6c, 0x24, 0x08};
    static const unsigned char other[] = {0x55, 0x41, 0x56, 0x48, 0x89, 0xe5, 0x24, 0x08};
    EXPECT(STORES_CONTEXT(own) && !STORES_CONTEXT(other));
    EXPECT(!liveobj_code_stores_context(own, sizeof own - 1));
}

#elif defined(__aarch64__)

/// The page that an adrp of `pages` computes, plus an offset.
static uintptr_t in_page(const void *adrp, intptr_t pages, uintptr_t offset) {
    return ((uintptr_t)adrp & ~(uintptr_t)0xfff) + (uintptr_t)(pages * 0x1000) + offset;
}

static void jumps_through_variables_are_found(void) {
    // swift_retain of 6.0: frame, flag, hook pointer, end of the frame, jump.
    static const uint32_t known[] = {
        0xa9bf7bfd, // stp x29,x30,[sp,#-16]!
        0x910003fd, // mov x29,sp
        0x90000bc8, // adrp x8,+0x178
        0xf9427901, // ldr x1,[x8,#0x4f0]
        0xa8c17bfd, // ldp x29,x30,[sp],#16
        0xd61f0020, // br x1
    };
    static const uint32_t backwards[] = {
        0xf0ffffe9, // adrp x9,-1
        0xf9400120, // ldr x0,[x9]
        0xf9400d30, // ldr x16,[x9,#0x18]
        0xd50323bf, // autiasp
        0xd61f0200, // br x16
    };
    static const uint32_t pair[] = {
        0xb0000008, // adrp x8,+1
        0xa9412502, // ldp x2,x9,[x8,#0x10]
        0xd61f0120, // br x9
    };
    static const uint32_t call[] = {0xb0000008, 0xf9400509, 0xd63f0120};     // … blr x9
    static const uint32_t by_value[] = {0xb0000008, 0xf9400509, 0xd61f0060}; // … br x3
    // adrp x8; add x8,x8,#0x40; ldr x1,[x8]; br x1
    static const uint32_t moved[] = {0xb0000008, 0x91010108, 0xf9400101, 0xd61f0020};
    // adrp x8; ldr x8,[x8,#8]; ldr x1,[x8]; br x1
    static const uint32_t indirect[] = {0xb0000008, 0xf9400508, 0xf9400101, 0xd61f0020};
    // adrp x8; ldr x2,[x8],#8; ldr x1,[x8]; br x1
    static const uint32_t stepped[] = {0xb0000008, 0xf8408502, 0xf9400101, 0xd61f0020};
    // adrp x8; ldr x1,[x8]; ldp x3,x1,[x9]; br x1
    static const uint32_t replaced[] = {0xb0000008, 0xf9400101, 0xa9400523, 0xd61f0020};
    EXPECT(JUMP_IN(moved) == 0 && JUMP_IN(indirect) == 0 && JUMP_IN(stepped) == 0);
    EXPECT(JUMP_IN(replaced) == 0);
    EXPECT(JUMP_IN(known) == in_page(&known[2], 0x178, 0x4f0));
    EXPECT(JUMP_IN(backwards) == in_page(&backwards[0], -1, 0x18));
    EXPECT(JUMP_IN(pair) == in_page(&pair[0], 1, 0x18));
    EXPECT(JUMP_IN(call) == 0 && JUMP_IN(by_value) == 0);
}

/// Where `swift_retain` jumps twice, the second variable may be the adapter's.
static void all_jumps_are_found(void) {
    static const uint32_t code[] = {0x90000008, 0xf9400509, 0xd61f0120,  // by [page + 8]
                                    0x90000008, 0xf9400909, 0xd61f0120}; // by [page + 16]
    const unsigned char *next = (const void *)code, *end = next + sizeof code;
    EXPECT(liveobj_code_next_variable_jump(&next, end) == in_page(&code[0], 0, 8));
    EXPECT(liveobj_code_next_variable_jump(&next, end) == in_page(&code[3], 0, 16));
    EXPECT(liveobj_code_next_variable_jump(&next, end) == 0);
}

static void pool_calls_are_found(void) {
    static const uint32_t size_first[] = {0xd503201f, 0x52880000, 0xaa1f03e1, 0x97ffff00};
    static const uint32_t size_last[] = {0xaa1f03e1, 0x52880000, 0x94000001};
    static const uint32_t other_size[] = {0x52890000, 0xaa1f03e1, 0x94000001};
    EXPECT(POOL_CALL_IN(size_first) == address_of(size_first, sizeof size_first));
    EXPECT(POOL_CALL_IN(size_last) == address_of(size_last, sizeof size_last));
    EXPECT(POOL_CALL_IN(other_size) == 0);
}

static void runs_of_tasks_are_recognised(void) {
    static const uint32_t pair[] = {0xa943d808, 0xd63f0100}; // ldp x8,x22,[x0,#0x38]; blr x8
    static const uint32_t apart[] = {0xf9402276, 0xf9401e61, 0xaa1403e0, 0xd63f0020};
    static const uint32_t other_function[] = {0xa943d808, 0xd63f0120}; // … blr x9
    static const uint32_t other_register[] = {0xa943d408, 0xd63f0100}; // ldp x8,x21,…
    // The end of one function, and a call in the next.
    static const uint32_t restored[] = {0xa94457f6, 0xa9435ff8, 0xd65f03c0, 0xaa1303e1, 0xd63f02e0};
    EXPECT(RUNS_TASK(pair) && RUNS_TASK(apart) && !RUNS_TASK(restored));
    EXPECT(!RUNS_TASK(other_function) && !RUNS_TASK(other_register));
}

static void functions_with_a_context_are_recognised(void) {
    static const uint32_t own[] = {
        0xd10143ff, // sub sp,sp,#0x50
        0xa9047bfd, // stp x29,x30,[sp,#0x40]
        0xf9001ff6, // str x22,[sp,#0x38]
        0x910103fd, // add x29,sp,#0x40
    };
    static const uint32_t saved[] = {0xd10143ff, 0xa9047bfd, 0xf90013f6, 0x910103fd}; // [sp,#0x20]
    static const uint32_t two[] = {0x910003fd, 0xd65f03c0, 0xd10143ff, 0xf9001ff6, 0x910103fd};
    EXPECT(STORES_CONTEXT(own));
    EXPECT(!STORES_CONTEXT(saved) && !STORES_CONTEXT(two));
    EXPECT(!liveobj_code_stores_context((const void *)own, sizeof own - 4));
}

#endif

static void ends_of_signals_are_recognised(void) {
    static const uint32_t end[] = {0xd2801168, 0xd4000001}, other[] = {0xd2801148, 0xd4000001};
    EXPECT(!liveobj_code_ends_signal((const void *)other));
#if defined(__aarch64__)
    EXPECT(liveobj_code_ends_signal((const void *)end));
#else
    EXPECT(!liveobj_code_ends_signal((const void *)end));
#endif
}

int main(void) {
    jumps_through_variables_are_found();
#if defined(__aarch64__)
    all_jumps_are_found();
#endif
    pool_calls_are_found();
    runs_of_tasks_are_recognised();
    functions_with_a_context_are_recognised();
    ends_of_signals_are_recognised();
    return EXPECT_STATUS();
}
