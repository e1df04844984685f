// unwind_rules.h - the unwind rule of a return address: how to find the caller's registers. Runs in
// hooks.

#pragma once

#include "os/address.h"
#include "os/compiler.h"

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
    /// from contexts (async_stack.h), and not those of the thread that runs the task.
    LIVEOBJ_UNWIND_TASK,
    /// The table's row does not fit in this form: libunwind is needed.
    LIVEOBJ_UNWIND_OPAQUE,
};

/// CFA = (sp or fp) + 8 * cfa_words. The return address is the word below the CFA. The caller's
/// frame pointer is the word `fp_words` words below the CFA, or unchanged if that is 0.
struct liveobj_unwind_rule {
    enum liveobj_unwind_kind kind;
    bool from_fp;
    uint16_t cfa_words;
    uint16_t fp_words;
    /// The number of words below the CFA at which the caller's context register was saved, or one
    /// of these values.
    uint16_t context_words;
};

/// The context register, in which asynchronous functions get their context, is unchanged.
#define LIVEOBJ_UNWIND_CONTEXT_KEPT 0
/// The function is asynchronous and keeps its own context in its frame, three words below the CFA.
#define LIVEOBJ_UNWIND_CONTEXT_OWN 14
/// It is unknown where the register was saved.
#define LIVEOBJ_UNWIND_CONTEXT_LOST 15

/// Removes the rules of these return addresses: their code was unloaded.
void liveobj_unwind_rules_forget(uintptr_t start, uintptr_t end);

/// The rule for an address without a table: the frame pointer points to a frame record.
static inline struct liveobj_unwind_rule liveobj_unwind_rule_guess(void) {
    return (struct liveobj_unwind_rule){
        .kind = LIVEOBJ_UNWIND_GUESS,
        .from_fp = true,
        .cfa_words = 2,
        .fp_words = 2,
        .context_words = LIVEOBJ_UNWIND_CONTEXT_LOST,
    };
}

/// Derives the word of a return address that is not in the table, and stores it there if an image
/// contains the address.
LIVEOBJ_HOOK uint64_t liveobj_unwind_rule_derive(uintptr_t pc);

// MARK: - The table of known rules
//
// Sets of eight words, one cache line each; the return address chooses the set. One word holds
// everything about one address, so no reader can see half of it:
//     bits 30-63: the tag, pc >> SET_BITS      bits 0-29: the rule
// The set's number is the low bits of pc xor a function of the tag. So number and tag together are
// the whole address, and an entry is never mistaken for another address's.
//     equation: tag(pc) == tag(q) and set(pc) == set(q)  <=>  pc == q, for addresses pc, q

#define LIVEOBJ_UNWIND_RULE_BITS 30
#define LIVEOBJ_UNWIND_SET_BITS (LIVEOBJ_ADDRESS_BITS - (64 - LIVEOBJ_UNWIND_RULE_BITS))
#define LIVEOBJ_UNWIND_SET_MASK (((uintptr_t)1 << LIVEOBJ_UNWIND_SET_BITS) - 1)
#define LIVEOBJ_UNWIND_CFA_BITS 14
#define LIVEOBJ_UNWIND_FP_BITS 8
#define LIVEOBJ_UNWIND_CONTEXT_BITS 4
#define LIVEOBJ_UNWIND_WAYS 8

extern uint64_t liveobj_unwind_table[1 << LIVEOBJ_UNWIND_SET_BITS][LIVEOBJ_UNWIND_WAYS];

static inline uint64_t *liveobj_unwind_set_of(uintptr_t pc) {
    uintptr_t tag = pc >> LIVEOBJ_UNWIND_SET_BITS;
    uintptr_t set = pc ^ tag ^ (tag >> LIVEOBJ_UNWIND_SET_BITS);
    return liveobj_unwind_table[set & LIVEOBJ_UNWIND_SET_MASK];
}

/// Packs a rule into the low bits of a word.
static inline uint64_t liveobj_unwind_rule_pack(struct liveobj_unwind_rule rule) {
    return (uint64_t)rule.kind | (uint64_t)rule.from_fp << 3 | (uint64_t)rule.cfa_words << 4 |
           (uint64_t)rule.fp_words << 18 | (uint64_t)rule.context_words << 26;
}

static inline struct liveobj_unwind_rule liveobj_unwind_rule_unpack(uint64_t word) {
    return (struct liveobj_unwind_rule){
        .kind = (enum liveobj_unwind_kind)(word & 7),
        .from_fp = word >> 3 & 1,
        .cfa_words = word >> 4 & ((1 << LIVEOBJ_UNWIND_CFA_BITS) - 1),
        .fp_words = word >> 18 & ((1 << LIVEOBJ_UNWIND_FP_BITS) - 1),
        .context_words = word >> 26 & ((1 << LIVEOBJ_UNWIND_CONTEXT_BITS) - 1),
    };
}

static inline uint64_t liveobj_unwind_word_find(uintptr_t pc) {
    const uint64_t *set = liveobj_unwind_set_of(pc);
    for (size_t way = 0; way < LIVEOBJ_UNWIND_WAYS; way++) {
        // Relaxed: the word refers to no other memory.
        uint64_t word = __atomic_load_n(&set[way], __ATOMIC_RELAXED);
        if (LIVEOBJ_LIKELY(word >> LIVEOBJ_UNWIND_RULE_BITS == pc >> LIVEOBJ_UNWIND_SET_BITS))
            return word;
    }
    return liveobj_unwind_rule_derive(pc);
}

/// The rule of the return address `pc`.
static inline struct liveobj_unwind_rule liveobj_unwind_rule_find(uintptr_t pc) {
    return liveobj_unwind_rule_unpack(liveobj_unwind_word_find(pc));
}

#pragma GCC visibility pop
