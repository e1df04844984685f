// The same stack has the same id, whatever was walked before it.
//
// Random trees of calls through functions of many shapes. At each of their nodes the trace by a
// cache that has seen everything before must be the trace by a cache that has seen nothing.

#include "support/stack_testing.h"

#include <alloca.h>
#include <string.h>

static struct liveobj_stack_cache *remembering;
static struct liveobj_stack_cache *forgetful;
static uint64_t random_state = 1;
static uint64_t compared;

static unsigned random_below(unsigned limit) {
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(random_state >> 33) % limit;
}

static __attribute__((noinline)) void compare(void) {
    struct liveobj_registers leaf = CALLER_REGISTERS();
    memset(forgetful, 0, 64); // an empty cache again
    uint32_t id = liveobj_stack_trace_record(remembering, leaf.pc, leaf.sp, leaf.fp);
    EXPECT(id != 0);
    EXPECT(id == liveobj_stack_trace_record(forgetful, leaf.pc, leaf.sp, leaf.fp));
    compared++;
}

static void visit(unsigned depth);

/// Keeps the compiler from turning a call into a jump, and values from being known.
static volatile unsigned sink;

static __attribute__((noinline)) void call_plainly(unsigned depth) {
    visit(depth);
    sink = depth;
}

/// Its frame has no fixed size: the compiler needs a frame pointer.
static __attribute__((noinline)) void call_with_dynamic_stack(unsigned depth) {
    volatile char *bytes = alloca(16 + 16 * random_below(20));
    bytes[0] = (char)depth;
    visit(depth);
    sink = (unsigned)bytes[0];
}

/// Many values live across the calls: the frame pointer may become a register like any other.
static __attribute__((noinline)) unsigned
call_with_many_values(unsigned depth, unsigned a, unsigned b, unsigned c, unsigned d, unsigned e) {
    unsigned f = a * b, g = c * d, h = e * a, i = b * c;
    visit(depth);
    sink = f + g;
    if (random_below(2))
        compare();
    visit(depth);
    return a + b + c + d + e + f + g + h + i;
}

static __attribute__((noinline)) void call_with_large_frame(unsigned depth) {
    volatile char bytes[5000];
    bytes[depth] = 1;
    compare();
    visit(depth);
    sink = (unsigned)bytes[depth];
}

static int by_value(const void *a, const void *b) {
    if (random_below(8) == 0)
        compare();
    return *(const int *)a - *(const int *)b;
}

static __attribute__((noinline)) void call_through_libc(unsigned depth) {
    int numbers[] = {3, 1, 4, 1, 5, 9, 2, 6};
    qsort(numbers, 8, sizeof numbers[0], by_value);
    visit(depth);
    sink = (unsigned)numbers[0];
}

static __attribute__((noinline)) void visit(unsigned depth) {
    if (depth == 0)
        return compare();
    for (unsigned calls = 1 + random_below(3); calls > 0; calls--)
        switch (random_below(5)) {
        case 0:
            call_plainly(depth - 1);
            break;
        case 1:
            call_with_dynamic_stack(depth - 1);
            break;
        case 2:
            sink = call_with_many_values(depth - 1, sink, calls, depth, 3, 4);
            break;
        case 3:
            call_with_large_frame(depth - 1);
            break;
        case 4:
            call_through_libc(depth - 1);
            break;
        }
}

static __attribute__((noinline)) void recurse(unsigned depth) {
    if (depth % 61 == 0)
        compare();
    if (depth > 0)
        recurse(depth - 1);
    if (depth % 37 == 0)
        compare();
    sink = depth;
}

/// Goes deeper and returns again and again, by up to 700 frames each time.
static __attribute__((noinline)) void wander(unsigned depth) {
    for (unsigned turns = depth / 500; turns > 0; turns--)
        recurse(random_below(700));
    if (depth > 0)
        wander(depth - 1);
    sink = depth;
}

