// raw_buffers.c - see raw_buffers.h. Owns nothing.

#if defined(__linux__)

#include "heap/raw_buffers.h"
#include "metadata/metadata.h"
#include "os/compiler.h"
#include "runtime/image.h"
#include "runtime/runtime.h"
#include "stacks/stacks.h"

LIVEOBJ_ANY_MEMORY_BEGIN

/// Whether a return address is in a function with this start. The functions have no end that could
/// be read here; none of the runtime's own allocations is near them.
static bool is_in(const void *function, uintptr_t pc) {
    enum { MOST_BYTES = 128 };
    return function && pc - (uintptr_t)function < MOST_BYTES;
}

/// The functions that programs call, and the compiler copies into their code if it optimises.
static bool is_in_standard_library(uintptr_t pc) {
    const struct liveobj_runtime *runtime = liveobj_runtime_current();
    return is_in(runtime->$sSv8allocate9byteCount9alignmentSvSi_SitFZ, pc) ||
           is_in(runtime->$sSp8allocate8capacitySpyxGSi_tFZ, pc) ||
           is_in(runtime->$sSw8allocate9byteCount9alignmentSwSi_SitFZ, pc);
}

/// A return address in the function that called the runtime's allocator; 0 if it is not known.
static uintptr_t allocating_code(const struct liveobj_object *buffer) {
    struct liveobj_stored_trace trace = {0};
    if (liveobj_stack_depot_has(buffer->stack))
        trace = liveobj_stack_depot_get(buffer->stack);
    uint32_t i = 0;
    while (i < trace.own_frames &&
           is_in(liveobj_runtime_current()->swift_slowAlloc, trace.frames[i]))
        i++;
    return i < trace.own_frames ? trace.frames[i] : 0;
}

static bool is_runtime_code(uintptr_t pc) {
    return liveobj_image_contains(&liveobj_runtime_current()->image, pc, 0) &&
           !is_in_standard_library(pc);
}

bool liveobj_buffer_is_of_program(const struct liveobj_object *buffer) {
    uintptr_t pc = allocating_code(buffer);
    return pc && !is_runtime_code(pc) && !liveobj_buffer_is_side_table(buffer);
}

// MARK: - Side tables

uintptr_t liveobj_side_table_object(uintptr_t side_table) {
    enum { COUNTS = 1, SHIFT = 3 };
    struct liveobj_object object;
    uintptr_t address = liveobj_word(side_table, 0);
    bool is_object = address && address % sizeof(uintptr_t) == 0 &&
                     liveobj_records_find(address, &object) &&
                     liveobj_word(address, COUNTS) << SHIFT == side_table;
    return is_object ? address : 0;
}

bool liveobj_buffer_is_side_table(const struct liveobj_object *buffer) {
    enum { SIDE_TABLE_BYTES = 32 };
    return buffer->bytes == SIDE_TABLE_BYTES &&
           (liveobj_side_table_object(buffer->address) || is_runtime_code(allocating_code(buffer)));
}

LIVEOBJ_ANY_MEMORY_END

#endif
