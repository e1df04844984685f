// noncopyable.h - stored properties of noncopyable types: `Mutex`, `Atomic`, and the user's.

#ifndef LIVEOBJ_NONCOPYABLE_H
#define LIVEOBJ_NONCOPYABLE_H

#include "layout/layout.h"
#include "metadata/metadata.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// Adds the references of such a property. The property's record names no type, only a function,
/// which returns an empty tuple to a caller of this runtime. But a local symbol at that function's
/// record contains the type's name.
/// \returns false if the symbol is missing (a stripped image) or the type cannot be found.
bool liveobj_layout_add_noncopyable(struct liveobj_layout_builder *builder,
                                    const struct liveobj_fields *fields,
                                    const struct liveobj_field *field, size_t offset,
                                    uint32_t label);

#pragma GCC visibility pop

#endif
