// address.h - which bits of a word are an address of the program.
//
// Swift keeps flags in the bits that no address uses: enum cases, tags of bridged objects, weak
// references' marks. Which bits those are depends on the architecture, and stands here alone.

#ifndef LIVEOBJ_ADDRESS_H
#define LIVEOBJ_ADDRESS_H

#include "os/os.h"

#include <stdbool.h>
#include <stdint.h>

/// Linux maps nothing of a program above so many bits (on aarch64, unless the program asks).
#if defined(__x86_64__)
#define LIVEOBJ_ADDRESS_BITS 47
#else
#define LIVEOBJ_ADDRESS_BITS 48
#endif
#define LIVEOBJ_ADDRESS_END (UINT64_C(1) << LIVEOBJ_ADDRESS_BITS)

/// A reference in a stored property; the runtime's own mask of its spare bits is the rest
/// (SwiftShims/HeapObject.h).
#define LIVEOBJ_REFERENCE_MASK UINT64_C(0x0ffffffffffffff8)

/// A pointer as retain and release take it: the top byte is the tag of a bridged object.
#define LIVEOBJ_OBJECT_POINTER_MASK UINT64_C(0x00fffffffffffff8)

/// Any word: flags may stand in all other bits.
#define LIVEOBJ_WORD_ADDRESS ((UINT64_C(1) << 48) - sizeof(uintptr_t))

/// Nothing is mapped in the first page.
static inline bool liveobj_is_address(uintptr_t word) {
    return word >= LIVEOBJ_PAGE_BYTES && word < LIVEOBJ_ADDRESS_END;
}

#endif
