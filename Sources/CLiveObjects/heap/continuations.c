// continuations.c - owns nothing.
//
// A cache is a list that every member counts: in the place of its priority a member has how many
// the list has from there on. (libdispatch's src/inline_internal.h,
// `_dispatch_continuation_free_cacheonly`, and src/queue_internal.h, `struct
// dispatch_continuation_s`.) One that waits to be run has a priority there, a mask, and the next
// one in its queue has none that is less by 1. The last member of a cache is not recognised.

#if defined(__linux__)

#include "continuations.h"

#include "child.h"

struct continuation {
    uintptr_t flags;
    uint32_t count;
    uint32_t rest_of_priority;
    uintptr_t next;
    uintptr_t voucher;
    uintptr_t words[4]; // the function, and what it is run for
};

static const struct continuation *continuation_at(const struct liveobj_chunks *chunks,
                                                  uintptr_t content) {
    enum { MOST_BYTES = 6 * 2 * sizeof(uintptr_t), MOST_CACHED = 1024, ALLOCATED = 0x100 };
    uintptr_t header = liveobj_chunk_content(chunks->first) - chunks->first;
    if (content % (2 * sizeof(uintptr_t)) || content < chunks->first + header ||
        content > chunks->end - sizeof(struct continuation))
        return NULL;
    uintptr_t bytes = liveobj_chunk_bytes(chunks, content - header);
    const struct continuation *continuation = (const void *)content;
    bool is_one = bytes > sizeof *continuation && bytes <= MOST_BYTES &&
                  continuation->flags & ALLOCATED && continuation->flags < 4 * ALLOCATED &&
                  continuation->count <= MOST_CACHED && continuation->voucher + 1 <= 1;
    return is_one ? continuation : NULL;
}

bool liveobj_chunk_is_cached_continuation(const struct liveobj_chunks *chunks, uintptr_t chunk) {
    const struct continuation *continuation = continuation_at(chunks, liveobj_chunk_content(chunk));
    if (!continuation || continuation->count < 2)
        return false;
    const struct continuation *next = continuation_at(chunks, continuation->next);
    return next && next->count == continuation->count - 1;
}

#endif
