// leaf_call.c - see leaf_call.h.

#if defined(__linux__)

#include "stacks/leaf_call.h"
#include "arch/runtime_code.h"
#include "arch/unwind.h"
#include "stacks/eh_frame.h"

#include <stddef.h>

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

static void add_calls(struct liveobj_leaf_calls *calls, uintptr_t function,
                      struct liveobj_extent range) {
    uintptr_t at = range.start + LIVEOBJ_CODE_BYTES_OF_CALL;
    for (; calls->is_complete && at <= range.end; at += LIVEOBJ_CODE_UNIT)
        if (liveobj_code_calls((const unsigned char *)at, function)) {
            if (calls->count == LIVEOBJ_LEAF_CALLS_LIMIT)
                calls->is_complete = false;
            else
                calls->return_addresses[calls->count++] = at;
        }
}

/// Searches data too, where a word may look like a call.
static struct liveobj_leaf_calls search(uintptr_t function) {
    struct liveobj_leaf_calls calls = {.is_complete = true};
    struct liveobj_unwind_image image;
    if (!liveobj_unwind_image_find(function, &image))
        return (struct liveobj_leaf_calls){0};
    for (uint32_t i = 0; i < image.readable_count; i++)
        add_calls(&calls, function, image.readable[i]);
    return calls;
}

/// The results of searches. The few functions that wait are in libraries that are never unloaded.
enum { KNOWN_LIMIT = 8 };
static struct {
    uintptr_t function; // atomic; stored last
    struct liveobj_leaf_calls calls;
} known[KNOWN_LIMIT];
static uint32_t claimed; // atomic: the entries that are taken, or more

static const struct liveobj_leaf_calls *known_calls(uintptr_t function) {
    // Acquire: the calls that were stored before.
    for (uint32_t i = 0; i < KNOWN_LIMIT; i++)
        if (__atomic_load_n(&known[i].function, __ATOMIC_ACQUIRE) == function)
            return &known[i].calls;
    return NULL;
}

/// Two threads may search for the same function, and take two entries. \returns NULL if none is
/// left.
static const struct liveobj_leaf_calls *search_and_keep(uintptr_t function) {
    // Relaxed: only the number matters.
    bool has_place = __atomic_load_n(&claimed, __ATOMIC_RELAXED) < KNOWN_LIMIT;
    uint32_t entry = has_place ? __atomic_fetch_add(&claimed, 1, __ATOMIC_RELAXED) : KNOWN_LIMIT;
    if (entry >= KNOWN_LIMIT)
        return NULL;
    known[entry].calls = search(function);
    // Release: the calls.
    __atomic_store_n(&known[entry].function, function, __ATOMIC_RELEASE);
    return &known[entry].calls;
}

const struct liveobj_leaf_calls *liveobj_leaf_calls_of(uintptr_t pc) {
    uintptr_t function = leaf_at(pc);
    const struct liveobj_leaf_calls *calls = function ? known_calls(function) : NULL;
    return calls || !function ? calls : search_and_keep(function);
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
