// type_trust.h - the parts of a type that can be trusted in a program that has unloaded an image.

#ifndef LIVEOBJ_TYPE_TRUST_H
#define LIVEOBJ_TYPE_TRUST_H

#include "metadata/types.h"

#include <stdbool.h>

#pragma GCC visibility push(hidden)

enum liveobj_type_trust {
    LIVEOBJ_TRUST_NONE = 0, // also for types that were not tried
    LIVEOBJ_TRUST_NAME = 1,
    LIVEOBJ_TRUST_ALL = 2, // its name and its layout
};

/// The result of the type's trial. May be called from any thread.
enum liveobj_type_trust liveobj_type_trust(const struct liveobj_type *type);
/// Whether the type was not tried since the last unload, and can be.
bool liveobj_type_is_untried(const struct liveobj_type *type);
void liveobj_type_trust_keep(const struct liveobj_type *type, enum liveobj_type_trust trust);

/// Whether an image was unloaded since the results were removed.
bool liveobj_type_trust_is_outdated(void);
/// Removes all results. \returns false if there is no memory for results.
bool liveobj_type_trust_forget(void);

#pragma GCC visibility pop

#endif
