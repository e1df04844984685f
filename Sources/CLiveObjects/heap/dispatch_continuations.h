// dispatch_continuations.h - what libdispatch keeps of work that is done.
//
// A thread caches the descriptions of work that it has run, up to 1,024, with all their words: the
// function and the object that it was run for. The object may be long gone, and its memory another
// one's. No description in a cache refers to anything.
//
// One that waits to be run looks the same. Only a list that libdispatch's own data of a live thread
// calls its cache is one.

#ifndef LIVEOBJ_DISPATCH_CONTINUATIONS_H
#define LIVEOBJ_DISPATCH_CONTINUATIONS_H

#include "metadata/address_table.h"
#include "runtime/image.h"

#include <stdint.h>

#pragma GCC visibility push(hidden)

enum { LIVEOBJ_CONTINUATION_CACHES_LIMIT = 256 };

/// Where libdispatch's data of each thread should lie. Of more threads none is known.
struct liveobj_continuation_caches {
    uintptr_t own_data;    // of the calling thread; 0 without libdispatch.so
    uintptr_t robust_list; // of the calling thread
    uint32_t count;
    struct liveobj_continuation_cache {
        uintptr_t data;
        uint32_t thread;
    } items[LIVEOBJ_CONTINUATION_CACHES_LIMIT];
};

/// In the program: takes libdispatch's image, and no other.
void liveobj_continuation_caches_take(struct liveobj_continuation_caches *caches,
                                      const struct liveobj_image *image);
/// In the program, once all images were seen.
void liveobj_continuation_caches_add(struct liveobj_continuation_caches *caches, uint32_t thread);
/// In the guarded child: the addresses of all descriptions in caches.
struct liveobj_address_table
liveobj_continuations_find(const struct liveobj_continuation_caches *caches);

#pragma GCC visibility pop

#endif
