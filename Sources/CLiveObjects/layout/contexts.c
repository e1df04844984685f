// contexts.c - the layouts of closure contexts and boxes of fixed layout.
//
// Their metadata has a capture descriptor: the captured types, the sources from which a generic
// closure's parameters are found at run time, and the number of words that the object stores for
// them (bound words). An object consists of a header, the bound words and the captures in order,
// each aligned for its type. If a function with bound words is `@isolated(any)`, its isolation is
// before them, and the descriptor does not say so. A layout that is not as large as the object is
// wrong and is not used. Owns the layouts. They are keyed by metadata; those of generic closures
// also by the bound words and by the classes of captured objects, whose generic arguments may be
// the closure's own.

#if defined(__linux__)

#include "arch/address.h"
#include "layout/captured_type.h"
#include "layout/layout.h"
#include "metadata/address_table.h"
#include "metadata/labels.h"
#include "metadata/mangling.h"
#include "metadata/metadata.h"
#include "metadata/types.h"
#include "os/compiler.h"
#include "os/os.h"

#include <string.h>

LIVEOBJ_ANY_MEMORY_BEGIN

enum {
    HEADER_WORDS = 2,
    ISOLATION_WORDS = 2,  // of `(any Actor)?`
    ORIGINS_LIMIT = 16,   // captures that may determine a parameter; later ones are not used
    KEY_LIMIT = 64,       // words; closures with longer keys are scanned
    VARIANTS_LIMIT = 256, // of a context; further ones are scanned
};

/// A capture descriptor: three counts, the types, and pairs of sources.
struct description {
    uintptr_t types; // relative pointers to mangled names
    uint32_t type_count;
    uintptr_t sources;
    uint32_t source_count;
    uint32_t bound_words;
};

/// A capture that may determine a parameter.
struct origin {
    size_t offset;        // without isolation
    uintptr_t descriptor; // of the class that a reference or metatype is declared with, or 0
    bool is_metatype;
};

struct compiled {
    const struct liveobj_layout *layout;
    size_t end; // of the captures; 0 if not all their types are known, and the rest is scanned
};

/// The layout of all closures with the same isolation and key.
struct variant {
    struct variant *next;
    struct compiled compiled;
    uint32_t isolation_words; // before the bound words
    uintptr_t key[];          // the bound words, then the type that each of the `origins` has
};

struct context {
    struct description description;
    bool is_generic;
    struct origin origins[ORIGINS_LIMIT];
    uint32_t origin_count; // 0 if the bound words determine all parameters
    struct compiled plain; // of a closure that is not generic, once compiled
    struct variant *variants;
    uint32_t variant_count;
};

static struct liveobj_metadata_table contexts;

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

static size_t first_capture(const struct description *description, uint32_t isolation_words) {
    return (HEADER_WORDS + isolation_words + description->bound_words) * sizeof(uintptr_t);
}

static struct liveobj_mangled type_of_capture(const struct description *description,
                                              uint32_t index) {
    uintptr_t name = liveobj_relative(description->types + index * sizeof(int32_t));
    return liveobj_mangled_read((const char *)name);
}

/// Whether a source has one of the letters: `R` the class of a captured object, `M` a captured
/// metatype, `B` a bound word.
static bool has_source(const struct description *description, const char *letters) {
    for (uint32_t i = 0; i < description->source_count; i++) {
        uintptr_t second = description->sources + (2 * i + 1) * sizeof(int32_t);
        const char *source = (const char *)liveobj_relative(second);
        if (source && strpbrk(source, letters))
            return true;
    }
    return false;
}

/// Collects the leading captures, up to the first whose size is not known without the parameters.
/// If only captures determine them, the compiler knows all sizes.
static void find_origins(struct context *context) {
    const struct description *description = &context->description;
    struct liveobj_layout_builder builder = {.is_precise = true};
    bool has_all_sizes = !has_source(description, "B");
    size_t offset = first_capture(description, 0);
    while (offset && context->origin_count < ORIGINS_LIMIT &&
           context->origin_count < description->type_count) {
        struct liveobj_mangled type = type_of_capture(description, context->origin_count);
        size_t start = liveobj_round_up(offset, sizeof(uintptr_t));
        context->origins[context->origin_count++] =
            (struct origin){start, liveobj_declared_class(&type), liveobj_declared_metatype(&type)};
        offset = liveobj_captured_type_add(&builder, &type, NULL, offset);
        if (!offset && has_all_sizes && liveobj_captured_is_word(&type))
            offset = start + sizeof(uintptr_t);
    }
    liveobj_layout_finish(&builder, 0); // only the offsets are needed
}

