// unwind_images.h - from a code address to the image it lies in, and the parts of that image which
// may be read. Hook.

#ifndef LIVEOBJ_UNWIND_IMAGES_H
#define LIVEOBJ_UNWIND_IMAGES_H

#include "os/compiler.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// Bytes that may be read, in one piece.
struct liveobj_unwind_range {
    uintptr_t start;
    uintptr_t end;
};

#define LIVEOBJ_UNWIND_RANGES 6

struct liveobj_unwind_image {
    /// Where its segments lie; `code` encloses all of them.
    struct liveobj_unwind_range code;
    /// The address of its `.eh_frame_hdr`, 0 without one.
    uintptr_t unwind_header;
    /// Its readable segments.
    struct liveobj_unwind_range readable[LIVEOBJ_UNWIND_RANGES];
    uint32_t readable_count;
};

/// Lists the images that are loaded, where the C library cannot be asked inside a hook.
/// Takes the dynamic linker's lock: not in a hook.
void liveobj_unwind_images_refresh(void);

/// \returns false if no image holds `address`.
LIVEOBJ_HOOK bool liveobj_unwind_image_find(uintptr_t address, struct liveobj_unwind_image *image);

/// What may be read from `address` on: up to the end of its segment; empty if it lies in none.
LIVEOBJ_HOOK struct liveobj_unwind_range
liveobj_unwind_image_readable(const struct liveobj_unwind_image *image, uintptr_t address);

#pragma GCC visibility pop

#endif
