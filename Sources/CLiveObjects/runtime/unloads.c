// unloads.c - owns the list of images that were loaded at the last comparison, and the list of
// those that were unloaded.
//
// Invariants
//   gone: entries that share an address are in the order of their unloads
//   an image that was loaded again at its old place and unloaded again has one entry, with the
//   sequence number of the last unload, unless another image was at its place in between
//
// After `dlclose` has ended and before it is noted, another thread may load an image at the same
// place. What that image does meanwhile is attributed to the old image. Everything runs
// outside of hooks.

#if defined(__linux__)

#define _GNU_SOURCE
#include "runtime/unloads.h"
#include "runtime/second_runtime.h"

#include <link.h>

enum { LOADED_LIMIT = 1 << 13, GONE_LIMIT = 256, PATHS_BYTES = 1 << 20 };

/// The dynamic linker's own counts.
struct changes {
    unsigned long long loads;
    unsigned long long unloads;
};

static struct {
    struct liveobj_lock lock;
    const struct liveobj_unload_listener *listener;
    struct liveobj_image_list loaded;
    struct liveobj_image_list gone;
    struct changes changes; // when `loaded` was listed
    uint32_t count;         // atomic
} noted;

void liveobj_unloads_visit_locks(liveobj_lock_visit_fn visit, void *context) {
    visit(context, &noted.lock);
}

uint32_t liveobj_unloads_count(void) {
    return __atomic_load_n(&noted.count, __ATOMIC_RELAXED);
}

// MARK: - Gone

/// The last unloaded image that overlaps this one's addresses; NULL for none.
static struct liveobj_listed_image *last_at_place_of(const struct liveobj_listed_image *image) {
    for (uint32_t i = noted.gone.count; i-- > 0;) {
        struct liveobj_listed_image *other = &noted.gone.items[i];
        if (other->start < image->end && image->start < other->end)
            return other;
    }
    return NULL;
}

/// Adds an unloaded image. If there is no room, later reports do not name it. Its metadata is
/// trusted no more than that of any other unloaded image.
static void add_gone(const struct liveobj_listed_image *image, uint64_t mark) {
    struct liveobj_listed_image *last = last_at_place_of(image);
    if (last && liveobj_listed_images_are_same(&noted.gone, last, &noted.loaded, image)) {
        last->unloaded_at = mark;
        return;
    }
    struct liveobj_listed_image *added =
        liveobj_image_list_add(&noted.gone, image, liveobj_image_list_path(&noted.loaded, image));
    if (added)
        added->unloaded_at = mark;
}

static bool is_in(const struct liveobj_image_list *list, const struct liveobj_listed_image *image) {
    for (uint32_t i = 0; i < list->count; i++)
        if (liveobj_listed_images_are_same(list, &list->items[i], &noted.loaded, image))
            return true;
    return false;
}

static void note_gone(const struct liveobj_image_list *present) {
    uint64_t mark = noted.listener->mark();
    bool is_found = false;
    for (uint32_t i = 0; i < noted.loaded.count; i++) {
        const struct liveobj_listed_image *image = &noted.loaded.items[i];
        if (is_in(present, image))
            continue;
        is_found = true;
        add_gone(image, mark);
        noted.listener->forget(image->start, image->end);
    }
    if (!is_found) // it was loaded and unloaded between two comparisons
        noted.listener->forget(0, UINTPTR_MAX);
    // Relaxed: a caller that asks because of this unload is ordered after it by other means.
    __atomic_fetch_add(&noted.count, 1, __ATOMIC_RELAXED);
}

// MARK: - Loaded

static int read_changes(struct dl_phdr_info *info, size_t size, void *context) {
    struct changes *changes = context;
    if (size >= offsetof(struct dl_phdr_info, dlpi_subs) + sizeof info->dlpi_subs)
        *changes = (struct changes){info->dlpi_adds, info->dlpi_subs};
    return 1;
}

static bool is_same(struct changes one, struct changes other) {
    return one.loads == other.loads && one.unloads == other.unloads;
}

static void note_locked(struct changes present_changes) {
    struct liveobj_image_list present;
    if (!liveobj_image_list_start(&present, LOADED_LIMIT, PATHS_BYTES) ||
        (!noted.gone.items && !liveobj_image_list_start(&noted.gone, GONE_LIMIT, PATHS_BYTES))) {
        liveobj_image_list_end(&present);
        return;
    }
    liveobj_image_list_add_loaded(&present);
    if (noted.loaded.items && present_changes.unloads != noted.changes.unloads)
        note_gone(&present);
    liveobj_image_list_end(&noted.loaded);
    noted.loaded = present;
    if (liveobj_second_runtime_look())
        noted.changes = present_changes;
}

void liveobj_unloads_start(const struct liveobj_unload_listener *listener) {
    noted.listener = listener;
    liveobj_unloads_note();
}

void liveobj_unloads_note(void) {
    struct changes present = {0, 0};
    if (!liveobj_lock_acquire(&noted.lock))
        return; // in a signal handler that interrupted this: the next call finds the changes
    // Before the list is made, so that changes made meanwhile are found next time.
    dl_iterate_phdr(read_changes, &present);
    if (!noted.loaded.items || !is_same(present, noted.changes))
        note_locked(present);
    liveobj_lock_release(&noted.lock);
}

// MARK: - Queries

/// The first unload at an address after a sequence number, or the last one.
static uint64_t unload_at(uintptr_t address, uint64_t sequence, bool wants_last) {
    uint64_t unloaded_at = 0;
    if (liveobj_unloads_count() == 0)
        return 0;
    if (!liveobj_lock_acquire(&noted.lock))
        return UINT64_MAX; // in a signal handler that interrupted a change: nothing is trusted
    for (uint32_t i = 0; i < noted.gone.count && (wants_last || !unloaded_at); i++) {
        const struct liveobj_listed_image *image = &noted.gone.items[i];
        if (liveobj_listed_image_contains(image, address) && sequence < image->unloaded_at)
            unloaded_at = image->unloaded_at;
    }
    liveobj_lock_release(&noted.lock);
    return unloaded_at;
}

uint64_t liveobj_unload_of(uintptr_t address, uint64_t sequence) {
    return unload_at(address, sequence, false);
}

uint64_t liveobj_last_unload_at(uintptr_t address) {
    return unload_at(address, 0, true);
}

void liveobj_unloads_list(struct liveobj_image_list *list) {
    if (!liveobj_lock_acquire(&noted.lock))
        return;
    for (uint32_t i = 0; i < noted.gone.count; i++)
        liveobj_image_list_add(list, &noted.gone.items[i],
                               liveobj_image_list_path(&noted.gone, &noted.gone.items[i]));
    liveobj_lock_release(&noted.lock);
}

#endif
