// mangling.h - mangled type names, as field records and capture descriptors contain them.
//
// They are not C strings: a symbolic reference in them is a control byte and an offset, which may
// contain NUL bytes. Only the facts that are needed before the runtime looks the type up are read
// here (docs/ABI/Mangling.rst of swiftlang/swift). Owns nothing; may be called from anywhere.

#pragma once

#include "metadata/labels.h"

#include <stdbool.h>
#include <stddef.h>

#pragma GCC visibility push(hidden)

struct liveobj_mangled {
    const char *text; // ends with a NUL that `length` does not count; NULL for none
    size_t length;
    /// The number of characters at the end that belong to no symbolic reference and no identifier.
    size_t plain_length;
    /// STRONG, WEAK, UNOWNED or UNMANAGED. For such a name the runtime returns the referent's type.
    enum liveobj_ownership ownership;
    /// Whether the name has generic parameters. The runtime ends the process if it looks up such a
    /// name without their values, or the name of a parameter pack's type. True if uncertain.
    bool mentions_parameters;
    /// Whether the name has a parameter pack. True if uncertain.
    bool contains_pack;
    /// Whether the type contains a `@convention(block)` function. To compute the layout of such a
    /// type, the runtime reads the function's value witnesses, which it never set. True if
    /// uncertain.
    bool nests_block;
    /// Whether the name has a metatype that the compiler may store in no bytes: of any type but a
    /// parameter in a name of the source, `m`, or a thin one of a lowered type, `XMt`. True if
    /// uncertain.
    bool may_be_thin;
};

static inline bool liveobj_is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

struct liveobj_mangled liveobj_mangled_read(const char *text);

/// The name without the operator of an optional, `Sg`, at its end. Its `text` does not end there.
struct liveobj_mangled liveobj_mangled_payload(struct liveobj_mangled mangled);

/// True if the name is that of an array, dictionary or set.
bool liveobj_mangled_is_collection(const struct liveobj_mangled *mangled);

/// The type's name behind a generic signature, `l`, `r0_l` or `SHRzl`; NULL if there is none, or if
/// the name may repeat a part of the signature.
const char *liveobj_mangled_skip_signature(const char *name);

/// True if the whole name is `name`.
bool liveobj_mangled_is(const struct liveobj_mangled *mangled, const char *name);

/// True if the name is only a reference to a function that makes the metadata. Types that the
/// runtime does not know to be copyable have such names.
bool liveobj_mangled_is_accessor(const struct liveobj_mangled *mangled);

#pragma GCC visibility pop
