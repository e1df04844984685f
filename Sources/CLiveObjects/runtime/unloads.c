// unloads.c - owns the list of images that were loaded at the last comparison, and the addresses
// of those that were unloaded.
//
// After `dlclose` has ended and before it is noted, another thread may load an image at the same
// addresses. What that image does meanwhile is attributed to the old image. Everything runs outside
// of hooks.

#if defined(__linux__)

#define _GNU_SOURCE
#include "runtime/unloads.h"
#include "runtime/image.h"
#include "runtime/runtime.h"
#include "runtime/second_runtime.h"

#include <link.h>

enum { LOADED_LIMIT = 1 << 13, EXTENTS_LIMIT = 256 };

/// The dynamic linker's own counts.
struct changes {
    unsigned long long loads;
    unsigned long long unloads;
};

struct noted_image {
    struct liveobj_extent extent;
    bool is_swift;
};

struct noted_images {
    struct noted_image *items;
    uint32_t count;
};

static struct {
    struct liveobj_lock lock;
    const struct liveobj_unload_listener *listener;
    struct noted_images loaded;
    struct changes changes;                       // when `loaded` was listed
    unsigned long long explained;                 // unloads of which the image is known
    bool looks_again;                             // for a second runtime: an image was being loaded
    struct liveobj_extent extents[EXTENTS_LIMIT]; // of unloaded images; atomic
    uint32_t extent_count;                        // atomic
    const char *failure;                          // atomic
} noted;

void liveobj_unloads_visit_locks(liveobj_lock_visit_fn visit, void *context) {
    visit(context, &noted.lock);
}

const char *liveobj_unloads_failure(void) {
    // Relaxed: a caller that asks because of an unload is ordered after it by other means.
    return __atomic_load_n(&noted.failure, __ATOMIC_RELAXED);
}

// MARK: - Places of unloaded images

static struct liveobj_extent extent_at(uint32_t index) {
    return (struct liveobj_extent){
        __atomic_load_n(&noted.extents[index].start, __ATOMIC_RELAXED),
        __atomic_load_n(&noted.extents[index].end, __ATOMIC_RELAXED),
    };
}

static void set_extent(uint32_t index, struct liveobj_extent extent) {
    __atomic_store_n(&noted.extents[index].start, extent.start, __ATOMIC_RELAXED);
    __atomic_store_n(&noted.extents[index].end, extent.end, __ATOMIC_RELAXED);
}

bool liveobj_unloads_include(uintptr_t address) {
    // Acquire: pairs with the release in `add_extent`.
    uint32_t count = __atomic_load_n(&noted.extent_count, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < count; i++) {
        struct liveobj_extent extent = extent_at(i);
        if (address >= extent.start && address < extent.end)
            return true;
    }
    return false;
}

/// The last extent is widened if there is no room for another one.
static void add_extent(struct liveobj_extent extent) {
    uint32_t count = noted.extent_count;
    if (liveobj_unloads_include(extent.start) && liveobj_unloads_include(extent.end - 1))
        return; // it was loaded there again
    if (count < EXTENTS_LIMIT) {
        set_extent(count, extent);
        // Release: who sees the count sees the extent.
        __atomic_store_n(&noted.extent_count, count + 1, __ATOMIC_RELEASE);
        return;
    }
    struct liveobj_extent last = extent_at(count - 1);
    set_extent(count - 1,
               (struct liveobj_extent){extent.start < last.start ? extent.start : last.start,
                                       extent.end > last.end ? extent.end : last.end});
}

// MARK: - Comparing

static const struct noted_image *find_same(const struct noted_images *images,
                                           struct liveobj_extent extent) {
    for (uint32_t i = 0; i < images->count; i++)
        if (images->items[i].extent.start == extent.start &&
            images->items[i].extent.end == extent.end)
            return &images->items[i];
    return NULL;
}

static void note_unload_failure(const char *why) {
    if (noted.failure)
        return;
    noted.listener->distrust_metadata();
    __atomic_store_n(&noted.failure, why, __ATOMIC_RELAXED);
}

