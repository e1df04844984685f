// walk_roots.c - writes the roots of each object: the first eight of each kind, of those on stacks
// eight of the capturing thread and eight of the others.

#if defined(__linux__)

#include "os/compiler.h"
#include "os/os.h"
#include "snapshot/walk.h"

LIVEOBJ_ANY_MEMORY_BEGIN

struct root_writer {
    struct liveobj_walk *walk;
    struct liveobj_section section;
    uint32_t *counts; // by ordinal: four bits for each kind, and as many for other threads' stacks
};

/// Whether the root is on the stack of a thread that did not make the capture. While it waits for
/// work, none of its words is in use.
static bool is_on_other_stack(const struct root_writer *writer, const struct liveobj_root *root) {
    return root->kind == LIVEOBJ_ROOT_STACK && root->place != writer->walk->roots->own_thread;
}

/// Counts the root. \returns whether it is among the first of its kind for this object.
static bool is_wanted(struct root_writer *writer, uint32_t ordinal,
                      const struct liveobj_root *root) {
    enum { MOST = 8, BITS = 4, MASK = (1 << BITS) - 1, OTHER_STACK = 0 };
    _Static_assert((LIVEOBJ_ROOT_KIND_LAST + 1) * BITS <= 32, "four bits for each kind, from 1 on");
    uint32_t *counts = &writer->counts[ordinal];
    uint32_t kind = is_on_other_stack(writer, root) ? OTHER_STACK : (uint32_t)root->kind;
    uint32_t shift = kind * BITS;
    bool is_wanted = (*counts >> shift & MASK) < MOST;
    *counts += is_wanted ? 1u << shift : 0;
    return is_wanted;
}

static uint64_t place_of(struct liveobj_walk *walk, const struct liveobj_root *root) {
    switch (root->kind) {
    case LIVEOBJ_ROOT_GLOBAL:
        return liveobj_frame_word(&walk->capture->images, root->place);
    case LIVEOBJ_ROOT_DISPATCH_BLOCK:
        return liveobj_walk_code_word(walk, root->place);
    default:
        return root->place;
    }
}

static void put_root(struct root_writer *writer, const struct liveobj_root *root,
                     uint32_t ordinal) {
    struct {
        uint32_t kind, ordinal;
        uint64_t place, is_on_other_stack;
    } record = {root->kind, ordinal, place_of(writer->walk, root), is_on_other_stack(writer, root)};
    _Static_assert(sizeof record == 24, "as the format says");
    liveobj_section_reserve(&writer->section, sizeof record);
    liveobj_put(&writer->section, &record, sizeof record);
}

static void take_root(void *context, const struct liveobj_root *root) {
    struct root_writer *writer = context;
    struct liveobj_walk *walk = writer->walk;
    uint32_t number = liveobj_walk_find(walk, root->target);
    if (number && is_wanted(writer, number - 1, root))
        put_root(writer, root, number - 1);
}

void liveobj_walk_write_roots(struct liveobj_walk *walk) {
    struct root_writer writer = {.walk = walk,
                                 .counts = liveobj_os_map((walk->count + 1) * sizeof(uint32_t))};
    walk->report->misses_roots = true;
    if (writer.counts && liveobj_section_start(&writer.section, &walk->stream, "ROOT"))
        walk->report->misses_roots =
            !liveobj_roots_scan(walk->roots, &walk->task_memory, take_root, &writer);
    liveobj_section_finish(&writer.section);
}

LIVEOBJ_ANY_MEMORY_END

#endif
