// unwind_rules.c - owns the table of unwind rules by return address.
//
// A rule depends only on the return address, and a program's code has few of these. Each rule is
// derived once from the image's unwind table and then found by one load. The table is a cache: in a
// full set, a new rule replaces an older one, which will be derived again. Everything here may run
// inside a hook, except `liveobj_unwind_rules_forget`.

#if defined(__linux__)

#include "stacks/unwind_rules.h"
#include "arch/runtime_code.h"
#include "stacks/unwind_images.h"

uint64_t liveobj_unwind_table[1 << LIVEOBJ_UNWIND_SET_BITS][LIVEOBJ_UNWIND_WAYS]
    __attribute__((aligned(64)));

/// No code lies below this address, which is never mapped.
#define CODE_START ((uintptr_t)LIVEOBJ_CODE_UNIT << LIVEOBJ_UNWIND_SET_BITS)

static const struct liveobj_unwind_rule opaque = {.kind = LIVEOBJ_UNWIND_OPAQUE};

/// An offset as a count of words in `bits` bits; 0 if it does not fit.
static uint16_t words_of_offset(int64_t offset, unsigned bits) {
    bool fits = offset > 0 && offset % 8 == 0 && offset / 8 < (int64_t)1 << bits;
    return fits ? (uint16_t)(offset / 8) : 0;
}

static const struct liveobj_eh_columns columns = {LIVEOBJ_COLUMN_FP, LIVEOBJ_COLUMN_CONTEXT};

/// The words below the CFA at which a register was saved; 0 if it was not, or does not fit.
static uint16_t saved_words(const struct liveobj_eh_column *column, unsigned bits) {
    return column->saved == LIVEOBJ_EH_AT_CFA ? words_of_offset(-column->offset, bits) : 0;
}

static uint16_t context_words(const struct liveobj_eh_column *context) {
    if (context->saved == LIVEOBJ_EH_SAME)
        return LIVEOBJ_UNWIND_CONTEXT_SAME;
    uint16_t saved = saved_words(context, LIVEOBJ_UNWIND_CONTEXT_BITS);
    return saved && saved < LIVEOBJ_UNWIND_CONTEXT_OWN ? saved : LIVEOBJ_UNWIND_CONTEXT_LOST;
}

static struct liveobj_unwind_rule rule_of_row(const struct liveobj_eh_row *row) {
    const struct liveobj_eh_column *fp = &row->frame_pointer;
    if (row->return_address.saved == LIVEOBJ_EH_UNDEFINED)
        return (struct liveobj_unwind_rule){.kind = LIVEOBJ_UNWIND_OUTERMOST};
    struct liveobj_unwind_rule rule = {
        .kind = LIVEOBJ_UNWIND_STEP,
        .from_fp = row->cfa_register == LIVEOBJ_COLUMN_FP,
        .cfa_words = words_of_offset(row->cfa_offset, LIVEOBJ_UNWIND_CFA_BITS),
        .fp_words = saved_words(fp, LIVEOBJ_UNWIND_SAVED_WORDS_BITS),
        .return_words = saved_words(&row->return_address, LIVEOBJ_UNWIND_SAVED_WORDS_BITS),
        .context_words = context_words(&row->context),
    };
    bool cfa_fits = row->cfa == LIVEOBJ_EH_CFA_SUM && rule.cfa_words &&
                    (rule.from_fp || row->cfa_register == LIVEOBJ_COLUMN_SP);
    bool fp_fits = fp->saved == LIVEOBJ_EH_SAME || rule.fp_words > 0;
    bool saved_fits = fp_fits && liveobj_saved_fits(rule.fp_words, rule.return_words);
    return cfa_fits && saved_fits ? rule : opaque;
}

/// Whether the call before `pc` is the one by which the runtime resumes a task. The runtime has no
/// symbol there.
static bool is_run_of_task(const struct liveobj_unwind_image *image, uintptr_t pc) {
    uintptr_t from = pc - LIVEOBJ_CODE_BYTES_OF_RUN;
    struct liveobj_extent range = liveobj_unwind_image_readable(image, from);
    return range.end - range.start >= LIVEOBJ_CODE_BYTES_OF_RUN &&
           liveobj_code_runs_task((const unsigned char *)pc);
}

static bool is_end_of_signal(const struct liveobj_unwind_image *image, uintptr_t pc) {
    struct liveobj_extent range = liveobj_unwind_image_readable(image, pc);
    return range.end - range.start >= LIVEOBJ_CODE_BYTES_OF_SIGNAL &&
           liveobj_code_ends_signal((const unsigned char *)pc);
}

