// walk_words.c - finds the words of objects that lead to a suspect without being its address, and
// writes those to objects as references. A buffer is held by any of them.
//
// A program that keeps an object by such a word has retained it by itself. Numbers count only under
// a tag: a plain one may be the address of an object that died where the suspect is now. A buffer
// that is a suspect itself is read once it is known to be held.

#if defined(__linux__)

#include "heap/object_words.h"
#include "heap/references.h"
#include "metadata/labels.h"
#include "os/compiler.h"
#include "os/os.h"
#include "os/step.h"
#include "snapshot/walk.h"

LIVEOBJ_ANY_MEMORY_BEGIN

// MARK: - Suspects

/// Adds the current object, unless it is a task, or a buffer that is in use.
static void add_suspect(struct liveobj_walk *walk) {
    const struct liveobj_object *object = &walk->object;
    uint64_t bytes = object->bytes ? object->bytes : 1; // the start is always inside
    bool is_object = object->metadata != LIVEOBJ_METADATA_TASK &&
                     object->metadata != LIVEOBJ_METADATA_RAW_BUFFER;
    if ((is_object || walk->found[walk->number].is_buffer) &&
        !liveobj_suspects_add(
            &walk->suspects,
            (struct liveobj_suspect){object->address, object->address + bytes, walk->number}))
        walk->stream.failed = true;
}

void liveobj_walk_find_suspects(struct liveobj_walk *walk) {
    liveobj_suspects_clear(&walk->suspects);
    for (uint32_t number = 1; number <= walk->count; number++) {
        struct liveobj_found *found = &walk->found[number];
        found->is_buffer = found->is_buffer && !found->is_held;
        if (found->is_held || (!found->is_buffer && found->unexplained <= 0))
            continue;
        liveobj_walk_move(walk, number);
        add_suspect(walk);
    }
    walk->number = 0;
    liveobj_suspects_sort(&walk->suspects);
}

// MARK: - Words

static uint32_t label_of_words(const struct liveobj_type *type) {
    bool is_buffer = type->kind == LIVEOBJ_TYPE_RAW_BUFFER;
    return liveobj_label_make(
        LIVEOBJ_LABEL_MEMORY,
        is_buffer ? LIVEOBJ_OWNERSHIP_CONSERVATIVE : LIVEOBJ_OWNERSHIP_UNMANAGED, "");
}

/// Whether the word may be a pointer in disguise. An address is a reference or pointer, and was
/// found as such.
static bool may_lead(const struct liveobj_walk *walk, const struct liveobj_type *type,
                     uintptr_t place) {
    uintptr_t word = *(const uintptr_t *)place;
    if (liveobj_words_are_slack(&walk->object, type, place) || type->kind == LIVEOBJ_TYPE_TASK)
        return false;
    if (walk->strong.is_pinned) // a thread may be about to release what the property refers to
        return true;
    bool has_tag = (word & LIVEOBJ_WORD_ADDRESS) != word;
    return liveobj_references_is_number(&walk->object, type, place)
               ? has_tag
               : !liveobj_walk_find(walk, word & LIVEOBJ_REFERENCE_MASK);
}

static void hold_buffer(struct liveobj_walk *walk, uint32_t number) {
    struct liveobj_found *found = &walk->found[number];
    if (found->is_held)
        return;
    found->is_held = true;
    if (liveobj_os_make_room((void **)&walk->held_buffers, walk->held_buffer_count,
                             &walk->held_buffer_capacity, sizeof number))
        walk->held_buffers[walk->held_buffer_count++] = number;
    else
        walk->has_unread_words = true;
}

static void take_word(struct liveobj_walk *walk, uintptr_t place) {
    const struct liveobj_type *type = &walk->capture->types.table.types[walk->type];
    uint32_t target = liveobj_suspects_find(&walk->suspects, *(const uintptr_t *)place);
    if (target == walk->number)
        return;
    if (walk->found[target].is_buffer)
        hold_buffer(walk, target);
    if (target && may_lead(walk, type, place))
        liveobj_walk_add_edge(walk,
                              (struct liveobj_edge){walk->number - 1, target - 1,
                                                    label_of_words(type), LIVEOBJ_NO_ELEMENT, 0});
}

static void take_words(void *context, struct liveobj_extent words) {
    struct liveobj_walk *walk = context;
    for (uintptr_t place = words.start; place < words.end; place += sizeof place) {
        if (place % LIVEOBJ_PAGE_BYTES == 0)
            liveobj_snapshot_advance();
        if (LIVEOBJ_UNLIKELY(liveobj_suspects_may_find(&walk->suspects, *(const uintptr_t *)place)))
            take_word(walk, place);
    }
}

static void take_words_of_object(void *context) {
    struct liveobj_walk *walk = context;
    struct liveobj_reader *reader = &walk->capture->reader;
    uintptr_t word;
    liveobj_walk_read_header(walk);
    const struct liveobj_type *type = &walk->capture->types.table.types[walk->type];
    struct liveobj_words words = liveobj_words_with_slack(&walk->object, type, reader);
    if (!words.bitmap)
        return liveobj_words_visit(words.next, words.end, take_words, walk);
    while (liveobj_words_next(&words, reader, &word))
        take_words(walk, (struct liveobj_extent){words.next - sizeof word, words.next});
}

static void write_words_of_object(struct liveobj_walk *walk, struct liveobj_section *section) {
    walk->edge_count = 0;
    bool is_read = liveobj_snapshot_step(take_words_of_object, walk);
    walk->has_unread_words |= !is_read;
    if (is_read && walk->edge_count > 0) {
        liveobj_walk_put_new_labels(walk);
        liveobj_walk_put_edges(walk, section);
    }
}

/// Side tables keep the addresses of dead objects. Buffers that are suspects are read once they are
/// held.
static bool is_left_out(const struct liveobj_walk *walk) {
    const struct liveobj_found *found = &walk->found[walk->number];
    return found->is_buffer ||
           (found->is_weak_target && walk->object.metadata == LIVEOBJ_METADATA_RAW_BUFFER);
}

/// Moves to a suspect that is held, and was not read. After the last one, moves back to the start.
static bool next_held_buffer(struct liveobj_walk *walk) {
    bool has_next = walk->held_buffer_count > 0;
    if (has_next)
        liveobj_walk_move(walk, walk->held_buffers[--walk->held_buffer_count]);
    else
        walk->number = 0;
    return has_next;
}

void liveobj_walk_write_words(struct liveobj_walk *walk) {
    struct liveobj_section section;
    liveobj_walk_find_suspects(walk);
    if (walk->suspects.count == 0 || !liveobj_walk_start_labels(walk) ||
        !liveobj_section_start(&section, &walk->stream, "WORD"))
        return;
    section.before = &walk->declaration_section;
    while (!walk->stream.failed && liveobj_walk_next(walk))
        if (!is_left_out(walk))
            write_words_of_object(walk, &section);
    while (!walk->stream.failed && next_held_buffer(walk))
        write_words_of_object(walk, &section);
    liveobj_section_finish(&section);
    liveobj_walk_finish_labels(walk);
}

LIVEOBJ_ANY_MEMORY_END

#endif