static void note_unload(const struct noted_image *image) {
    add_extent(image->extent);
    noted.listener->forget_code(image->extent.start, image->extent.end);
    if (image->is_swift)
        note_unload_failure("references were not read: a Swift library was unloaded");
}

static void note_missing(const struct noted_images *present) {
    for (uint32_t i = 0; i < noted.loaded.count; i++)
        if (!find_same(present, noted.loaded.items[i].extent)) {
            note_unload(&noted.loaded.items[i]);
            noted.explained++;
        }
}

static bool count_image(const void *sections, void *count) {
    (void)sections;
    ++*(uint32_t *)count;
    return true;
}

/// The number of images that have registered Swift code with the runtime, unloaded ones included.
/// UINT32_MAX if that is not known: a library brings its own runtime into a program with a static
/// one.
static uint32_t count_registered(void) {
    typedef void (*enumerate_fn)(bool (*visit)(const void *, void *), void *context);
    const struct liveobj_runtime *runtime = liveobj_runtime_current();
    enumerate_fn enumerate = (enumerate_fn)runtime->swift_enumerateAllMetadataSections;
    uint32_t count = 0;
    if (!enumerate || runtime->image.is_main)
        return UINT32_MAX;
    enumerate(count_image, &count);
    return count;
}

static uint32_t count_swift(const struct noted_images *images) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < images->count; i++)
        count += images->items[i].is_swift;
    return count;
}

/// An image was loaded and unloaded between two comparisons, or is at its old place again. The C
/// library does so with its own modules, for `iconv` for example.
static void note_unknown(const struct noted_images *present, unsigned long long unloads) {
    if (noted.explained >= unloads)
        return;
    noted.explained = unloads;
    noted.listener->forget_code(0, UINTPTR_MAX);
    if (count_registered() > count_swift(present))
        note_unload_failure(
            "references were not read: a library was unloaded that may have contained Swift code");
}

// MARK: - Listing

/// Every image of Swift code calls `swift_addNewDSOImage` when it is loaded (second_runtime.c). The
/// image of the runtime defines it.
static bool image_has_swift_code(const struct liveobj_image *image) {
    return image->start == liveobj_runtime_current()->image.start ||
           liveobj_image_import(image, "swift_addNewDSOImage") != NULL;
}

static bool note_loaded_image(void *context, const struct liveobj_image *image) {
    struct noted_images *images = context;
    struct liveobj_extent extent = {image->start, image->end};
    if (extent.start >= extent.end || images->count == LOADED_LIMIT)
        return false;
    const struct noted_image *known = find_same(&noted.loaded, extent);
    bool is_swift = known ? known->is_swift : image_has_swift_code(image);
    images->items[images->count++] = (struct noted_image){extent, is_swift};
    return false;
}

static int read_changes(struct dl_phdr_info *info, size_t size, void *context) {
    struct changes *changes = context;
    if (size >= offsetof(struct dl_phdr_info, dlpi_subs) + sizeof info->dlpi_subs)
        *changes = (struct changes){info->dlpi_adds, info->dlpi_subs};
    return 1;
}

static bool are_same_changes(struct changes one, struct changes other) {
    return one.loads == other.loads && one.unloads == other.unloads;
}

static void note_locked(struct changes present_changes) {
    enum { BYTES = LOADED_LIMIT * sizeof *noted.loaded.items };
    struct noted_images present = {liveobj_os_map(BYTES), 0};
    if (!present.items)
        return;
    liveobj_images_visit(note_loaded_image, &present);
    if (!noted.loaded.items)
        noted.explained = present_changes.unloads;
    note_missing(&present);
    note_unknown(&present, present_changes.unloads);
    liveobj_os_unmap(noted.loaded.items, BYTES);
    noted.loaded = present;
    noted.changes = present_changes;
    noted.looks_again = !liveobj_second_runtime_look();
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
    if (!noted.loaded.items || noted.looks_again || !are_same_changes(present, noted.changes))
        note_locked(present);
    liveobj_lock_release(&noted.lock);
}

#endif
