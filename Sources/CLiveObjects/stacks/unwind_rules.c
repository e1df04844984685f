// unwind_rules.c - owns the table of unwind rules by return address.
//
// A rule depends only on the return address, and a program's code has few of these. Each rule is
// derived once from the image's unwind table and then found by one load. The table is a cache: in a
// full set, a new rule replaces an older one, which will be derived again. Everything here may run
// inside a hook, except `liveobj_unwind_rules_forget`.

#if defined(__linux__)

#include "stacks/unwind_rules.h"
#include "stacks/eh_frame.h"
#include "stacks/unwind_images.h"

uint64_t liveobj_unwind_table[1 << LIVEOBJ_UNWIND_SET_BITS][LIVEOBJ_UNWIND_WAYS]
    __attribute__((aligned(64)));

/// No code lies below this address, which is never mapped.
#define CODE_START ((uintptr_t)1 << LIVEOBJ_UNWIND_SET_BITS)

static const struct liveobj_unwind_rule opaque = {.kind = LIVEOBJ_UNWIND_OPAQUE};

#if defined(__x86_64__)

#define COLUMN_FP 6
#define COLUMN_CONTEXT 14
#define COLUMN_SP 7
#define COLUMN_RETURN_ADDRESS 16
#define RETURN_ADDRESS_OFFSET (-8)

/// An offset as a count of words in `bits` bits; 0 if it does not fit.
static uint16_t words(int64_t offset, unsigned bits) {
    bool fits = offset > 0 && offset % 8 == 0 && offset / 8 < (int64_t)1 << bits;
    return fits ? (uint16_t)(offset / 8) : 0;
}

static const struct liveobj_eh_columns columns = {COLUMN_FP, COLUMN_CONTEXT};

static uint16_t context_words(const struct liveobj_eh_column *context) {
    if (context->saved == LIVEOBJ_EH_SAME)
        return LIVEOBJ_UNWIND_CONTEXT_KEPT;
    uint16_t saved = context->saved == LIVEOBJ_EH_AT_CFA
                         ? words(-context->offset, LIVEOBJ_UNWIND_CONTEXT_BITS)
                         : 0;
    return saved && saved < LIVEOBJ_UNWIND_CONTEXT_OWN ? saved : LIVEOBJ_UNWIND_CONTEXT_LOST;
}

static struct liveobj_unwind_rule rule_of_row(const struct liveobj_eh_row *row) {
    const struct liveobj_eh_column *fp = &row->frame_pointer;
    if (row->return_address.saved == LIVEOBJ_EH_UNDEFINED)
        return (struct liveobj_unwind_rule){.kind = LIVEOBJ_UNWIND_OUTERMOST};
    struct liveobj_unwind_rule rule = {
        .kind = LIVEOBJ_UNWIND_STEP,
        .from_fp = row->cfa_register == COLUMN_FP,
        .cfa_words = words(row->cfa_offset, LIVEOBJ_UNWIND_CFA_BITS),
        .fp_words = fp->saved == LIVEOBJ_EH_AT_CFA ? words(-fp->offset, LIVEOBJ_UNWIND_FP_BITS) : 0,
        .context_words = context_words(&row->context),
    };
    bool cfa_fits =
        row->cfa_is_simple && rule.cfa_words && (rule.from_fp || row->cfa_register == COLUMN_SP);
    bool return_address_fits = row->return_address.saved == LIVEOBJ_EH_AT_CFA &&
                               row->return_address.offset == RETURN_ADDRESS_OFFSET;
    bool fp_fits = fp->saved == LIVEOBJ_EH_SAME || rule.fp_words > 1;
    return cfa_fits && return_address_fits && fp_fits ? rule : opaque;
}

/// Whether these code bytes are at `address`.
static bool is_code(const struct liveobj_unwind_image *image, uintptr_t address,
                    const unsigned char *bytes, size_t count) {
    struct liveobj_extent range = liveobj_unwind_image_readable(image, address);
    size_t same = 0;
    if (range.end - range.start < count)
        return false;
    while (same < count && ((const unsigned char *)address)[same] == bytes[same])
        same++;
    return same == count;
}

/// Whether the call before `pc` is the one by which the runtime resumes a task. It passes the
/// task's context (at 0x40) in the context register and calls the task's function (at 0x38). No
/// other code has these two instructions together. The runtime has no symbol there.
static bool is_run_of_task(const struct liveobj_unwind_image *image, uintptr_t pc) {
    for (unsigned char base = 0; base < 8; base++) {
        const unsigned char low[] = {0x4c, 0x8b, 0x70 | base, 0x40, 0xff, 0x50 | base, 0x38};
        const unsigned char high[] = {0x4d, 0x8b, 0x70 | base, 0x40, 0x41, 0xff, 0x50 | base, 0x38};
        if (is_code(image, pc - sizeof low, low, sizeof low) ||
            is_code(image, pc - sizeof high, high, sizeof high))
            return true;
    }
    return false;
}

