// unwind_rules.h - the unwind rule of a return address: how to find the caller's registers. Runs in
// hooks.

#pragma once

#include "arch/unwind.h"
#include "os/compiler.h"
#include "stacks/eh_frame.h"

#pragma GCC visibility push(hidden)

enum liveobj_unwind_kind {
    /// No code can be at the address.
    LIVEOBJ_UNWIND_NONE = 0,
    /// From the image's unwind table: exact.
    LIVEOBJ_UNWIND_STEP,
    /// No table covers the address. The rule assumes a frame record at the frame pointer, which
    /// must then be checked.
    LIVEOBJ_UNWIND_GUESS,
    /// The outermost function of a thread.
    LIVEOBJ_UNWIND_OUTERMOST,
    /// The Swift runtime runs a task there. The callers are those of the task's functions, known
    /// from contexts (async_stack.c), and not those of the thread that runs the task.
    LIVEOBJ_UNWIND_TASK,
    /// The table's row does not fit in this form (rare_frames.c).
    LIVEOBJ_UNWIND_OPAQUE,
    /// A signal handler returns there: the caller is the code that the signal interrupted.
    LIVEOBJ_UNWIND_SIGNAL,
};

/// CFA = (sp or fp) + 8 * cfa_words. The return address is the word `return_words` words below the
/// CFA. The caller's frame pointer is the word `fp_words` words below it, or unchanged if that is
/// 0.
struct liveobj_unwind_rule {
    enum liveobj_unwind_kind kind;
    bool from_fp;
    uint16_t cfa_words;
    uint16_t fp_words;
    uint16_t return_words;
    /// The number of words below the CFA at which the caller's context register was saved, or one
    /// of these values.
    uint16_t context_words;
};

/// The context register, in which asynchronous functions get their context, is unchanged.
#define LIVEOBJ_UNWIND_CONTEXT_SAME 0
/// The function is asynchronous and stores its own context in its frame, in the word below the
/// frame record.
#define LIVEOBJ_UNWIND_CONTEXT_OWN 14
/// It is unknown where the register was saved.
#define LIVEOBJ_UNWIND_CONTEXT_LOST 15

/// Removes all rules, because code was unloaded.
void liveobj_unwind_rules_forget(void);

/// The rule for an address without a table: the frame pointer points to a frame record.
static inline struct liveobj_unwind_rule liveobj_unwind_rule_guess(void) {
    return (struct liveobj_unwind_rule){
        .kind = LIVEOBJ_UNWIND_GUESS,
        .from_fp = true,
        .cfa_words = LIVEOBJ_GUESS_CFA_WORDS,
        .fp_words = LIVEOBJ_GUESS_CFA_WORDS,
        .return_words = LIVEOBJ_GUESS_CFA_WORDS - 1,
        .context_words = LIVEOBJ_UNWIND_CONTEXT_LOST,
    };
}

/// Derives the word of a return address that is not in the table, and stores it there if an image
/// contains the address.
LIVEOBJ_HOOK uint64_t liveobj_unwind_rule_derive(uintptr_t pc);

/// Reads the table's row for a return address, which may not fit in a rule. Slow.
/// \returns false if there is none that can be read.
LIVEOBJ_HOOK bool liveobj_unwind_row_find(uintptr_t pc, struct liveobj_eh_row *row);

// MARK: - The table of known rules
//
// Sets of eight words, one cache line each; the return address chooses the set. One word holds
// everything about one address, so no reader can see half of it:
//     high bits: the tag, key >> SET_BITS      low bits: the rule, RULE_BITS
// The key is the address without the low bits that are 0 in all return addresses. The set's number
// is the low bits of the key xor a function of the tag. So number and tag together are the whole
// key, and an entry is never mistaken for another address's.
//     equation: tag(k) == tag(q) and set(k) == set(q)  <=>  k == q, for keys k, q

