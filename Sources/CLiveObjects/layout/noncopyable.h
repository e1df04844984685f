// noncopyable.h - stored properties whose types cannot be copied: `Mutex`, `Atomic`, and the
// user's.

#ifndef LIVEOBJ_NONCOPYABLE_H
#define LIVEOBJ_NONCOPYABLE_H

#include "layout/layout.h"
#include "metadata/metadata.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// Adds what such a property holds. Its record names no type, only a function that a caller of this
/// runtime gets an empty tuple from; but that function's record has a local symbol with the type's
/// name in it.
/// \returns false if the symbol is not there (a stripped image) or the type cannot be found.
bool liveobj_layout_add_noncopyable(struct liveobj_layout_builder *builder,
                                    const struct liveobj_fields *fields,
                                    const struct liveobj_field *field, size_t offset,
                                    uint32_t label);

#pragma GCC visibility pop

#endif
