// unwind_x86_64.h - see unwind.h, which includes it.
//
// A call stores the return address in the word below the CFA.

#pragma once

#define LIVEOBJ_COLUMN_FP 6       // rbp
#define LIVEOBJ_COLUMN_SP 7       // rsp
#define LIVEOBJ_COLUMN_CONTEXT 14 // r14
#define LIVEOBJ_COLUMN_RETURN 16

#define LIVEOBJ_LIBUNWIND_FILE "libunwind.so.8"
#define LIVEOBJ_LIBUNWIND_PREFIX "_ULx86_64_"
#define LIVEOBJ_LIBUNWIND_NAME "x86_64"
#define LIVEOBJ_LIBUNWIND_SP 7
#define LIVEOBJ_LIBUNWIND_PC 16

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

static inline bool liveobj_sp_matches(uintptr_t sp, uintptr_t exact) {
    return sp == exact;
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
