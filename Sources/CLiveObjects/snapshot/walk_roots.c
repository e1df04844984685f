// walk_roots.c - writes the roots of each object: the first eight of each kind; of handlers eight
// with a name besides.

#if defined(__linux__)

#include "os/compiler.h"
#include "os/os.h"
#include "snapshot/walk.h"

LIVEOBJ_ANY_MEMORY_BEGIN

struct root_writer {
    struct liveobj_walk *walk;
    struct liveobj_section section;
    uint32_t *counts; // by ordinal: four bits for each kind
};

/// The counter of the root's kind, of four bits each.
static uint32_t counter_of(const struct liveobj_root *root) {
    enum { NAMED_HANDLER = LIVEOBJ_ROOT_KIND_LAST + 1, COUNTERS_END };
    _Static_assert(COUNTERS_END * 4 <= 32, "in one word");
    return root->label ? NAMED_HANDLER : (uint32_t)root->kind;
}

/// Counts the root. \returns whether it is among the first of its kind for this object.
static bool is_wanted(struct root_writer *writer, uint32_t ordinal,
                      const struct liveobj_root *root) {
    enum { MOST = 8, BITS = 4, MASK = (1 << BITS) - 1 };
    uint32_t *counts = &writer->counts[ordinal];
    uint32_t shift = counter_of(root) * BITS;
    bool is_wanted = (*counts >> shift & MASK) < MOST;
    *counts += is_wanted ? 1u << shift : 0;
    return is_wanted;
}

static uint64_t encode_root_place(struct liveobj_walk *walk, const struct liveobj_root *root) {
    switch (root->kind) {
    case LIVEOBJ_ROOT_GLOBAL:
        return liveobj_frame_word(&walk->capture->images, root->place);
    case LIVEOBJ_ROOT_HANDLER:
        return root->place ? liveobj_walk_code_word(walk, root->place) : 0;
    default:
        return root->place;
    }
}

static void put_root(struct root_writer *writer, const struct liveobj_root *root, uint32_t ordinal,
                     bool is_disguised) {
    enum { IN_USE = 1, DISGUISED = 2 };
    uint32_t flags = (root->is_in_use ? IN_USE : 0) | (is_disguised ? DISGUISED : 0);
    struct {
        uint32_t kind, ordinal;
        uint64_t place, detail;
    } record = {root->kind, ordinal, encode_root_place(writer->walk, root),
                root->label ? root->label : flags};
    _Static_assert(sizeof record == 24, "as the format says");
    liveobj_walk_put_new_labels(writer->walk);
    liveobj_section_reserve(&writer->section, sizeof record);
    liveobj_put(&writer->section, &record, sizeof record);
}

/// Most words on stacks and in memory of C code that lead to an object are old: one that is not its
/// address would make the answer differ from run to run.
static bool may_be_old(const struct liveobj_root *root) {
    return root->kind == LIVEOBJ_ROOT_STACK || root->kind == LIVEOBJ_ROOT_C_MEMORY;
}

static void take_root(void *context, const struct liveobj_root *root) {
    struct root_writer *writer = context;
    struct liveobj_walk *walk = writer->walk;
    uint32_t number = liveobj_walk_find(walk, root->target);
    bool is_disguised = !number && root->word;
    if (is_disguised)
        number = liveobj_suspects_find(&walk->suspects, root->word);
    struct liveobj_found *found = &walk->found[number];
    found->is_held |= found->is_buffer || !may_be_old(root);
    if (is_disguised && !found->is_buffer && may_be_old(root))
        return;
    if (number && is_wanted(writer, number - 1, root))
        put_root(writer, root, number - 1, is_disguised);
}

static void note_chunk(void *context, uintptr_t content, uint64_t bytes) {
    struct liveobj_walk *walk = context;
    liveobj_blocks_note(&walk->blocks, content, bytes);
    if (liveobj_suspects_may_find(&walk->suspects, content))
        walk->found[liveobj_walk_find(walk, content)].is_in_use = true;
}

void liveobj_walk_write_roots(struct liveobj_walk *walk) {
    struct root_writer writer = {.walk = walk,
                                 .counts = liveobj_os_map((walk->count + 1) * sizeof(uint32_t))};
    walk->report->unread = LIVEOBJ_UNREAD_MEMORY;
    if (writer.counts && liveobj_walk_start_labels(walk) &&
        liveobj_section_start(&writer.section, &walk->stream, "ROOT")) {
        writer.section.before = &walk->declaration_section;
        liveobj_blocks_prepare(&walk->blocks);
        walk->roots->visit_chunk = note_chunk;
        walk->roots->visit_context = walk;
        if (!walk->roots->failed)
            walk->report->unread = liveobj_roots_scan(walk->roots, &walk->task_memory,
                                                      &walk->suspects, take_root, &writer);
    }
    liveobj_section_finish(&writer.section);
    liveobj_walk_finish_labels(walk);
}

LIVEOBJ_ANY_MEMORY_END

#endif
