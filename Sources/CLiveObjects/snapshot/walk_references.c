// walk_references.c - writes the references of each live object, and its number of elements.
//
// The record of a label or function precedes the first reference that names it. An object's
// references are written only if all of them could be read.

#if defined(__linux__)

#include "heap/object_words.h"
#include "heap/references.h"
#include "metadata/labels.h"
#include "metadata/metadata.h"
#include "metadata/types.h"
#include "os/compiler.h"
#include "os/os.h"
#include "os/step.h"
#include "runtime/memory_reader.h"
#include "snapshot/walk.h"

LIVEOBJ_ANY_MEMORY_BEGIN

// MARK: - Labels and functions

bool liveobj_walk_start_labels(struct liveobj_walk *walk) {
    bool started = liveobj_section_start(&walk->label_section, &walk->stream, "LABL") &&
                   liveobj_section_start(&walk->declaration_section, &walk->stream, "DECL");
    walk->declaration_section.before = &walk->label_section;
    return started;
}

void liveobj_walk_finish_labels(struct liveobj_walk *walk) {
    liveobj_section_finish(&walk->declaration_section);
    liveobj_section_finish(&walk->label_section);
}

/// Writes a name with its module; an empty one for 0.
static void put_name(struct liveobj_section *section, uintptr_t descriptor) {
    char text[LIVEOBJ_SHORT_NAME_BYTES];
    struct liveobj_name_parts name = liveobj_descriptor_names(descriptor);
    liveobj_name_write(&name, text, sizeof text);
    liveobj_put_text(section, text);
}

static void put_declaration(struct liveobj_walk *walk, uint32_t label,
                            const struct liveobj_declaration *declaration) {
    liveobj_section_reserve(&walk->declaration_section, 2 * LIVEOBJ_SHORT_NAME_BYTES + 64);
    liveobj_put_u32(&walk->declaration_section, label);
    liveobj_put_u32(&walk->declaration_section, declaration->is_constant);
    put_name(&walk->declaration_section, declaration->type);
    put_name(&walk->declaration_section, declaration->protocol);
}

void liveobj_walk_put_new_labels(struct liveobj_walk *walk) {
    for (uint32_t end = liveobj_labels_end(); walk->labels_written < end; walk->labels_written++) {
        struct liveobj_label label = liveobj_label_get(walk->labels_written);
        liveobj_section_reserve(&walk->label_section, LIVEOBJ_STRING_LIMIT + 64);
        liveobj_put_u32(&walk->label_section, walk->labels_written);
        liveobj_put_u32(&walk->label_section, label.kind);
        liveobj_put_u32(&walk->label_section, label.ownership);
        liveobj_put_text(&walk->label_section, label.text);
        if (label.declaration.type)
            put_declaration(walk, walk->labels_written, &label.declaration);
    }
}

static void put_new_function(struct liveobj_walk *walk, uintptr_t function) {
    liveobj_section_reserve(&walk->function_section, sizeof(uint64_t));
    liveobj_put_u64(&walk->function_section, liveobj_walk_code_word(walk, function));
}

static uint32_t function_id(struct liveobj_walk *walk, uintptr_t function) {
    uint32_t known = walk->functions.count;
    uint32_t id = function ? liveobj_address_number(&walk->functions, function) : 0;
    if (id > known)
        put_new_function(walk, function);
    return id;
}

// MARK: - One object

/// The code of a closure in a property whose type is not known: a closure is two words, and the one
/// before its context is in an image. 0 for other references.
static uintptr_t function_of(struct liveobj_walk *walk, const struct liveobj_reference *reference) {
    uintptr_t before = reference->place - sizeof before;
    if (reference->function || reference->place <= walk->object.address ||
        reference->place >= walk->object.address + walk->object.bytes ||
        liveobj_label_get(reference->label).kind != LIVEOBJ_LABEL_PROPERTY)
        return reference->function;
    uintptr_t word = liveobj_word(before, 0);
    return liveobj_captured_image_id(&walk->capture->images, word) == UINT32_MAX ? 0 : word;
}

void liveobj_walk_add_edge(struct liveobj_walk *walk, struct liveobj_edge edge) {
    if (walk->edge_count == walk->edge_capacity &&
        !liveobj_os_make_room((void **)&walk->edges, walk->edge_count, &walk->edge_capacity,
                              sizeof *walk->edges)) {
        // Without one of its references, an object would look over-retained.
        walk->stream.failed = true;
        return;
    }
    walk->edges[walk->edge_count++] = edge;
}

static void add_edge(void *context, const struct liveobj_reference *reference) {
    struct liveobj_walk *walk = context;
    liveobj_snapshot_advance();
    uint32_t target = liveobj_walk_find(walk, reference->target);
    if (!target)
        return;
    enum liveobj_ownership ownership = liveobj_label_get(reference->label).ownership;
    walk->found[target].unexplained -= ownership == LIVEOBJ_OWNERSHIP_STRONG;
    walk->found[target].is_weak_target |= ownership == LIVEOBJ_OWNERSHIP_WEAK;
    if (walk->object.metadata != LIVEOBJ_METADATA_RAW_BUFFER)
        walk->found[target].referrer = walk->number;
    liveobj_walk_add_edge(walk,
                          (struct liveobj_edge){liveobj_walk_ordinal(walk), target - 1,
                                                reference->label, reference->element,
                                                function_id(walk, function_of(walk, reference))});
}

// MARK: - Pointers

/// The label of a pointer in the property with the label `property`; 0 for a place without a name.
static uint32_t pointer_label(uint32_t property) {
    return liveobj_label_make(LIVEOBJ_LABEL_MEMORY, LIVEOBJ_OWNERSHIP_UNMANAGED,
                              property ? liveobj_label_get(property).text : "");
}