static struct context *context_of(uintptr_t metadata) {
    const void *known = liveobj_metadata_table_get(&contexts, metadata);
    if (known)
        return (struct context *)(uintptr_t)known;
    struct context *context = liveobj_metadata_table_allocate(sizeof *context);
    if (!context)
        return NULL;
    context->description = read_description(metadata);
    context->is_generic =
        context->description.bound_words > 0 || context->description.source_count > 0;
    if (has_source(&context->description, "RM"))
        find_origins(context);
    return liveobj_metadata_table_put(&contexts, metadata, context) ? context : NULL;
}

// MARK: - Layouts

static void add_isolation(struct liveobj_layout_builder *builder, uint32_t isolation_words) {
    if (isolation_words == 0)
        return;
    struct liveobj_mangled any_actor = liveobj_mangled_read("ScA_pSg");
    liveobj_captured_type_add(builder, &any_actor, NULL, HEADER_WORDS * sizeof(uintptr_t));
}

/// \returns the end of the captures whose types are known; `count` is their number.
static size_t add_captures(struct liveobj_layout_builder *builder,
                           const struct description *description, size_t offset,
                           const struct liveobj_generic_environment *environment, uint32_t *count) {
    for (*count = 0; *count < description->type_count; ++*count) {
        struct liveobj_mangled type = type_of_capture(description, *count);
        size_t end = liveobj_captured_type_add(builder, &type, environment, offset);
        if (!end)
            break;
        offset = end;
    }
    return offset;
}

/// \param bytes The object's size; 0 if there is no object, and then nothing can be scanned.
static struct compiled compile_context(const struct description *description,
                                       uint32_t isolation_words,
                                       const struct liveobj_generic_environment *environment,
                                       size_t bytes) {
    struct liveobj_layout_builder builder = {.is_precise = true};
    uint32_t count;
    add_isolation(&builder, isolation_words);
    size_t end = add_captures(&builder, description, first_capture(description, isolation_words),
                              environment, &count);
    bool is_whole = count == description->type_count && count > 0;
    builder.failed |= !is_whole && bytes < end;
    if (!is_whole && bytes > end)
        liveobj_layout_add_words(
            &builder, end, bytes - end,
            liveobj_label_make(LIVEOBJ_LABEL_CAPTURE, LIVEOBJ_OWNERSHIP_CONSERVATIVE, ""));
    size_t captured = (is_whole ? end : bytes) - HEADER_WORDS * sizeof(uintptr_t);
    return (struct compiled){liveobj_layout_finish(&builder, captured), is_whole ? end : 0};
}

/// Whether the captures end where the object does.
static bool is_exact(const struct compiled *compiled, size_t bytes) {
    return compiled->layout && compiled->end <= bytes && bytes - compiled->end < sizeof(uintptr_t);
}

static const struct liveobj_layout *layout_of_plain(struct context *context, size_t bytes) {
    struct compiled *plain = &context->plain;
    if (!plain->layout)
        *plain = compile_context(&context->description, 0, NULL, bytes);
    return bytes == 0 || plain->end == 0 || is_exact(plain, bytes) ? plain->layout : NULL;
}

// MARK: - Generic closures

/// The class of a captured object, or a captured metatype; 0 for other captures. If it is declared
/// with a superclass, that superclass: its arguments are those that a source means.
static uintptr_t type_of_origin(const struct origin *origin, uintptr_t capture) {
    uintptr_t word = *(const uintptr_t *)capture;
    if (!liveobj_points_to_type(origin->is_metatype ? capture : word))
        return 0;
    uintptr_t type = origin->is_metatype ? word : liveobj_word(word, 0);
    if (!origin->descriptor)
        return origin->is_metatype ? type : 0;
    while (type && liveobj_descriptor_of(type) != origin->descriptor)
        type = liveobj_superclass_of(type);
    return type;
}

static size_t key_words(const struct context *context) {
    return context->description.bound_words + context->origin_count;
}

static bool read_key(const struct context *context, uint32_t isolation_words, uintptr_t object,
                     size_t bytes, uintptr_t key[KEY_LIMIT]) {
    const struct description *description = &context->description;
    size_t bound_words = description->bound_words;
    if (key_words(context) > KEY_LIMIT || first_capture(description, isolation_words) > bytes)
        return false;
    memcpy(key, (const uintptr_t *)object + HEADER_WORDS + isolation_words,
           bound_words * sizeof *key);
    for (uint32_t i = 0; i < context->origin_count; i++) {
        const struct origin *origin = &context->origins[i];
        size_t offset = origin->offset + isolation_words * sizeof(uintptr_t);
        bool is_inside = offset + sizeof(uintptr_t) <= bytes;
        key[bound_words + i] = is_inside ? type_of_origin(origin, object + offset) : 0;
    }
    return true;
}

