// unwind_aarch64.h - see unwind.h, which includes it.
//
// A call leaves the return address in x30, and the function stores it anywhere in its frame: with
// x29, in a frame record, or alone. The CFA does not follow from the record. So after a guessed
// step the stack pointer is not known, only that it lies above the record. It is given the address
// of the record's second word then, plus one, by which it is recognised.

#pragma once

#define LIVEOBJ_COLUMN_FP 29
#define LIVEOBJ_COLUMN_SP 31
#define LIVEOBJ_COLUMN_CONTEXT 22
#define LIVEOBJ_COLUMN_RETURN 30

#define LIVEOBJ_CODE_UNIT 4
#define LIVEOBJ_CODE_UNIT_BITS 2

// gcc has the record at the bottom of a frame, so its distance needs as many bits as the frame's
// size.
#define LIVEOBJ_UNWIND_CFA_BITS 13
#define LIVEOBJ_UNWIND_SAVED_BITS 11
#define LIVEOBJ_UNWIND_SAVED_WORDS_BITS 10

#define LIVEOBJ_GUESS_CFA_WORDS 1

// Packed: the distance of the return address, and whether the frame pointer lies below it.

static inline bool liveobj_saved_fits(uint16_t fp_words, uint16_t return_words) {
    return return_words > 0 && (fp_words == 0 || fp_words == return_words + 1);
}

static inline uint64_t liveobj_saved_pack(uint16_t fp_words, uint16_t return_words) {
    return (uint64_t)return_words << 1 | (fp_words != 0);
}

static inline uint16_t liveobj_saved_return_words(uint64_t saved) {
    return (uint16_t)(saved >> 1);
}

static inline uint16_t liveobj_saved_fp_words(uint64_t saved) {
    return saved & 1 ? (uint16_t)(liveobj_saved_return_words(saved) + 1) : 0;
}

static inline uintptr_t liveobj_sp_of_guess(uintptr_t cfa) {
    return cfa | 1;
}

static inline bool liveobj_sp_is_guessed(uintptr_t sp) {
    return sp & 1;
}

static inline uintptr_t liveobj_cfa(bool from_fp, uintptr_t cfa_words, uintptr_t fp_words,
                                    uintptr_t sp, uintptr_t fp) {
    if (from_fp)
        return fp + 8 * cfa_words;
    if (LIVEOBJ_LIKELY(!liveobj_sp_is_guessed(sp)))
        return sp + 8 * cfa_words;
    // Code that saves x29 makes it point to the record. 0 ends the walk.
    return fp_words ? fp + 8 * fp_words : 0;
}

// A siginfo_t of 128 bytes, then a ucontext_t, whose `uc_mcontext.regs` begin at 184.
#define LIVEOBJ_SIGNAL_FP 544
#define LIVEOBJ_SIGNAL_LINK 552
#define LIVEOBJ_SIGNAL_SP 560
#define LIVEOBJ_SIGNAL_PC 568

static inline int64_t liveobj_plt_cfa_offset(const unsigned char *expression, size_t bytes,
                                             uintptr_t pc) {
    (void)expression, (void)bytes, (void)pc;
    return 0; // the table is not described here
}

// Bit 0: the return address was saved alone, at that place.

static inline uintptr_t liveobj_places_make(uintptr_t place, bool has_fp) {
    return place | !has_fp;
}

static inline uintptr_t liveobj_places_fp(uintptr_t places) {
    return places & ~(uintptr_t)1;
}

static inline uintptr_t liveobj_places_return(uintptr_t places, uintptr_t cfa) {
    (void)cfa;
    return places & 1 ? places - 1 : places + 8;
}