/// Adds a word that equals an object's address and is not a reference by its type: an `Unmanaged`,
/// an opaque pointer, a task's continuation. It is the only evidence of a holder for what the
/// program retained through it, and of what can resume a task. A number or an identifier is none:
/// it may equal an address by chance, or be that of a dead object.
static void add_pointer(void *context, const struct liveobj_reference *reference) {
    struct liveobj_walk *walk = context;
    const struct liveobj_type *type = &walk->capture->types.table.types[walk->type];
    uint32_t target = liveobj_walk_find(walk, reference->target);
    if (!target || walk->found[target].referrer == walk->number)
        return;
    const struct liveobj_slot *slot =
        liveobj_references_slot_at(&walk->object, type, reference->place);
    struct liveobj_reference named = *reference;
    if (slot && slot->kind == LIVEOBJ_SLOT_POINTER)
        named.label = pointer_label(slot->label);
    if (!slot || slot->kind != LIVEOBJ_SLOT_NUMBER)
        add_edge(walk, &named);
}

static void add_pointers_in(struct liveobj_walk *walk, uintptr_t start, uintptr_t end) {
    if (!walk->pointer_label)
        walk->pointer_label = pointer_label(0);
    liveobj_references_scan(start, end, walk->pointer_label, add_pointer, walk);
}

/// Words that arrays and hash tables no longer use are stale.
static void add_pointers(struct liveobj_walk *walk, const struct liveobj_type *type) {
    struct liveobj_reader *reader = &walk->capture->reader;
    uintptr_t word;
    struct liveobj_words words = liveobj_words_of(&walk->object, type, reader);
    if (!words.bitmap)
        return add_pointers_in(walk, words.next, words.end);
    while (liveobj_words_next(&words, reader, &word)) {
        liveobj_snapshot_advance();
        if (liveobj_records_slot_of_word(word & LIVEOBJ_REFERENCE_MASK) ||
            liveobj_task_memory_may_find(&walk->task_memory, word))
            add_pointers_in(walk, words.next - sizeof word, words.next);
    }
}

static void read_references(void *context) {
    struct liveobj_walk *walk = context;
    liveobj_walk_read_header(walk);
    const struct liveobj_type *type = &walk->capture->types.table.types[walk->type];
    // After deinit has begun, the object's fields are not valid.
    walk->contents = (struct liveobj_object_contents){true, LIVEOBJ_NO_ELEMENTS};
    if (walk->strong.is_pinned)
        return;
    if (walk->strong.is_known)
        walk->found[walk->number].unexplained += (int32_t)walk->strong.value;
    walk->contents = liveobj_references_visit(&walk->object, type, add_edge, walk);
    if (!liveobj_references_may_have_pointers(&walk->object, type))
        return;
    add_pointers(walk, type);
    if (!walk->capture->selection)
        liveobj_walk_find_blocks(walk, type);
}

void liveobj_walk_put_edges(struct liveobj_walk *walk, struct liveobj_section *section) {
    enum { EDGES_AT_ONCE = 4096 };
    _Static_assert(EDGES_AT_ONCE * sizeof(struct liveobj_edge) < LIVEOBJ_RECORD_LIMIT, "fits");
    for (uint32_t first = 0, count; first < walk->edge_count; first += count) {
        uint32_t left = walk->edge_count - first;
        count = left < EDGES_AT_ONCE ? left : EDGES_AT_ONCE;
        liveobj_section_reserve(section, count * sizeof *walk->edges);
        liveobj_put(section, &walk->edges[first], count * sizeof *walk->edges);
    }
}

static void put_element_count(struct liveobj_walk *walk) {
    if (walk->contents.elements >= UINT32_MAX)
        return; // none, or more than a record can name
    liveobj_section_reserve(&walk->element_section, 2 * sizeof(uint32_t));
    liveobj_put_u32(&walk->element_section, liveobj_walk_ordinal(walk));
    liveobj_put_u32(&walk->element_section, (uint32_t)walk->contents.elements);
}

static void put_references(struct liveobj_walk *walk) {
    liveobj_walk_put_new_labels(walk);
    liveobj_walk_put_edges(walk, &walk->reference_section);
    put_element_count(walk);
    walk->report->scanned_objects += !walk->contents.is_precise;
}

static void note_unread(struct liveobj_walk *walk) {
    enum { TIMEOUTS_LIMIT = 3 };
    walk->report->unread_objects++;
    // The runtime's locks are never released in this process: a request for a type would not
    // return.
    if (liveobj_snapshot_timeouts() == TIMEOUTS_LIMIT)
        liveobj_types_close();
}

// MARK: - All objects

static bool start_sections(struct liveobj_walk *walk) {
    bool started = liveobj_walk_start_labels(walk) &&
                   liveobj_section_start(&walk->function_section, &walk->stream, "FUNC") &&
                   liveobj_section_start(&walk->reference_section, &walk->stream, "REFS") &&
                   liveobj_section_start(&walk->element_section, &walk->stream, "ELEM");
    walk->function_section.before = &walk->declaration_section;
    walk->reference_section.before = &walk->function_section;
    walk->labels_written = 1;
    return started;
}

void liveobj_walk_write_references(struct liveobj_walk *walk) {
    if (!start_sections(walk))
        return;
    while (!walk->stream.failed && liveobj_walk_next(walk)) {
        walk->edge_count = 0;
        if (liveobj_snapshot_step(read_references, walk))
            put_references(walk);
        else
            note_unread(walk);
    }
    liveobj_section_finish(&walk->element_section);
    liveobj_section_finish(&walk->reference_section);
    liveobj_section_finish(&walk->function_section);
    liveobj_walk_finish_labels(walk);
}

LIVEOBJ_ANY_MEMORY_END

#endif
