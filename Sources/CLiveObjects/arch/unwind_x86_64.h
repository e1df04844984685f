// unwind_x86_64.h - see unwind.h, which includes it.
//
// A call stores the return address in the word below the CFA.

#pragma once

#define LIVEOBJ_COLUMN_FP 6       // rbp
#define LIVEOBJ_COLUMN_SP 7       // rsp
#define LIVEOBJ_COLUMN_CONTEXT 14 // r14
#define LIVEOBJ_COLUMN_RETURN 16

#define LIVEOBJ_CODE_UNIT 1
#define LIVEOBJ_CODE_UNIT_BITS 0

#define LIVEOBJ_UNWIND_CFA_BITS 14
#define LIVEOBJ_UNWIND_SAVED_BITS 8
#define LIVEOBJ_UNWIND_SAVED_WORDS_BITS 8

/// Two words, the record, lie below the frame that they belong to.
#define LIVEOBJ_GUESS_CFA_WORDS 2

static inline bool liveobj_saved_fits(uint16_t fp_words, uint16_t return_words) {
    return return_words == 1 && fp_words != 1;
}

static inline uint64_t liveobj_saved_pack(uint16_t fp_words, uint16_t return_words) {
    (void)return_words;
    return fp_words;
}

static inline uint16_t liveobj_saved_fp_words(uint64_t saved) {
    return (uint16_t)saved;
}

static inline uint16_t liveobj_saved_return_words(uint64_t saved) {
    (void)saved;
    return 1;
}

static inline uintptr_t liveobj_cfa(bool from_fp, uintptr_t cfa_words, uintptr_t fp_words,
                                    uintptr_t sp, uintptr_t fp) {
    (void)fp_words;
    return (from_fp ? fp : sp) + 8 * cfa_words;
}

static inline uintptr_t liveobj_sp_of_guess(uintptr_t cfa) {
    return cfa;
}

static inline bool liveobj_sp_is_guessed(uintptr_t sp) {
    (void)sp;
    return false;
}

// A ucontext_t, whose `uc_mcontext.gregs` begin at 40.
#define LIVEOBJ_SIGNAL_FP 120
#define LIVEOBJ_SIGNAL_SP 160
#define LIVEOBJ_SIGNAL_PC 168
#define LIVEOBJ_SIGNAL_LINK 0

/// An entry of 16 bytes pushes a word, and jumps from behind a byte that differs between linkers.
static inline int64_t liveobj_plt_cfa_offset(const unsigned char *expression, size_t bytes,
                                             uintptr_t pc) {
    // rsp + 8 + ((rip & 15) >= n) << 3
    static const unsigned char plt[] = {0x77, 8, 0x80, 0, 0x3f, 0x1a, 0, 0x2a, 0x33, 0x24, 0x22};
    enum { N = 6, LIT0 = 0x30, LIT15 = LIT0 + 15 };
    for (size_t i = 0; i < sizeof plt; i++)
        if (bytes != sizeof plt || (expression[i] != plt[i] && i != N))
            return 0;
    if (expression[N] < LIT0 || expression[N] > LIT15)
        return 0;
    return (pc & 15) >= (uintptr_t)(expression[N] - LIT0) ? 16 : 8;
}

static inline uintptr_t liveobj_places_make(uintptr_t place, bool has_fp) {
    (void)has_fp;
    return place;
}

static inline uintptr_t liveobj_places_fp(uintptr_t places) {
    return places;
}

static inline uintptr_t liveobj_places_return(uintptr_t places, uintptr_t cfa) {
    (void)places;
    return cfa - 8;
}