/// Whether a function begins like one that keeps its context in its frame, above its variables.
static bool keeps_context(const struct liveobj_unwind_image *image, uintptr_t function) {
    static const unsigned char start[] = {
        0x55,                         // push rbp
        0x41, 0x56,                   // push r14
        0x48, 0x8d, 0x6c, 0x24, 0x08, // lea rbp, [rsp + 8]
    };
    return is_code(image, function, start, sizeof start);
}

static struct liveobj_unwind_rule rule_in_image(const struct liveobj_unwind_image *image,
                                                uintptr_t pc) {
    struct liveobj_eh_program program;
    struct liveobj_eh_row row;
    // The call is before its return address, and may be its function's last instruction.
    uintptr_t call = pc - 1;
    if (is_run_of_task(image, pc))
        return (struct liveobj_unwind_rule){.kind = LIVEOBJ_UNWIND_TASK};
    switch (liveobj_eh_program_find(image, call, &program)) {
    case LIVEOBJ_EH_NONE:
        return liveobj_unwind_rule_guess();
    case LIVEOBJ_EH_ODD:
        return opaque;
    case LIVEOBJ_EH_FOUND:
        break;
    }
    bool is_plain = !program.is_signal_frame &&
                    program.return_address_column == COLUMN_RETURN_ADDRESS &&
                    liveobj_eh_program_run(&program, call, columns, &row);
    struct liveobj_unwind_rule rule = is_plain ? rule_of_row(&row) : opaque;
    if (rule.kind == LIVEOBJ_UNWIND_STEP && rule.from_fp && keeps_context(image, program.start))
        rule.context_words = LIVEOBJ_UNWIND_CONTEXT_OWN;
    return rule;
}

#else

// Other machines: their frame records hold the caller's frame pointer and the return address like
// those of x86_64. So the guess is right wherever code keeps frame pointers.
static struct liveobj_unwind_rule rule_in_image(const struct liveobj_unwind_image *image,
                                                uintptr_t pc) {
    (void)image;
    (void)pc;
    return liveobj_unwind_rule_guess();
}

#endif

static uint64_t word_of(uintptr_t pc, struct liveobj_unwind_rule rule) {
    return (uint64_t)(pc >> LIVEOBJ_UNWIND_SET_BITS) << LIVEOBJ_UNWIND_RULE_BITS |
           liveobj_unwind_rule_pack(rule);
}

static void store(uintptr_t pc, uint64_t word) {
    uint64_t *set = liveobj_unwind_set_of(pc);
    for (size_t way = 0; way < LIVEOBJ_UNWIND_WAYS; way++) {
        uint64_t empty = 0;
        // Relaxed, here and below: a word refers to no other memory.
        if (__atomic_compare_exchange_n(&set[way], &empty, word, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED))
            return;
    }
    __atomic_store_n(&set[pc % LIVEOBJ_UNWIND_WAYS], word, __ATOMIC_RELAXED);
}

LIVEOBJ_HOOK uint64_t liveobj_unwind_rule_derive(uintptr_t pc) {
    static const struct liveobj_unwind_rule none = {.kind = LIVEOBJ_UNWIND_NONE};
    struct liveobj_unwind_image image;
    if (pc < CODE_START || pc >= LIVEOBJ_ADDRESS_END)
        return liveobj_unwind_rule_pack(none);
    if (!liveobj_unwind_image_find(pc - 1, &image))
        // Not stored: an image may be loaded there later.
        return word_of(pc, liveobj_unwind_rule_guess());
    uint64_t word = word_of(pc, rule_in_image(&image, pc));
    store(pc, word);
    return word;
}

/// The return address whose rule is this word of the set.
static uintptr_t pc_of(size_t set, uint64_t word) {
    uintptr_t tag = (uintptr_t)(word >> LIVEOBJ_UNWIND_RULE_BITS);
    uintptr_t low = (set ^ tag ^ tag >> LIVEOBJ_UNWIND_SET_BITS) & LIVEOBJ_UNWIND_SET_MASK;
    return tag << LIVEOBJ_UNWIND_SET_BITS | low;
}

void liveobj_unwind_rules_forget(uintptr_t start, uintptr_t end) {
    for (size_t set = 0; set < 1 << LIVEOBJ_UNWIND_SET_BITS; set++)
        for (size_t way = 0; way < LIVEOBJ_UNWIND_WAYS; way++) {
            uint64_t *place = &liveobj_unwind_table[set][way];
            uint64_t word = __atomic_load_n(place, __ATOMIC_RELAXED);
            uintptr_t pc = pc_of(set, word);
            // Unless a hook has replaced it meanwhile.
            if (word && pc >= start && pc < end)
                __atomic_compare_exchange_n(place, &word, 0, false, __ATOMIC_RELAXED,
                                            __ATOMIC_RELAXED);
        }
}

#endif
