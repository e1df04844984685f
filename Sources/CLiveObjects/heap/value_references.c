// value_references.c - the references of a value; see references.h.
//
// Owns nothing. Values nest (an enum in an existential in an enum …), so the walk of one object
// recurses, at most DEPTH_LIMIT levels.

#if defined(__linux__)

#include "arch/address.h"
#include "heap/object_type.h"
#include "heap/references.h"
#include "metadata/labels.h"
#include "metadata/metadata.h"
#include "os/compiler.h"
#include "os/step.h"
#include "runtime/runtime.h"

#include <string.h>

LIVEOBJ_ANY_MEMORY_BEGIN

enum {
    DEPTH_LIMIT = 256,
    SCRATCH_BYTES = 1024, // for an enum's value; larger values are scanned
};

// MARK: - Words

/// The address of the object to which a word refers, or 0. Words with the sign bit refer to none
/// (immortal objects, small strings). The other spare bits may hold flags.
static uintptr_t object_in(uintptr_t word) {
    uintptr_t address = word & LIVEOBJ_OBJECT_POINTER_MASK;
    return (intptr_t)word <= 0 || address < LIVEOBJ_PAGE_BYTES ? 0 : address;
}

static uint32_t label_in(const struct liveobj_visit *visit, uint32_t label) {
    return visit->outer ? liveobj_label_join(visit->outer, label) : label;
}

static void report_value_reference(struct liveobj_visit *visit, uintptr_t target, uint32_t label,
                                   uintptr_t function) {
    if (target)
        visit->function(visit->context, &(struct liveobj_reference){target, label_in(visit, label),
                                                                    visit->element, function, 0});
}

struct scan {
    struct liveobj_visit *visit;
    uint32_t label;
};

static void scan_value_words(void *context, struct liveobj_extent extent) {
    const struct scan *scan = context;
    struct liveobj_visit *visit = scan->visit;
    for (uintptr_t address = extent.start; address < extent.end; address += sizeof address) {
        if (address % LIVEOBJ_PAGE_BYTES == 0)
            liveobj_snapshot_advance();
        uintptr_t word = *(const uintptr_t *)address & LIVEOBJ_REFERENCE_MASK;
        if (liveobj_is_address(word))
            visit->function(visit->context, &(struct liveobj_reference){
                                                word, scan->label, visit->element, 0, address});
    }
}

void liveobj_words_visit(uintptr_t start, uintptr_t end, liveobj_extent_visit_fn visit,
                         void *context) {
    enum { LARGE_BYTES = 1 << 20, PIECE_BYTES = 64 << 20 };
    start = liveobj_round_up(start, sizeof start);
    end &= ~(sizeof end - 1);
    if (start < end && end - start < LARGE_BYTES)
        return visit(context, (struct liveobj_extent){start, end});
    for (uintptr_t next; start < end; start = next) {
        next = end - start > PIECE_BYTES ? start + PIECE_BYTES : end;
        liveobj_snapshot_advance();
        if (liveobj_os_visit_pages((struct liveobj_extent){start, next}, false, visit, context))
            __builtin_trap(); // a part is not mapped: ends the step, as reading it would
    }
}

void liveobj_visit_scan(struct liveobj_visit *visit, uintptr_t start, uintptr_t end,
                        uint32_t label) {
    struct scan scan = {visit, label_in(visit, label)};
    liveobj_words_visit(start, end, scan_value_words, &scan);
}

// MARK: - Values

/// Walks a value at the place that `label` names.
void liveobj_visit_inside(struct liveobj_visit *visit, uint32_t label, uintptr_t type,
                          uintptr_t value) {
    const struct liveobj_layout *layout =
        visit->depth < DEPTH_LIMIT ? liveobj_layout_of_value(type) : NULL;
    if (!layout) {
        visit->is_precise = false;
        return;
    }
    struct liveobj_visit inside = *visit;
    inside.outer = label_in(visit, label);
    inside.depth++;
    liveobj_visit_layout(&inside, layout, value);
    visit->is_precise = inside.is_precise;
}