#define LIVEOBJ_UNWIND_CONTEXT_BITS 4
#define LIVEOBJ_UNWIND_CFA_SHIFT 4 // the bits of `kind` and `from_fp`
#define LIVEOBJ_UNWIND_SAVED_SHIFT (LIVEOBJ_UNWIND_CFA_SHIFT + LIVEOBJ_UNWIND_CFA_BITS)
#define LIVEOBJ_UNWIND_CONTEXT_SHIFT (LIVEOBJ_UNWIND_SAVED_SHIFT + LIVEOBJ_UNWIND_SAVED_BITS)
#define LIVEOBJ_UNWIND_RULE_BITS (LIVEOBJ_UNWIND_CONTEXT_SHIFT + LIVEOBJ_UNWIND_CONTEXT_BITS)
#define LIVEOBJ_UNWIND_KEY_BITS (LIVEOBJ_ADDRESS_BITS - LIVEOBJ_CODE_UNIT_BITS)
#define LIVEOBJ_UNWIND_SET_BITS (LIVEOBJ_UNWIND_KEY_BITS - (64 - LIVEOBJ_UNWIND_RULE_BITS))
#define LIVEOBJ_UNWIND_SET_MASK (((uintptr_t)1 << LIVEOBJ_UNWIND_SET_BITS) - 1)
#define LIVEOBJ_UNWIND_WAYS 8

extern uint64_t liveobj_unwind_table[1 << LIVEOBJ_UNWIND_SET_BITS][LIVEOBJ_UNWIND_WAYS];

static inline uintptr_t liveobj_unwind_tag_of(uintptr_t pc) {
    return pc >> LIVEOBJ_CODE_UNIT_BITS >> LIVEOBJ_UNWIND_SET_BITS;
}

static inline uint64_t *liveobj_unwind_set_of(uintptr_t pc) {
    uintptr_t key = pc >> LIVEOBJ_CODE_UNIT_BITS;
    uintptr_t tag = liveobj_unwind_tag_of(pc);
    uintptr_t set = key ^ tag ^ (tag >> LIVEOBJ_UNWIND_SET_BITS);
    return liveobj_unwind_table[set & LIVEOBJ_UNWIND_SET_MASK];
}

/// Packs a rule into the low bits of a word.
static inline uint64_t liveobj_unwind_rule_pack(struct liveobj_unwind_rule rule) {
    return (uint64_t)rule.kind | (uint64_t)rule.from_fp << 3 |
           (uint64_t)rule.cfa_words << LIVEOBJ_UNWIND_CFA_SHIFT |
           liveobj_saved_pack(rule.fp_words, rule.return_words) << LIVEOBJ_UNWIND_SAVED_SHIFT |
           (uint64_t)rule.context_words << LIVEOBJ_UNWIND_CONTEXT_SHIFT;
}

static inline struct liveobj_unwind_rule liveobj_unwind_rule_unpack(uint64_t word) {
    uint64_t saved = word >> LIVEOBJ_UNWIND_SAVED_SHIFT & ((1 << LIVEOBJ_UNWIND_SAVED_BITS) - 1);
    return (struct liveobj_unwind_rule){
        .kind = (enum liveobj_unwind_kind)(word & 7),
        .from_fp = word >> 3 & 1,
        .cfa_words = word >> LIVEOBJ_UNWIND_CFA_SHIFT & ((1 << LIVEOBJ_UNWIND_CFA_BITS) - 1),
        .fp_words = liveobj_saved_fp_words(saved),
        .return_words = liveobj_saved_return_words(saved),
        .context_words =
            word >> LIVEOBJ_UNWIND_CONTEXT_SHIFT & ((1 << LIVEOBJ_UNWIND_CONTEXT_BITS) - 1),
    };
}

static inline uint64_t liveobj_unwind_word_find(uintptr_t pc) {
    const uint64_t *set = liveobj_unwind_set_of(pc);
    for (size_t way = 0; way < LIVEOBJ_UNWIND_WAYS; way++) {
        // Relaxed: the word refers to no other memory.
        uint64_t word = __atomic_load_n(&set[way], __ATOMIC_RELAXED);
        if (LIVEOBJ_LIKELY(word >> LIVEOBJ_UNWIND_RULE_BITS == liveobj_unwind_tag_of(pc)))
            return word;
    }
    return liveobj_unwind_rule_derive(pc);
}

/// The rule of the return address `pc`.
static inline struct liveobj_unwind_rule liveobj_unwind_rule_find(uintptr_t pc) {
    return liveobj_unwind_rule_unpack(liveobj_unwind_word_find(pc));
}

#pragma GCC visibility pop
