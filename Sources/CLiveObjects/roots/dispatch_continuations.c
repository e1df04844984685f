// dispatch_continuations.c - see dispatch_continuations.h.
//
// libdispatch has one variable in each thread, which begins with the thread's id and has the head
// of the cache in its fourth word (src/shims/tsd.h, `struct dispatch_tsd`). Its distance from the
// thread's list of robust mutexes is the same in each thread, and the kernel shows that list for
// any thread. If the address is wrong, the id there does not match.
//
// Each member of a cache stores the number of members from there on (src/inline_internal.h,
// `_dispatch_continuation_free_cacheonly`). The number remains when the continuation is reused, so
// the members of a queue may look like those of a cache. Only the head distinguishes them.

#if defined(__linux__)

#include "roots/dispatch_continuations.h"
#include "os/compiler.h"
#include "os/os.h"
#include "os/step.h"

LIVEOBJ_ANY_MEMORY_BEGIN

struct continuation {
    uintptr_t flags;
    uint32_t count;
    uint32_t rest_of_priority;
    const struct continuation *next;
};

struct thread_data {
    uint32_t thread;
    uintptr_t queue;
    uintptr_t frame;
    const struct continuation *cache;
};

// MARK: - In the program

void liveobj_continuation_caches_take(struct liveobj_continuation_caches *caches,
                                      const struct liveobj_image *image) {
    if (!image->thread_locals || !liveobj_image_is_named(image, "libdispatch.so"))
        return;
    caches->own_data = image->thread_locals;
    caches->robust_list = liveobj_os_robust_list(liveobj_os_thread_id());
}

void liveobj_continuation_caches_add(struct liveobj_continuation_caches *caches, uint32_t thread) {
    uintptr_t robust_list = caches->robust_list ? liveobj_os_robust_list(thread) : 0;
    if (!robust_list || caches->count == LIVEOBJ_CONTINUATION_CACHES_LIMIT)
        return;
    uintptr_t data = caches->own_data + (robust_list - caches->robust_list);
    caches->items[caches->count++] = (struct liveobj_continuation_cache){data, thread};
}

// MARK: - In the snapshot process

struct finding {
    struct liveobj_continuation_cache cache;
    const struct continuation *first; // NULL, or of a cache that was counted
    struct liveobj_address_table found;
};

/// Whether it can be a continuation: in memory of malloc, and of the size that libdispatch
/// allocates.
static bool may_be_continuation(const struct continuation *continuation) {
    enum { WORD = sizeof(uintptr_t), LEAST_BYTES = 8 * WORD, MOST_BYTES = 12 * WORD, FLAGS = 7 };
    if ((uintptr_t)continuation % (2 * WORD))
        return false;
    uintptr_t bytes = ((const uintptr_t *)continuation)[-1] & ~(uintptr_t)FLAGS;
    return bytes > LEAST_BYTES && bytes <= MOST_BYTES;
}

/// \returns whether the number in each member matches the length of the list from there on.
static bool is_counted(const struct continuation *member) {
    enum { MOST_CACHED = 1024 };
    if (!may_be_continuation(member) || member->count > MOST_CACHED)
        return false;
    for (uint32_t left = member->count; left > 0; left--, member = member->next)
        if (!member || !may_be_continuation(member) || member->count != left)
            return false;
    return !member;
}

static void find_cache(void *context) {
    struct finding *finding = context;
    const struct thread_data *data = (const void *)finding->cache.data;
    bool is_of_thread =
        finding->cache.data % sizeof(uintptr_t) == 0 && data->thread == finding->cache.thread;
    if (is_of_thread && data->cache && is_counted(data->cache))
        finding->first = data->cache;
}

static void add_members(void *context) {
    struct finding *finding = context;
    for (const struct continuation *member = finding->first; member; member = member->next)
        liveobj_address_number(&finding->found, (uintptr_t)member);
}

struct liveobj_address_table
liveobj_continuations_find(const struct liveobj_continuation_caches *caches) {
    struct finding finding = {.first = NULL};
    for (uint32_t i = 0; i < caches->count; i++) {
        finding.cache = caches->items[i];
        finding.first = NULL;
        liveobj_snapshot_step(find_cache, &finding);
        if (!liveobj_snapshot_step(add_members, &finding))
            finding.found = (struct liveobj_address_table){0}; // may have been left half done
    }
    return finding.found;
}

LIVEOBJ_ANY_MEMORY_END

#endif
