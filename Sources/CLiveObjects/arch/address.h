// address.h - the bits of a word that can be an address of the program, and the relocations by
// which an image gets the addresses of functions.
//
// Swift keeps flags in the bits that no address uses: enum cases, tags of bridged objects, marks of
// weak references. Which bits those are depends on the architecture, and is defined only here.

#pragma once

#include "os/os.h"

/// Linux maps nothing above this many bits for a program (on aarch64, unless the program asks for
/// it).
#if defined(__x86_64__)
#define LIVEOBJ_ADDRESS_BITS 47
#define LIVEOBJ_ELF_MACHINE EM_X86_64
#define LIVEOBJ_RELOCATION_OF_CALL R_X86_64_JUMP_SLOT
#define LIVEOBJ_RELOCATION_OF_GOT R_X86_64_GLOB_DAT
#elif defined(__aarch64__)
#define LIVEOBJ_ADDRESS_BITS 48
#define LIVEOBJ_ELF_MACHINE EM_AARCH64
#define LIVEOBJ_RELOCATION_OF_CALL R_AARCH64_JUMP_SLOT
#define LIVEOBJ_RELOCATION_OF_GOT R_AARCH64_GLOB_DAT
#else
#error "LiveObjects runs on x86_64 and aarch64"
#endif
#define LIVEOBJ_ADDRESS_END (UINT64_C(1) << LIVEOBJ_ADDRESS_BITS)

/// The address bits of a reference in a stored property: the complement of the runtime's mask of
/// spare bits (SwiftShims/System.h), in which enums have their cases.
#if defined(__x86_64__)
#define LIVEOBJ_REFERENCE_MASK UINT64_C(0x00fffffffffffff8)
#else
#define LIVEOBJ_REFERENCE_MASK UINT64_C(0x0ffffffffffffff8)
#endif

/// The address bits of a pointer as retain and release take it. The top byte is the tag of a
/// bridged object.
#define LIVEOBJ_OBJECT_POINTER_MASK UINT64_C(0x00fffffffffffff8)

/// The address bits of any word; all other bits may be flags.
#define LIVEOBJ_WORD_ADDRESS ((UINT64_C(1) << 48) - sizeof(uintptr_t))

/// Whether a word can be an address. Nothing is mapped in the first page.
static inline bool liveobj_is_address(uintptr_t word) {
    return word >= LIVEOBJ_PAGE_BYTES && word < LIVEOBJ_ADDRESS_END;
}
