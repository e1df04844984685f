// generic_environment.h - the values of a generic closure's type parameters.
//
// A capture descriptor says where in the closure's context the value of each parameter is found.
// From that a generic environment is built and passed to the runtime, in the form that the compiler
// emits. May be called where layout.h may.

#pragma once

#include "metadata/mangling.h"

#include <stdint.h>

#pragma GCC visibility push(hidden)

enum {
    LIVEOBJ_GENERIC_LEVELS = 8,      // of nested generic contexts; a closure with more is scanned
    LIVEOBJ_GENERIC_PARAMETERS = 16, // of each level
};

struct liveobj_generic_environment {
    bool is_known; // the value of every parameter was found
    /// In the format of GenericEnvironmentDescriptor of the Swift ABI: the number of levels, the
    /// number of parameters up to and including each level, a byte for each parameter.
    _Alignas(
        4) unsigned char descriptor[4 + LIVEOBJ_GENERIC_LEVELS * (2 + LIVEOBJ_GENERIC_PARAMETERS)];
    uintptr_t arguments[LIVEOBJ_GENERIC_LEVELS * LIVEOBJ_GENERIC_PARAMETERS];
};

/// The words in a closure's context from which the values of its parameters are found.
struct liveobj_generic_origins {
    const uintptr_t *bound; // words that the context stores for this purpose
    uint32_t bound_count;
    const uintptr_t *types; // by capture: the captured object's class, or the captured metatype; 0
                            // for other captures
    uint32_t type_count;
};

/// \param sources Pairs of relative pointers: to the parameter's name, and to its source.
void liveobj_generic_environment_make(struct liveobj_generic_environment *environment,
                                      uintptr_t sources, uint32_t count,
                                      const struct liveobj_generic_origins *origins);

/// The type that a mangled name denotes; 0 if the runtime does not know it or must not be called.
uintptr_t liveobj_generic_environment_resolve(const struct liveobj_generic_environment *environment,
                                              const struct liveobj_mangled *type);

/// Whether a word is the address of an object of a class: of memory that begins with the address of
/// metadata.
bool liveobj_points_to_type(uintptr_t word);

#pragma GCC visibility pop
