// mangling.h - mangled type names, as field records and capture descriptors hold them.
//
// They are not C strings: a symbolic reference stands in them as a control byte and an offset,
// which may hold NUL bytes. Only what has to be known before the runtime is asked for the type is
// read here (docs/ABI/Mangling.rst of swiftlang/swift). Owns nothing; runs anywhere.

#ifndef LIVEOBJ_MANGLING_H
#define LIVEOBJ_MANGLING_H

#include "metadata/labels.h"

#include <stdbool.h>
#include <stddef.h>

#pragma GCC visibility push(hidden)

struct liveobj_mangled {
    const char *text; // ends with a NUL that `length` does not count; NULL for none
    size_t length;
    /// Characters at its end that belong to no symbolic reference and no identifier.
    size_t plain_length;
    /// STRONG, WEAK, UNOWNED or UNMANAGED. The runtime resolves the name to the referent's type.
    enum liveobj_ownership ownership;
    /// Asked for such a name without their values, or for one of a parameter pack's, the runtime
    /// ends the process. True in doubt.
    bool mentions_parameters;
};

struct liveobj_mangled liveobj_mangled_read(const char *text);

/// True if the text is nothing but `name`.
bool liveobj_mangled_is(const struct liveobj_mangled *mangled, const char *name);

/// The name is nothing but a reference to a function that makes the metadata: so it is with types
/// that the runtime does not know to be copyable.
bool liveobj_mangled_is_accessor(const struct liveobj_mangled *mangled);

/// The type has a `@convention(block)` function as a part. To lay such a type out the runtime reads
/// the function's value witnesses, which it left unset itself. True in doubt.
bool liveobj_mangled_nests_block(const struct liveobj_mangled *mangled);

#pragma GCC visibility pop

#endif
