// unwind.h - where functions save what a stack walk needs.
//
// Each architecture defines
//   LIVEOBJ_COLUMN_*                the registers' numbers in unwind tables
//   LIVEOBJ_CODE_UNIT, _BITS        the size of the smallest instruction, and its low zero bits
//   LIVEOBJ_UNWIND_CFA_BITS         the bits of a rule's `cfa_words`
//   LIVEOBJ_UNWIND_SAVED_BITS       the bits of both distances below, packed
//   LIVEOBJ_UNWIND_SAVED_WORDS_BITS the bits of one of them
//   LIVEOBJ_GUESS_CFA_WORDS         the CFA of a guess, in words above the frame pointer
//   liveobj_saved_*                 pack and unpack the distances of the saved frame pointer (0:
//                                   not saved) and return address below the CFA, in words;
//                                   whether they fit
//   liveobj_cfa(...)                the CFA, by an unwind rule
//   liveobj_sp_of_guess(cfa)        the stack pointer of a frame that was guessed
//   liveobj_sp_is_guessed(sp)       whether it is no stack pointer, but that of a guess
//   LIVEOBJ_SIGNAL_*                where the kernel stores the registers of the code that a signal
//                                   interrupts, from the stack pointer on with which the handler
//                                   returns; LINK: where a call leaves the return address, or 0
//   liveobj_plt_cfa_offset(...)     the CFA's distance from sp, if the expression is the one that
//                                   GNU ld writes for the procedure linkage table; else 0
//   liveobj_places_*                the place where the frame pointer was read, and that of the
//                                   return address, in one word

#pragma once

#include "arch/address.h"

#if defined(__x86_64__)
#include "arch/unwind_x86_64.h"
#elif defined(__aarch64__)
#include "arch/unwind_aarch64.h"
#endif