static bool stores_context(const struct liveobj_unwind_image *image, uintptr_t function) {
    struct liveobj_extent range = liveobj_unwind_image_readable(image, function);
    size_t bytes = range.end - range.start;
    return liveobj_code_stores_context(
        (const unsigned char *)function,
        bytes < LIVEOBJ_CODE_BYTES_OF_PROLOGUE ? bytes : LIVEOBJ_CODE_BYTES_OF_PROLOGUE);
}

/// Reads the row for the call before `pc`, which may be its function's last instruction.
static enum liveobj_eh_result find_unwind_row(const struct liveobj_unwind_image *image,
                                              uintptr_t pc, struct liveobj_eh_program *program,
                                              struct liveobj_eh_row *row) {
    uintptr_t call = pc - 1;
    enum liveobj_eh_result result = liveobj_eh_program_find(image, call, program);
    if (result != LIVEOBJ_EH_FOUND)
        return result;
    bool is_plain = !program->is_signal_frame &&
                    program->return_address_column == LIVEOBJ_COLUMN_RETURN &&
                    liveobj_eh_program_run(program, call, columns, row);
    return is_plain ? LIVEOBJ_EH_FOUND : LIVEOBJ_EH_ODD;
}

static struct liveobj_unwind_rule rule_in_image(const struct liveobj_unwind_image *image,
                                                uintptr_t pc) {
    struct liveobj_eh_program program;
    struct liveobj_eh_row row;
    if (is_run_of_task(image, pc))
        return (struct liveobj_unwind_rule){.kind = LIVEOBJ_UNWIND_TASK};
    if (is_end_of_signal(image, pc))
        return (struct liveobj_unwind_rule){.kind = LIVEOBJ_UNWIND_SIGNAL};
    switch (find_unwind_row(image, pc, &program, &row)) {
    case LIVEOBJ_EH_NONE:
        return liveobj_unwind_rule_guess();
    case LIVEOBJ_EH_ODD:
        return opaque;
    case LIVEOBJ_EH_FOUND:
        break;
    }
    struct liveobj_unwind_rule rule = rule_of_row(&row);
    if (rule.kind == LIVEOBJ_UNWIND_STEP && rule.from_fp && stores_context(image, program.start))
        rule.context_words = LIVEOBJ_UNWIND_CONTEXT_OWN;
    return rule;
}

LIVEOBJ_HOOK bool liveobj_unwind_row_find(uintptr_t pc, struct liveobj_eh_row *row) {
    struct liveobj_unwind_image image;
    struct liveobj_eh_program program;
    return liveobj_unwind_image_find(pc - 1, &image) &&
           find_unwind_row(&image, pc, &program, row) == LIVEOBJ_EH_FOUND;
}

static uint64_t word_of(uintptr_t pc, struct liveobj_unwind_rule rule) {
    return (uint64_t)liveobj_unwind_tag_of(pc) << LIVEOBJ_UNWIND_RULE_BITS |
           liveobj_unwind_rule_pack(rule);
}

static void store_rule(uintptr_t pc, uint64_t word) {
    uint64_t *set = liveobj_unwind_set_of(pc);
    for (size_t way = 0; way < LIVEOBJ_UNWIND_WAYS; way++) {
        uint64_t empty = 0;
        // Relaxed, here and below: a word refers to no other memory.
        if (__atomic_compare_exchange_n(&set[way], &empty, word, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED))
            return;
    }
    __atomic_store_n(&set[(pc >> LIVEOBJ_CODE_UNIT_BITS) % LIVEOBJ_UNWIND_WAYS], word,
                     __ATOMIC_RELAXED);
}

LIVEOBJ_HOOK uint64_t liveobj_unwind_rule_derive(uintptr_t pc) {
    static const struct liveobj_unwind_rule none = {.kind = LIVEOBJ_UNWIND_NONE};
    struct liveobj_unwind_image image;
    // Where all instructions have four bytes, an address inside of one has the key of its start.
    if (pc < CODE_START || pc >= LIVEOBJ_ADDRESS_END || pc % LIVEOBJ_CODE_UNIT != 0)
        return liveobj_unwind_rule_pack(none);
    if (!liveobj_unwind_image_find(pc - 1, &image))
        // Not stored: an image may be loaded there later.
        return word_of(pc, liveobj_unwind_rule_guess());
    uint64_t word = word_of(pc, rule_in_image(&image, pc));
    store_rule(pc, word);
    return word;
}

void liveobj_unwind_rules_forget(void) {
    for (size_t set = 0; set < 1 << LIVEOBJ_UNWIND_SET_BITS; set++)
        for (size_t way = 0; way < LIVEOBJ_UNWIND_WAYS; way++)
            __atomic_store_n(&liveobj_unwind_table[set][way], 0, __ATOMIC_RELAXED);
}

#endif
