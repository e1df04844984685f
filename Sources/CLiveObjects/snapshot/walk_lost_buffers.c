// walk_lost_buffers.c - writes the raw buffers that the program has lost: its code allocated them
// and nothing leads to them any more.
//
// Every word counts as an address, with bits of a tag above it too, and leads to the buffer that it
// is in, or that ends there. A buffer that another one leads to is not lost: it is lost with it.

#if defined(__linux__)

#include "heap/object_words.h"
#include "metadata/metadata.h"
#include "os/compiler.h"
#include "os/os.h"
#include "os/step.h"
#include "runtime/image.h"
#include "runtime/runtime.h"
#include "snapshot/walk.h"
#include "stacks/stacks.h"

LIVEOBJ_ANY_MEMORY_BEGIN

// MARK: - Who allocated it

/// Whether a return address is in a function with this start. The functions have no end that could
/// be read here; none of the runtime's own allocations is near them.
static bool is_in(const void *function, uintptr_t pc) {
    enum { MOST_BYTES = 128 };
    return function && pc - (uintptr_t)function < MOST_BYTES;
}

/// The functions that programs call, and the compiler copies into their code if it optimises.
static bool is_in_standard_library(uintptr_t pc) {
    const struct liveobj_runtime *runtime = liveobj_runtime_current();
    return is_in(runtime->$sSv8allocate9byteCount9alignmentSvSi_SitFZ, pc) ||
           is_in(runtime->$sSp8allocate8capacitySpyxGSi_tFZ, pc) ||
           is_in(runtime->$sSw8allocate9byteCount9alignmentSwSi_SitFZ, pc);
}

/// Whether code of the program allocated a buffer, not the runtime for itself.
static bool is_of_program(const struct liveobj_object *buffer) {
    const struct liveobj_runtime *runtime = liveobj_runtime_current();
    struct liveobj_stored_trace trace = {0};
    if (liveobj_stack_depot_has(buffer->stack))
        trace = liveobj_stack_depot_get(buffer->stack);
    uint32_t i = 0;
    while (i < trace.own_frames && is_in(runtime->swift_slowAlloc, trace.frames[i]))
        i++;
    if (i == trace.own_frames)
        return false;
    return !liveobj_image_contains(&runtime->image, trace.frames[i], 0) ||
           is_in_standard_library(trace.frames[i]);
}

static bool is_candidate(struct liveobj_walk *walk) {
    return is_of_program(&walk->object) && !liveobj_side_table_object(walk->object.address);
}

/// A step.
static void find_candidate(void *context) {
    struct liveobj_walk *walk = context;
    uint32_t ordinal = liveobj_walk_ordinal(walk), referrer = walk->found[ordinal + 1].referrer;
    bool has_referrer = referrer && referrer != ordinal + 1;
    if (!has_referrer && is_candidate(walk))
        liveobj_raw_buffers_add(&walk->buffers, &walk->object, ordinal);
}

void liveobj_walk_find_buffers(struct liveobj_walk *walk) {
    while (liveobj_walk_next(walk))
        if (walk->object.metadata == LIVEOBJ_METADATA_RAW_BUFFER)
            liveobj_snapshot_step(find_candidate, walk);
    liveobj_raw_buffers_sort(&walk->buffers);
    walk->roots->watched = liveobj_raw_buffers_extent(&walk->buffers);
}

// MARK: - Words

void liveobj_walk_visit_address(void *context, uintptr_t address) {
    struct liveobj_walk *walk = context;
    struct liveobj_raw_buffer *buffer = liveobj_raw_buffers_find(&walk->buffers, address);
    if (buffer)
        buffer->has_pointer = true;
}

static void note_word(struct liveobj_walk *walk, uintptr_t word) {
    struct liveobj_extent watched = walk->roots->watched;
    uintptr_t address = word & LIVEOBJ_TAGGED_ADDRESS_MASK;
    if (address - watched.start >= watched.end - watched.start)
        return;
    struct liveobj_raw_buffer *buffer = liveobj_raw_buffers_find(&walk->buffers, address);
    if (buffer && buffer->object != liveobj_walk_ordinal(walk))
        buffer->has_pointer = true;
}

static void note_words(void *context, struct liveobj_extent extent) {
    for (uintptr_t place = extent.start; place < extent.end; place += sizeof place) {
        if (place % LIVEOBJ_PAGE_BYTES == 0)
            liveobj_snapshot_advance();
        note_word(context, *(const uintptr_t *)place);
    }
}

/// Of large memory only what is resident.
static void note_memory(struct liveobj_walk *walk, uintptr_t start, uintptr_t end) {
    enum { LARGE_BYTES = 1 << 20, PIECE_BYTES = 64 << 20 };
    if (start >= end || end - start < LARGE_BYTES)
        return note_words(walk, (struct liveobj_extent){start, end});
    for (uintptr_t next; start < end; start = next) {
        next = end - start > PIECE_BYTES ? start + PIECE_BYTES : end;
        liveobj_snapshot_advance();
        if (liveobj_os_visit_pages((struct liveobj_extent){start, next}, false, note_words, walk))
            __builtin_trap(); // ends the step, as reading it would
    }
}

/// A step: all words of the current object.
static void note_object(void *context) {
    struct liveobj_walk *walk = context;
    struct liveobj_reader *reader = &walk->capture->reader;
    uintptr_t word;
    liveobj_walk_read_header(walk);
    struct liveobj_words words = liveobj_words_with_slack(
        &walk->object, &walk->capture->types.table.types[walk->type], reader);
    if (!words.bitmap)
        return note_memory(walk, words.next, words.end & ~(sizeof word - 1));
    while (liveobj_words_next(&words, reader, &word)) {
        liveobj_snapshot_advance();
        note_word(walk, word);
    }
}

static bool note_objects(struct liveobj_walk *walk) {
    bool is_read = true;
    while (liveobj_walk_next(walk))
        is_read &= liveobj_snapshot_step(note_object, walk);
    return is_read;
}

// MARK: - Lost ones

/// Removes those to which a word leads, and those that are not known to be in use.
static void keep_lost(struct liveobj_walk *walk) {
    enum { LARGE_BYTES = 64 << 10, HEADER_BYTES = 16 };
    struct liveobj_raw_buffers *buffers = &walk->buffers;
    uint32_t count = 0;
    for (uint32_t i = 0; i < buffers->count; i++) {
        struct liveobj_raw_buffer buffer = buffers->items[i];
        bool is_mapped = buffer.bytes >= LARGE_BYTES &&
                         buffer.start % LIVEOBJ_PAGE_BYTES == HEADER_BYTES &&
                         liveobj_roots_is_heap(walk->roots, buffer.start);
        if (!buffer.has_pointer && (buffer.is_in_use || is_mapped))
            buffers->items[count++] = buffer;
    }
    buffers->count = count;
}

void liveobj_walk_write_lost_buffers(struct liveobj_walk *walk) {
    struct liveobj_section section;
    keep_lost(walk);
    if (walk->report->unread || !walk->buffers.count || !note_objects(walk))
        return;
    keep_lost(walk);
    if (!liveobj_section_start(&section, &walk->stream, "LOST"))
        return;
    for (uint32_t i = 0; i < walk->buffers.count; i++) {
        liveobj_section_reserve(&section, sizeof(uint32_t));
        liveobj_put_u32(&section, walk->buffers.items[i].object);
    }
    liveobj_section_finish(&section);
}

LIVEOBJ_ANY_MEMORY_END

#endif