static void walk_unknown(struct liveobj_visit *visit, const struct liveobj_slot *slot,
                         uintptr_t value) {
    visit->is_precise = false;
    liveobj_visit_scan(visit, value, value + slot->bytes,
                       liveobj_label_with(slot->label, LIVEOBJ_OWNERSHIP_CONSERVATIVE));
}

/// Walks the payload of an enum. In some enums the payload has other bits than a plain value of its
/// type. The runtime removes them, in a copy of the value.
static void walk_payload(struct liveobj_visit *visit, const struct liveobj_slot *slot,
                         struct liveobj_enum_case payload, uintptr_t value) {
    _Alignas(16) unsigned char scratch[SCRATCH_BYTES];
    if (slot->bytes > SCRATCH_BYTES)
        return walk_unknown(visit, slot, value);
    memcpy(scratch, (const void *)value, slot->bytes);
    liveobj_witnesses_of(slot->type)->project_enum(scratch, (const void *)slot->type);
    uint32_t label = liveobj_label_join(slot->label, payload.label);
    if (payload.is_indirect)
        report_value_reference(visit, object_in(*(const uintptr_t *)scratch), label, 0);
    else
        liveobj_visit_inside(visit, label, payload.type, (uintptr_t)scratch);
}

static void walk_enum(struct liveobj_visit *visit, const struct liveobj_slot *slot,
                      uintptr_t value) {
    uint32_t tag =
        liveobj_witnesses_of(slot->type)->enum_tag((const void *)value, (const void *)slot->type);
    struct liveobj_enum_case payload = liveobj_layout_enum_case(slot->type, tag);
    if (!payload.is_known)
        walk_unknown(visit, slot, value);
    else if (payload.type && liveobj_metadata_kind(slot->type) == LIVEOBJ_KIND_OPTIONAL)
        liveobj_visit_inside(visit, slot->label, payload.type, value);
    else if (payload.type || payload.is_indirect)
        walk_payload(visit, slot, payload, value);
}

/// Walks an opaque existential: three words for the value or its box, then its type.
static void walk_existential(struct liveobj_visit *visit, const struct liveobj_slot *slot,
                             uintptr_t value) {
    uintptr_t type = liveobj_word(value, 3);
    if (type < LIVEOBJ_PAGE_BYTES)
        return; // `nil`
    bool is_readable =
        liveobj_layout_is_known(type) || liveobj_metadata_is_valid(visit->reader, type);
    if (!is_readable)
        return walk_unknown(visit, slot, value);
    uint32_t flags = liveobj_witnesses_of(type)->flags;
    if (flags & LIVEOBJ_WITNESS_IS_NOT_INLINE)
        report_value_reference(visit, object_in(liveobj_word(value, 0)), slot->label, 0);
    else if (flags & LIVEOBJ_WITNESS_IS_NOT_POD ||
             liveobj_metadata_kind(type) == LIVEOBJ_KIND_CLASS)
        liveobj_visit_inside(visit, slot->label, type, value);
}

static void walk_function(struct liveobj_visit *visit, const struct liveobj_slot *slot,
                          uintptr_t value) {
    uintptr_t code = liveobj_word(value, 0);
    if (code >= LIVEOBJ_PAGE_BYTES) // otherwise `nil`
        report_value_reference(visit, object_in(liveobj_word(value, 1)), slot->label, code);
}

/// Walks a block on the heap, which holds its captures: a closure as code and context, or another
/// block. Only the block's own functions know its layout, so these references are a guess.
static void walk_block(struct liveobj_visit *visit, uint32_t label, uintptr_t block,
                       uint32_t depth) {
    enum { DESCRIPTOR = 3, FIRST_CAPTURE = 4, SIZE_LIMIT = 1024, NESTING = 4 };
    uintptr_t class = (uintptr_t)liveobj_runtime_current()->_NSConcreteMallocBlock;
    uintptr_t isa = 0;
    if (depth == NESTING || !class ||
        !liveobj_read_checked(visit->reader, block, &isa, sizeof isa) || isa != class)
        return report_value_reference(visit, block, label, 0);
    size_t bytes = liveobj_word(liveobj_word(block, DESCRIPTOR), 1);
    for (size_t i = FIRST_CAPTURE; i < bytes / sizeof(uintptr_t) && bytes < SIZE_LIMIT; i++) {
        uintptr_t target = object_in(liveobj_word(block, i));
        if (i == FIRST_CAPTURE + 1)
            report_value_reference(visit, target, label, liveobj_word(block, FIRST_CAPTURE));
        else if (target)
            walk_block(visit, label, target, depth + 1);
    }
    if (bytes < SIZE_LIMIT)
        liveobj_dispatch_visit_notified(block, bytes, visit->function, visit->context);
}