static struct variant *add_variant(struct context *context, uint32_t isolation_words,
                                   const uintptr_t *key, size_t bytes) {
    const struct description *description = &context->description;
    size_t key_bytes = key_words(context) * sizeof *key;
    struct variant *variant = liveobj_metadata_table_allocate(sizeof *variant + key_bytes);
    if (!variant)
        return NULL;
    struct liveobj_generic_origins origins = {
        key, description->bound_words, key + description->bound_words, context->origin_count};
    struct liveobj_generic_environment environment;
    liveobj_generic_environment_make(&environment, description->sources, description->source_count,
                                     &origins);
    memcpy(variant->key, key, key_bytes);
    variant->isolation_words = isolation_words;
    variant->compiled = compile_context(description, isolation_words, &environment, bytes);
    variant->next = context->variants;
    context->variant_count++;
    return context->variants = variant;
}

/// \returns NULL if there is none, or if the object has another size.
static const struct variant *variant_of(struct context *context, uint32_t isolation_words,
                                        uintptr_t object, size_t bytes) {
    uintptr_t key[KEY_LIMIT];
    if (!read_key(context, isolation_words, object, bytes, key))
        return NULL;
    struct variant *variant = context->variants;
    while (variant && (variant->isolation_words != isolation_words ||
                       memcmp(variant->key, key, key_words(context) * sizeof *key) != 0))
        variant = variant->next;
    if (!variant && context->variant_count < VARIANTS_LIMIT)
        variant = add_variant(context, isolation_words, key, bytes);
    return variant && (variant->compiled.end == 0 || is_exact(&variant->compiled, bytes)) ? variant
                                                                                          : NULL;
}

/// Whether the object begins with the isolation nil, two words, and a type, or the number of types
/// in a pack and the pack, whose address has its lowest bit set if it is on the heap.
static bool begins_with_no_actor(uintptr_t object, size_t bytes) {
    enum { BOUND = HEADER_WORDS + ISOLATION_WORDS, MOST_TYPES = 1000 };
    if (bytes < (BOUND + 2) * sizeof(uintptr_t) || liveobj_word(object, HEADER_WORDS) ||
        liveobj_word(object, HEADER_WORDS + 1))
        return false;
    uintptr_t count = liveobj_word(object, BOUND), pack = liveobj_word(object, BOUND + 1);
    bool is_pack = count > 0 && count <= MOST_TYPES && pack & 1 && liveobj_is_address(pack - 1);
    return is_pack || liveobj_points_to_type(object + BOUND * sizeof(uintptr_t));
}

/// The layout of an object whose first bound word is zero: its isolation is nil, or it has none,
/// and the word is the number of types in an empty pack, or a number that is a parameter. A layout
/// without isolation is used only if its size is that of the object.
static const struct variant *variant_by_size(struct context *context, uintptr_t object,
                                             size_t bytes) {
    const struct variant *variant = variant_of(context, 0, object, bytes);
    if (variant && variant->compiled.end > 0)
        return variant;
    return begins_with_no_actor(object, bytes) ? variant_of(context, ISOLATION_WORDS, object, bytes)
                                               : NULL;
}

/// An object with bound words may begin with its isolation, an actor: an object. The first bound
/// word is metadata, a witness table, the number of a pack's types, or a number that is a
/// parameter; none of them begins with the address of a class's metadata.
static const struct liveobj_layout *layout_of_generic(struct context *context, uintptr_t object,
                                                      size_t bytes) {
    if (first_capture(&context->description, 0) > bytes)
        return NULL;
    bool has_bound_words = context->description.bound_words > 0;
    uintptr_t first = has_bound_words ? liveobj_word(object, HEADER_WORDS) : 0;
    bool is_isolated = first && liveobj_points_to_type(first);
    const struct variant *variant =
        has_bound_words && !first
            ? variant_by_size(context, object, bytes)
            : variant_of(context, is_isolated ? ISOLATION_WORDS : 0, object, bytes);
    return variant ? variant->compiled.layout : NULL;
}

const struct liveobj_layout *liveobj_layout_of_context(uintptr_t metadata, uintptr_t object,
                                                       size_t bytes) {
    struct context *context = context_of(metadata);
    if (!context)
        return NULL;
    if (!context->is_generic)
        return layout_of_plain(context, bytes);
    return object ? layout_of_generic(context, object, bytes) : NULL;
}

LIVEOBJ_ANY_MEMORY_END

#endif
