// dispatch_continuations.h - finds libdispatch's cached continuations, which hold stale words.
//
// A continuation describes one piece of work: its function and the object for which it runs. Each
// thread caches up to 1,024 continuations that have run, with all their words. The object may have
// been deallocated since, and its memory reused. So no word of a cached continuation is a
// reference.
//
// A continuation that waits to be run has the same contents. Only the list that libdispatch's data
// of a live thread names as its cache counts as a cache.

#pragma once

#include "metadata/address_table.h"
#include "runtime/image.h"

#pragma GCC visibility push(hidden)

enum { LIVEOBJ_CONTINUATION_CACHES_LIMIT = 256 };

/// Where libdispatch's data of each thread is expected. Threads beyond the limit are left out.
struct liveobj_continuation_caches {
    uintptr_t own_data;    // of the calling thread; 0 without libdispatch.so
    uintptr_t robust_list; // of the calling thread
    uint32_t count;
    struct liveobj_continuation_cache {
        uintptr_t data;
        uint32_t thread;
    } items[LIVEOBJ_CONTINUATION_CACHES_LIMIT];
};

/// Takes the addresses from libdispatch's image; ignores other images. In the program.
void liveobj_continuation_caches_take(struct liveobj_continuation_caches *caches,
                                      const struct liveobj_image *image);
/// Adds a thread. In the program, after all images were visited.
void liveobj_continuation_caches_add(struct liveobj_continuation_caches *caches, uint32_t thread);
/// The addresses of all continuations in caches. In the snapshot process.
struct liveobj_address_table
liveobj_continuations_find(const struct liveobj_continuation_caches *caches);

#pragma GCC visibility pop
