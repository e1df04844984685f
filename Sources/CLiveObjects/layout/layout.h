// layout.h - where a type's values hold references.
//
// Compiled once from the runtime's metadata, kept for the life of the process, and known by the
// metadata's address. The runtime is asked for types here: it allocates and locks. So layouts are
// compiled before the heap is read, in the program itself; in the guarded child only those of types
// that are first met in an object's memory. Outside of hooks, under the lock over captures.

#ifndef LIVEOBJ_LAYOUT_H
#define LIVEOBJ_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// What stands at a slot.
enum liveobj_slot_kind {
    LIVEOBJ_SLOT_REFERENCE,   // a word: an object, or none
    LIVEOBJ_SLOT_BRIDGE,      // Builtin.BridgeObject: an object, or tagged bits
    LIVEOBJ_SLOT_FUNCTION,    // two words: code, context
    LIVEOBJ_SLOT_BLOCK,       // a word: a block of C code, or none
    LIVEOBJ_SLOT_WEAK,        // a word: a side table
    LIVEOBJ_SLOT_UNOWNED,     // a word
    LIVEOBJ_SLOT_UNMANAGED,   // a word
    LIVEOBJ_SLOT_ENUM,        // a value of `type`, whose case decides what it holds
    LIVEOBJ_SLOT_EXISTENTIAL, // an opaque existential: buffer, type, witnesses
    LIVEOBJ_SLOT_WORDS,       // `bytes` of unknown types: to be scanned
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
    bool is_precise; // no slot had to be left to scanning for want of metadata
};

/// Slots of one layout at most; what is beyond is scanned.
#define LIVEOBJ_SLOTS_LIMIT UINT32_C(65536)

/// Gathers slots while a layout is compiled. Start from zeroes, with `is_precise` set.
struct liveobj_layout_builder {
    struct liveobj_slot *slots;
    uint32_t count;
    uint32_t capacity;
    uint32_t depth; // of nested values; types may nest hundreds of levels deep
    bool is_precise;
    bool failed; // no memory
};
/// Adds what a value of `type` at `offset` holds.
/// \param label of the place that the value stands in; the ownership in it is the place's own.
void liveobj_layout_add_value(struct liveobj_layout_builder *builder, uintptr_t type, size_t offset,
                              uint32_t label);
/// Adds words that can only be scanned, and makes the layout imprecise.
void liveobj_layout_add_words(struct liveobj_layout_builder *builder, size_t offset, size_t bytes,
                              uint32_t label);
void liveobj_layout_add_slot(struct liveobj_layout_builder *builder, struct liveobj_slot slot);
/// Adds the stored properties of a class (its own, not those inherited) or struct at `offset`.
/// \param label of the place that the struct stands in; 0 for a class.
void liveobj_layout_add_fields(struct liveobj_layout_builder *builder, uintptr_t type,
                               size_t offset, uint32_t label);
/// Makes a layout of what was gathered and gives the builder's memory back; NULL if that failed.
const struct liveobj_layout *liveobj_layout_finish(struct liveobj_layout_builder *builder);

/// The layout of a value of any type; NULL if there is no memory.
const struct liveobj_layout *liveobj_layout_of_value(uintptr_t type);
/// The layout of values of the type is there already, so `type` is metadata.
bool liveobj_layout_is_known(uintptr_t type);
/// The layout of an instance, its superclasses' properties included.
const struct liveobj_layout *liveobj_layout_of_class(uintptr_t metadata);
/// The layout of a closure context or box of fixed layout (metadata kind 0x400). That of a generic
/// closure depends on what the object binds and captures, so the object is read.
/// \param object 0 to compile what can be compiled without an object; NULL is returned then for a
/// generic closure.
/// \param bytes the object's size.
const struct liveobj_layout *liveobj_layout_of_context(uintptr_t metadata, uintptr_t object,
                                                       size_t bytes);

/// The payload of an enum's case, looked up by tag.
struct liveobj_enum_case {
    uintptr_t type; // metadata of the payload; 0 if it has none or it is not known
    uint32_t label; // property label with the ownership of the payload; its path is empty
    bool is_indirect;
    bool is_known; // false: there is a payload whose type could not be found
};
struct liveobj_enum_case liveobj_layout_enum_case(uintptr_t type, uint32_t tag);
/// The number of cases that are known; 0 without reflection metadata.
uint32_t liveobj_layout_enum_case_count(uintptr_t type);

#pragma GCC visibility pop

#endif
