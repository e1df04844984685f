// capture_stacks.c - writes the stack traces of a capture's objects.
//
// The depot's trace of an object may contain return addresses in an unloaded image. Another image
// may have been loaded at the same addresses since, with the same return addresses. Then one trace
// of the depot stands for two traces of the capture. So such a trace is written once for each
// period between unloads, in full, under an id above the depot's ids. An object's time of
// allocation selects its trace.
//
// Owns the memory that it maps for one capture, which is shared with the snapshot process.

#if defined(__linux__)

#include "capture/capture.h"
#include "os/os.h"
#include "stacks/stacks.h"

enum {
    STACKS_TO_COME = 1 << 21, // ids of traces recorded until the heap is read; address space only
    VARIANTS_LIMIT = 1 << 16,
    SLOTS = 2 * VARIANTS_LIMIT,
    FRAMES_LIMIT = 1024, // of the format
};

/// Flags of a trace of the depot.
enum { IS_USED = 1, IS_EXAMINED = 2, LIES_IN_UNLOADED = 4 };

struct liveobj_stack_variant {
    uint32_t stack;
    uint64_t until;    // the first unload after the object's allocation of an image in the trace
    uint64_t sequence; // of the first object that has the trace
};

struct liveobj_stack_variants {
    uint32_t count;
    uint32_t slots[SLOTS]; // open addressing: indices of `items`, counted from 1
    struct liveobj_stack_variant items[VARIANTS_LIMIT];
};

bool liveobj_captured_stacks_start(struct liveobj_captured_stacks *stacks) {
    stacks->end = liveobj_stack_depot_last() + 1 + STACKS_TO_COME;
    stacks->known = liveobj_os_map_shared(stacks->end);
    stacks->variants = liveobj_os_map_shared(sizeof *stacks->variants);
    return stacks->known && stacks->variants;
}

void liveobj_captured_stacks_end(struct liveobj_captured_stacks *stacks) {
    liveobj_os_unmap(stacks->known, stacks->end);
    liveobj_os_unmap(stacks->variants, sizeof *stacks->variants);
}

// MARK: - Frames

typedef void (*visit_frame_fn)(void *context, uintptr_t pc);

/// Visits the frames, innermost first: the trace's own frames, then the outermost ones of its
/// parent.
static void visit_frames(uint32_t stack, visit_frame_fn visit, void *context) {
    struct liveobj_stored_trace trace = liveobj_stack_depot_get(stack);
    uint32_t wanted = trace.own_frames + trace.parent_frames;
    while (true) {
        uint32_t skipped = trace.own_frames + trace.parent_frames - wanted;
        for (uint32_t i = skipped; i < trace.own_frames; i++)
            visit(context, trace.frames[i]);
        if (trace.parent_frames < wanted)
            wanted = trace.parent_frames;
        if (!trace.parent || !wanted)
            return;
        trace = liveobj_stack_depot_get(trace.parent);
    }
}

// MARK: - Variants

struct unload_search {
    const struct liveobj_captured_images *images;
    uint64_t sequence;
    uint64_t until; // 0: no image of the trace was unloaded since
};

static void find_unload(void *context, uintptr_t pc) {
    struct unload_search *search = context;
    const struct liveobj_image_list *list = &search->images->list;
    for (uint32_t id = search->images->loaded; id < list->count; id++) {
        uint64_t unloaded_at = list->items[id].unloaded_at;
        if (liveobj_listed_image_contains(&list->items[id], pc) && search->sequence < unloaded_at &&
            (search->until == 0 || unloaded_at < search->until))
            search->until = unloaded_at;
    }
}

static uint64_t first_unload(const struct liveobj_capture *capture, uint32_t stack,
                             uint64_t sequence) {
    struct unload_search search = {&capture->images, sequence, 0};
    visit_frames(stack, find_unload, &search);
    return search.until;
}

/// The id of a variant. Between two unloads of images in it, a trace means the same for all
/// objects.
static uint32_t variant_id(struct liveobj_captured_stacks *stacks, uint32_t stack, uint64_t until,
                           uint64_t sequence) {
    struct liveobj_stack_variants *variants = stacks->variants;
    uint64_t hash = (stack ^ until << 20) * UINT64_C(0x9e3779b97f4a7c15);
    uint32_t slot = (uint32_t)(hash >> 32) % SLOTS;
    for (; variants->slots[slot]; slot = (slot + 1) % SLOTS) {
        const struct liveobj_stack_variant *known = &variants->items[variants->slots[slot] - 1];
        if (known->stack == stack && known->until == until)
            return stacks->end + variants->slots[slot] - 1;
    }
    if (variants->count == VARIANTS_LIMIT)
        return 0;
    variants->items[variants->count++] = (struct liveobj_stack_variant){stack, until, sequence};
    variants->slots[slot] = variants->count;
    return stacks->end + variants->count - 1;
}

