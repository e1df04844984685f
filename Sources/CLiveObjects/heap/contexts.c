// contexts.c - where closure contexts and boxes of fixed layout hold references.
//
// Their metadata names the captured types in a capture descriptor: the types, the sources from
// which a generic closure's parameters are known at run time, and the number of words that the
// object binds for them. An object holds a header, the bound words, and the captures in order, each
// aligned for its type. Owns the layouts, by metadata and, of generic closures, by what is bound.

#if defined(__linux__)

#include "captured_type.h"
#include "generic_environment.h"
#include "layout.h"
#include "layout_table.h"
#include "metadata.h"

enum { HEADER_WORDS = 2 };

/// A capture descriptor: three counts, the types, the sources in pairs.
struct description {
    uintptr_t types; // relative pointers to mangled names
    uint32_t type_count;
    uintptr_t sources;
    uint32_t source_count;
    uint32_t bound_words;
};

/// The layout of the closures that bind the same words.
struct variant {
    struct variant *next;
    const struct liveobj_layout *layout;
    uintptr_t bound[];
};

struct context {
    struct description description;
    const struct liveobj_layout *layout; // of a closure that is not generic, once it is known
    struct variant *variants;
};

static struct liveobj_layout_table contexts;

// MARK: - Descriptors

static struct description read_description(uintptr_t metadata) {
    enum { AT_DESCRIPTOR = 2 }; // words
    struct liveobj_type type = {metadata, 0, LIVEOBJ_TYPE_CLOSURE_CONTEXT_OR_BOX};
    struct description description = {.type_count = liveobj_type_capture_count(&type)};
    if (description.type_count == 0)
        return description;
    const uint32_t *counts = (const uint32_t *)liveobj_word(metadata, AT_DESCRIPTOR);
    description.source_count = counts[1];
    description.bound_words = counts[2];
    description.types = (uintptr_t)(counts + 3);
    description.sources = (uintptr_t)(counts + 3 + description.type_count);
    return description;
}

static struct context *context_of(uintptr_t metadata) {
    const void *known = liveobj_layout_table_get(&contexts, metadata);
    if (known)
        return (struct context *)(uintptr_t)known;
    struct context *context = liveobj_layout_allocate(sizeof *context);
    if (!context)
        return NULL;
    context->description = read_description(metadata);
    return liveobj_layout_table_put(&contexts, metadata, context) ? context : NULL;
}

// MARK: - Layouts

/// \returns where the captures end that are known; `count` is their number.
static size_t add_captures(struct liveobj_layout_builder *builder,
                           const struct description *description,
                           const struct liveobj_generic_environment *environment, uint32_t *count) {
    size_t offset = (HEADER_WORDS + description->bound_words) * sizeof(uintptr_t);
    for (*count = 0; *count < description->type_count; ++*count) {
        uintptr_t name = liveobj_relative(description->types + *count * sizeof(int32_t));
        struct liveobj_mangled type = liveobj_mangled_read((const char *)name);
        size_t end = liveobj_captured_type_add(builder, &type, environment, offset);
        if (!end)
            break;
        offset = end;
    }
    return offset;
}

/// \param bytes of the object; 0 if there is none, then nothing can be left to scanning.
static const struct liveobj_layout *compile(const struct description *description,
                                            const struct liveobj_generic_environment *environment,
                                            size_t bytes) {
    struct liveobj_layout_builder builder = {.is_precise = true};
    uint32_t count;
    size_t end = add_captures(&builder, description, environment, &count);
    bool is_whole = count == description->type_count && count > 0;
    builder.failed |= !is_whole && bytes == 0;
    if (!is_whole && bytes > end)
        liveobj_layout_add_words(
            &builder, end, bytes - end,
            liveobj_label_make(LIVEOBJ_LABEL_CAPTURE, LIVEOBJ_OWNERSHIP_CONSERVATIVE, ""));
    return liveobj_layout_finish(&builder);
}

static const struct liveobj_layout *layout_of_plain(struct context *context, size_t bytes) {
    if (!context->layout)
        context->layout = compile(&context->description, NULL, bytes);
    return context->layout;
}

// MARK: - Generic closures

static struct variant *add_variant(struct context *context, const uintptr_t *bound, size_t bytes) {
    size_t bound_bytes = context->description.bound_words * sizeof *bound;
    struct variant *variant = liveobj_layout_allocate(sizeof *variant + bound_bytes);
    if (!variant)
        return NULL;
    struct liveobj_generic_environment environment;
    liveobj_generic_environment_make(&environment, context->description.sources,
                                     context->description.source_count, bound,
                                     context->description.bound_words);
    memcpy(variant->bound, bound, bound_bytes);
    variant->layout = compile(&context->description, &environment, bytes);
    variant->next = context->variants;
    return context->variants = variant;
}

static const struct liveobj_layout *layout_of_generic(struct context *context, uintptr_t object,
                                                      size_t bytes) {
    size_t bound_bytes = context->description.bound_words * sizeof(uintptr_t);
    const uintptr_t *bound = (const uintptr_t *)object + HEADER_WORDS;
    if (HEADER_WORDS * sizeof *bound + bound_bytes > bytes)
        return NULL;
    struct variant *variant = context->variants;
    while (variant && memcmp(variant->bound, bound, bound_bytes) != 0)
        variant = variant->next;
    if (!variant)
        variant = add_variant(context, bound, bytes);
    return variant ? variant->layout : NULL;
}

const struct liveobj_layout *liveobj_layout_of_context(uintptr_t metadata, uintptr_t object,
                                                       size_t bytes) {
    struct context *context = context_of(metadata);
    if (!context)
        return NULL;
    if (context->description.bound_words == 0 && context->description.source_count == 0)
        return layout_of_plain(context, bytes);
    return object ? layout_of_generic(context, object, bytes) : NULL;
}

#endif
