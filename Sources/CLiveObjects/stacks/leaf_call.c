// leaf_call.c - see leaf_call.h.

#if defined(__linux__)

#include "stacks/leaf_call.h"
#include "arch/runtime_code.h"
#include "arch/unwind.h"
#include "stacks/eh_frame.h"

static bool find_program(uintptr_t pc, struct liveobj_eh_program *program) {
    struct liveobj_unwind_image image;
    return liveobj_unwind_image_find(pc - 1, &image) &&
           liveobj_eh_program_find(&image, pc - 1, program) == LIVEOBJ_EH_FOUND;
}

/// The function around `pc`, if it has saved nothing there. \returns 0 if it has.
static uintptr_t leaf_at(uintptr_t pc) {
    static const struct liveobj_eh_columns columns = {LIVEOBJ_COLUMN_FP, LIVEOBJ_COLUMN_CONTEXT};
    struct liveobj_eh_program program;
    struct liveobj_eh_row row;
    bool is_leaf = find_program(pc, &program) && !program.is_signal_frame &&
                   liveobj_eh_program_run(&program, pc - 1, columns, &row) && row.cfa_is_simple &&
                   row.cfa_register == LIVEOBJ_COLUMN_SP && row.cfa_offset == 0 &&
                   row.return_address.saved == LIVEOBJ_EH_SAME;
    return is_leaf ? program.start : 0;
}

/// The direct calls of one function, of which the second is of no interest.
struct calls {
    uintptr_t function;
    uintptr_t last; // the return address
    uint32_t count;
};

static void count_calls(struct calls *calls, struct liveobj_extent range) {
    uintptr_t at = range.start + LIVEOBJ_CODE_BYTES_OF_CALL;
    for (; at <= range.end && calls->count < 2; at += LIVEOBJ_CODE_UNIT)
        if (liveobj_code_calls((const unsigned char *)at, calls->function)) {
            calls->last = at;
            calls->count++;
        }
}

/// Searches data too, where a word that looks like a call only makes the caller unknown.
static uintptr_t only_call(uintptr_t function) {
    struct calls calls = {.function = function};
    struct liveobj_unwind_image image;
    if (!liveobj_unwind_image_find(function, &image))
        return 0;
    for (uint32_t i = 0; i < image.readable_count; i++)
        count_calls(&calls, image.readable[i]);
    return calls.count == 1 ? calls.last : 0;
}

/// Relaxed: each of the two is complete by itself. A call is checked against the function, and the
/// C library, whose functions make the system calls, is never unloaded.
uintptr_t liveobj_leaf_return_address(uintptr_t pc) {
    static uintptr_t last_call, last_without;
    uintptr_t function = leaf_at(pc);
    if (!function || function == __atomic_load_n(&last_without, __ATOMIC_RELAXED))
        return 0;
    uintptr_t call = __atomic_load_n(&last_call, __ATOMIC_RELAXED);
    if (call && liveobj_code_calls((const unsigned char *)call, function))
        return call;
    call = only_call(function);
    __atomic_store_n(call ? &last_call : &last_without, call ? call : function, __ATOMIC_RELAXED);
    return call;
}

bool liveobj_leaf_is_call_of(uintptr_t return_address, uintptr_t pc) {
    struct liveobj_eh_program program;
    struct liveobj_unwind_image image;
    uintptr_t call = return_address - LIVEOBJ_CODE_BYTES_OF_CALL;
    if (!find_program(pc, &program) || !liveobj_unwind_image_find(call, &image))
        return false;
    struct liveobj_extent range = liveobj_unwind_image_readable(&image, call);
    return range.end - range.start >= LIVEOBJ_CODE_BYTES_OF_CALL &&
           liveobj_code_calls((const unsigned char *)return_address, program.start);
}

#endif