/// \returns whether a frame of the trace lies where an image was unloaded.
static bool lies_in_unloaded(struct liveobj_capture *capture, uint32_t stack) {
    uint8_t *known = &capture->stacks.known[stack];
    if (!(*known & IS_EXAMINED))
        *known |= IS_EXAMINED | (first_unload(capture, stack, 0) ? LIES_IN_UNLOADED : 0);
    return *known & LIES_IN_UNLOADED;
}

uint32_t liveobj_captured_stack(struct liveobj_capture *capture, uint32_t stack,
                                uint64_t sequence) {
    struct liveobj_captured_stacks *stacks = &capture->stacks;
    if (!liveobj_stack_depot_has(stack) || stack >= stacks->end)
        return 0;
    uint64_t until = 0;
    if (capture->images.loaded < capture->images.list.count && lies_in_unloaded(capture, stack))
        until = first_unload(capture, stack, sequence);
    if (until)
        return variant_id(stacks, stack, until, sequence);
    stacks->known[stack] |= IS_USED;
    return stack;
}

// MARK: - STAK

static void mark_parents(struct liveobj_captured_stacks *stacks, uint32_t end) {
    // A parent's id is smaller than its child's, so one pass downwards reaches all parents.
    for (uint32_t id = end; id-- > 1;)
        if (stacks->known[id] & IS_USED)
            stacks->known[liveobj_stack_depot_get(id).parent] |= IS_USED;
}

static void put_head(struct liveobj_section *section, uint32_t id,
                     const struct liveobj_stored_trace *trace) {
    liveobj_put_u32(section, id);
    liveobj_put_u32(section, trace->parent);
    liveobj_put_u32(section, trace->own_frames);
    liveobj_put_u32(section, trace->parent_frames);
}

static void put_stack(struct liveobj_capture *capture, struct liveobj_section *section,
                      uint32_t id) {
    struct liveobj_stored_trace trace = liveobj_stack_depot_get(id);
    liveobj_section_reserve(section, 16 + trace.own_frames * sizeof(uint64_t));
    put_head(section, id, &trace);
    for (uint32_t i = 0; i < trace.own_frames; i++)
        liveobj_put_u64(section, liveobj_frame_word(&capture->images, trace.frames[i]));
}

struct frame_list {
    struct liveobj_captured_images *images;
    uint64_t sequence;
    uint64_t words[FRAMES_LIMIT];
    uint32_t count;
};

static void add_frame(void *context, uintptr_t pc) {
    struct frame_list *list = context;
    if (list->count < FRAMES_LIMIT)
        list->words[list->count++] = liveobj_frame_word_at(list->images, pc, list->sequence);
}

static void put_variant(struct liveobj_capture *capture, struct liveobj_section *section,
                        uint32_t index) {
    const struct liveobj_stack_variant *variant = &capture->stacks.variants->items[index];
    struct frame_list list = {.images = &capture->images, .sequence = variant->sequence};
    visit_frames(variant->stack, add_frame, &list);
    liveobj_section_reserve(section, 16 + list.count * sizeof *list.words);
    put_head(section, capture->stacks.end + index,
             &(struct liveobj_stored_trace){.own_frames = list.count});
    liveobj_put(section, list.words, list.count * sizeof *list.words);
}

void liveobj_write_stacks(struct liveobj_capture *capture) {
    struct liveobj_section section;
    struct liveobj_captured_stacks *stacks = &capture->stacks;
    if (!liveobj_section_start(&section, &capture->stream, "STAK"))
        return;
    uint32_t last = liveobj_stack_depot_last();
    uint32_t end = last < stacks->end ? last + 1 : stacks->end;
    mark_parents(stacks, end);
    for (uint32_t id = 1; id < end; id++)
        if (stacks->known[id] & IS_USED)
            put_stack(capture, &section, id);
    for (uint32_t index = 0; index < stacks->variants->count; index++)
        put_variant(capture, &section, index);
    liveobj_section_finish(&section);
}

#endif