/// Walks a weak reference, which points to the object's side table. After the object was freed it
/// leads to the side table itself: the analysis knows by that not to search it for references.
static void walk_weak(struct liveobj_visit *visit, const struct liveobj_slot *slot,
                      uintptr_t value) {
    uintptr_t side_table = object_in(liveobj_word(value, 0));
    uintptr_t object = side_table ? liveobj_side_table_object(side_table) : 0;
    report_value_reference(visit, object ? object : side_table, slot->label, 0);
}

static void walk_slot(struct liveobj_visit *visit, const struct liveobj_slot *slot,
                      uintptr_t value) {
    switch (slot->kind) {
    case LIVEOBJ_SLOT_REFERENCE:
    case LIVEOBJ_SLOT_BRIDGE:
    case LIVEOBJ_SLOT_UNOWNED:
    case LIVEOBJ_SLOT_UNMANAGED:
        return report_value_reference(visit, object_in(liveobj_word(value, 0)), slot->label, 0);
    case LIVEOBJ_SLOT_FUNCTION:
        return walk_function(visit, slot, value);
    case LIVEOBJ_SLOT_BLOCK:
        if (object_in(liveobj_word(value, 0)))
            walk_block(visit, slot->label, object_in(liveobj_word(value, 0)), 0);
        return;
    case LIVEOBJ_SLOT_WEAK:
        return walk_weak(visit, slot, value);
    case LIVEOBJ_SLOT_ENUM:
        return walk_enum(visit, slot, value);
    case LIVEOBJ_SLOT_EXISTENTIAL:
        return walk_existential(visit, slot, value);
    case LIVEOBJ_SLOT_NUMBER:
    case LIVEOBJ_SLOT_POINTER:
        return;
    case LIVEOBJ_SLOT_WORDS:
        return liveobj_visit_scan(visit, value, value + slot->bytes, slot->label);
    }
}

void liveobj_visit_layout(struct liveobj_visit *visit, const struct liveobj_layout *layout,
                          uintptr_t value) {
    liveobj_snapshot_advance(); // an array may have millions of values without references
    visit->is_precise &= layout->is_precise;
    for (uint32_t i = 0; i < layout->count; i++)
        walk_slot(visit, &layout->slots[i], value + layout->slots[i].offset);
}

struct liveobj_visit liveobj_visit_start(liveobj_visit_reference_fn function, void *context) {
    return (struct liveobj_visit){.function = function,
                                  .context = context,
                                  .reader = liveobj_metadata_reader(),
                                  .element = LIVEOBJ_NO_ELEMENT,
                                  .is_precise = true,
                                  .elements = LIVEOBJ_NO_ELEMENTS};
}

bool liveobj_references_visit_value(uintptr_t value, uintptr_t type, uint32_t label,
                                    liveobj_visit_reference_fn function, void *context) {
    struct liveobj_visit visit = liveobj_visit_start(function, context);
    liveobj_visit_inside(&visit, label, type, value);
    return visit.is_precise;
}

void liveobj_block_visit(uintptr_t block, uint32_t label, liveobj_visit_reference_fn function,
                         void *context) {
    struct liveobj_visit visit = liveobj_visit_start(function, context);
    walk_block(&visit, label, block, 0);
}

void liveobj_references_scan(uintptr_t start, uintptr_t end, uint32_t label,
                             liveobj_visit_reference_fn function, void *context) {
    struct liveobj_visit visit = {
        .function = function, .context = context, .element = LIVEOBJ_NO_ELEMENT};
    liveobj_visit_scan(&visit, start, end, label);
}

LIVEOBJ_ANY_MEMORY_END

#endif