/// One call site that is reached from two: only a return address further out distinguishes them.
__attribute__((noinline)) uint32_t record_below(void) {
    struct liveobj_registers leaf = CALLER_REGISTERS();
    return liveobj_stack_trace_record(remembering, leaf.pc, leaf.sp, leaf.fp);
}

static __attribute__((noinline)) uint32_t middle(void) {
    uint32_t id = record_below();
    sink = id;
    return id;
}

static void different_stacks_have_different_ids(void) {
    uint32_t first = middle();
    sink = first;
    uint32_t second = middle();
    EXPECT(first != second);
    EXPECT(first && second);
}

/// Its frame has a frame pointer, at the same place whenever its caller's sp is the same.
static __attribute__((noinline)) uint32_t record_with_frame_pointer(void) {
    static volatile size_t bytes = 64; // not known to the compiler
    volatile char *area = alloca(bytes);
    area[0] = 0;
    uint32_t id = record_below();
    sink = id;
    return id;
}

#if defined(__x86_64__)
/// Like record_with_frame_pointer, but saves the frame pointer two words further in, and leaves the
/// words between as they were.
uint32_t record_far(void);
__asm__(".text\n"
        ".type record_far, @function\n"
        "record_far:\n"
        ".cfi_startproc\n"
        "  sub $16, %rsp\n"
        "  .cfi_def_cfa_offset 24\n"
        "  push %rbp\n"
        "  .cfi_def_cfa_offset 32\n"
        "  .cfi_offset rbp, -32\n"
        "  mov %rsp, %rbp\n"
        "  .cfi_def_cfa_register rbp\n"
        "  call record_below\n"
        "  pop %rbp\n"
        "  .cfi_def_cfa rsp, 24\n"
        "  add $16, %rsp\n"
        "  .cfi_def_cfa_offset 8\n"
        "  ret\n"
        ".cfi_endproc\n"
        ".size record_far, . - record_far\n");
#else
#define record_far record_with_frame_pointer
#endif

static uint32_t (*volatile record)(void);

static __attribute__((noinline)) uint32_t fill(size_t bytes) {
    volatile char *area = alloca(bytes);
    uint32_t id = record();
    sink = (unsigned)(uintptr_t)area;
    return id;
}

/// Calls `fill` from one of two places, with its frame shifted by `bytes`.
static __attribute__((noinline)) uint32_t shift(size_t bytes) {
    volatile char *area = alloca(bytes);
    uint32_t id;
    if (bytes > 512) {
        __asm__ volatile("nop"); // keeps the compiler from making one call of the two
        id = fill(1024 - bytes);
    } else {
        id = fill(1024 - bytes);
        __asm__ volatile("nop");
    }
    sink = (unsigned)(uintptr_t)area;
    return id;
}

/// `fill` makes up for the shift, so that all frames inside of it have the registers that they had,
/// and the words further out are still where they were. Only the saved frame pointer has changed,
/// and last it is saved where it was not the first time.
static void a_changed_frame_pointer_is_detected(void) {
    static volatile size_t sizes[] = {256, 768, 256, 256, 768}; // not known to the compiler
    uint32_t ids[5];
    for (volatile int i = 0; i < 5; i++) { // volatile: one call, not five
        record = i < 3 ? record_with_frame_pointer : record_far;
        ids[i] = shift(sizes[i]);
    }
    EXPECT(ids[0] != ids[1]);
    EXPECT(ids[0] == ids[2]);
    EXPECT(ids[3] != ids[4]);
}

int main(void) {
    if (liveobj_stacks_start(64, (uint64_t)1 << 30) == LIVEOBJ_STACKS_OFF)
        return 1;
    remembering = make_cache();
    forgetful = make_cache();
    different_stacks_have_different_ids();
    a_changed_frame_pointer_is_detected();
    for (unsigned i = 0; i < 40; i++)
        visit(1 + random_below(8));
    recurse(3000); // deeper than a trace is kept
    wander(1200);
    for (unsigned i = 0; i < 10; i++)
        visit(5);
    EXPECT(compared > 10000);
    EXPECT(liveobj_stack_depot_dropped() == 0);
    return EXPECT_STATUS();
}
