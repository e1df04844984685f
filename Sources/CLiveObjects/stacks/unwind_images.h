// unwind_images.h - finds the image of a code address, and the parts of the image that may be read.
// Runs in hooks.

#pragma once

#include "os/compiler.h"
#include "os/os.h"

#pragma GCC visibility push(hidden)

#define LIVEOBJ_UNWIND_RANGES 6

struct liveobj_unwind_image {
    /// The range that encloses all of its segments.
    struct liveobj_extent code;
    /// The address of its `.eh_frame_hdr`; 0 if it has none.
    uintptr_t unwind_header;
    /// Its readable segments.
    struct liveobj_extent readable[LIVEOBJ_UNWIND_RANGES];
    uint32_t readable_count;
};

/// \returns false if no image contains `address`, and always before glibc 2.35.
LIVEOBJ_HOOK bool liveobj_unwind_image_find(uintptr_t address, struct liveobj_unwind_image *image);

/// The readable bytes from `address` to the end of its segment; empty if it is in no segment.
LIVEOBJ_HOOK struct liveobj_extent
liveobj_unwind_image_readable(const struct liveobj_unwind_image *image, uintptr_t address);

#pragma GCC visibility pop
