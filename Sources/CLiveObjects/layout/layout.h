// layout.h - the references in the values of a type, and the words that are none by their type.
//
// A layout is compiled once from the runtime's metadata and cached until the process ends, keyed by
// the metadata's address. Compiling calls the runtime, which allocates and locks. So layouts are
// compiled in the program before the heap is read. The snapshot process compiles only those of
// types that first appear in an object's memory. Outside of hooks, under the lock over captures.

#pragma once

#include "layout/declarations.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// The content of a slot, which is a part of a value.
enum liveobj_slot_kind {
    LIVEOBJ_SLOT_REFERENCE,   // a word: an object, or null
    LIVEOBJ_SLOT_BRIDGE,      // Builtin.BridgeObject: an object, or tagged bits
    LIVEOBJ_SLOT_FUNCTION,    // two words: code, context
    LIVEOBJ_SLOT_BLOCK,       // a word: a block of C code, or null
    LIVEOBJ_SLOT_WEAK,        // a word: a side table
    LIVEOBJ_SLOT_UNOWNED,     // a word
    LIVEOBJ_SLOT_UNMANAGED,   // a word
    LIVEOBJ_SLOT_ENUM,        // a value of `type`, whose case decides what it contains
    LIVEOBJ_SLOT_EXISTENTIAL, // an opaque existential: buffer, type, witnesses
    LIVEOBJ_SLOT_WORDS,       // `bytes` of unknown types: scanned
    LIVEOBJ_SLOT_NUMBER,      // a number as large as a pointer, an ObjectIdentifier: no reference
    LIVEOBJ_SLOT_POINTER,     // a plain pointer, whose label names the place
};

struct liveobj_slot {
    uint32_t offset; // from the start of the value or object
    uint32_t bytes;
    uint32_t label;
    enum liveobj_slot_kind kind;
    uintptr_t type; // metadata, for LIVEOBJ_SLOT_ENUM
};

struct liveobj_layout {
    const struct liveobj_slot *slots;
    uint32_t count;
    bool is_precise; // metadata was known for all of it, so no slot is scanned
    bool has_references;
    bool may_have_pointers; // some of its words may be pointers that are no references
};

/// The maximum number of slots of a layout; the rest of the value is left out.
#define LIVEOBJ_SLOTS_LIMIT UINT32_C(65536)

/// Collects slots while a layout is compiled. Start with zeros, and with `is_precise` set.
struct liveobj_layout_builder {
    struct liveobj_slot *slots;
    uint32_t count;
    uint32_t capacity;
    uint32_t depth; // of nested values; types may nest hundreds of levels deep
    bool is_precise;
    bool failed; // memory could not be had
};
/// Adds the references of a value of `type` at `offset`.
/// \param label The label of the place that contains the value, with that place's ownership.
void liveobj_layout_add_value(struct liveobj_layout_builder *builder, uintptr_t type, size_t offset,
                              uint32_t label);
/// Adds words that can only be scanned. Makes the layout imprecise.
void liveobj_layout_add_words(struct liveobj_layout_builder *builder, size_t offset, size_t bytes,
                              uint32_t label);
void liveobj_layout_add_slot(struct liveobj_layout_builder *builder, struct liveobj_slot slot);
void liveobj_layout_add_reference(struct liveobj_layout_builder *builder, size_t offset,
                                  uint32_t label);
/// Makes a layout of the collected slots and frees the builder. Returns NULL if that failed.
/// \param bytes Of the value, or of an object behind its header.
const struct liveobj_layout *liveobj_layout_finish(struct liveobj_layout_builder *builder,
                                                   size_t bytes);

/// The layout of a value of any type; NULL if memory could not be had.
const struct liveobj_layout *liveobj_layout_of_value(uintptr_t type);
/// Whether a layout was compiled for values of the type, which proves that `type` is metadata.
bool liveobj_layout_is_known(uintptr_t type);
/// The layout of an instance, with its superclasses' properties.
const struct liveobj_layout *liveobj_layout_of_class(uintptr_t metadata);
/// The layout of a closure context or box of fixed layout (metadata kind 0x400). The layout of a
/// generic closure depends on the words and captures in the object, so the object is read.
/// \param object 0 to compile without an object what does not need one. Returns NULL then for a
/// generic closure.
/// \param bytes The object's size.
const struct liveobj_layout *liveobj_layout_of_context(uintptr_t metadata, uintptr_t object,
                                                       size_t bytes);

#pragma GCC visibility pop
