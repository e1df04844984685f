// generic_environment.h - the values of a generic closure's type parameters.
//
// A capture descriptor says of each parameter where its value is found. The runtime is handed a
// generic environment made from that, as if the compiler had emitted it. Like layout.h.

#ifndef LIVEOBJ_GENERIC_ENVIRONMENT_H
#define LIVEOBJ_GENERIC_ENVIRONMENT_H

#include "metadata/mangling.h"

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

enum {
    LIVEOBJ_GENERIC_LEVELS = 8,      // of nested generic contexts; what has more is scanned
    LIVEOBJ_GENERIC_PARAMETERS = 16, // of one level
};

struct liveobj_generic_environment {
    bool is_known; // of every parameter the value was found
    /// As GenericEnvironmentDescriptor of the Swift ABI: the count of levels, the counts of
    /// parameters up to and including each level, a byte for each parameter.
    _Alignas(
        4) unsigned char descriptor[4 + LIVEOBJ_GENERIC_LEVELS * (2 + LIVEOBJ_GENERIC_PARAMETERS)];
    uintptr_t arguments[LIVEOBJ_GENERIC_LEVELS * LIVEOBJ_GENERIC_PARAMETERS];
};

/// What a closure's context holds that its parameters can be known by.
struct liveobj_generic_origins {
    const uintptr_t *bound; // words that the context binds for the purpose
    uint32_t bound_count;
    const uintptr_t *classes; // of the captured references, by capture; 0 for other captures
    uint32_t class_count;
};

/// \param sources pairs of relative pointers: to the parameter's name, to its source.
void liveobj_generic_environment_make(struct liveobj_generic_environment *environment,
                                      uintptr_t sources, uint32_t count,
                                      const struct liveobj_generic_origins *origins);

/// The type that a name stands for; 0 if the runtime does not know it, or must not be asked.
uintptr_t liveobj_generic_environment_resolve(const struct liveobj_generic_environment *environment,
                                              const struct liveobj_mangled *type);

#pragma GCC visibility pop

#endif
