// contexts.c - the layouts of closure contexts and boxes of fixed layout.
//
// Their metadata has a capture descriptor: the captured types, the sources from which a generic
// closure's parameters are found at run time, and the number of words that the object stores for
// them (bound words). An object consists of a header, the bound words and the captures in order,
// each aligned for its type. If a function with bound words is `@isolated(any)`, its isolation is
// before them, and the descriptor does not tell. Owns the layouts. They are keyed by metadata;
// those of generic closures also by the bound words and by the classes of captured objects, whose
// generic arguments may be the closure's own.

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
    ISOLATION_WORDS = 2, // of `(any Actor)?`
    CLASSES_LIMIT = 16, // captures whose classes may determine a parameter; later ones are not used
    KEY_LIMIT = 64,     // words; closures with longer keys are scanned
};

/// A capture descriptor: three counts, the types, and pairs of sources.
struct description {
    uintptr_t types; // relative pointers to mangled names
    uint32_t type_count;
    uintptr_t sources;
    uint32_t source_count;
    uint32_t bound_words;
    uint32_t isolation_words; // before the bound words
};

/// A capture: its offset and, for a reference to a class, the descriptor of its declared class.
struct captured_class {
    size_t offset;
    uintptr_t descriptor;
};

/// The layout of all closures with the same key.
struct variant {
    struct variant *next;
    const struct liveobj_layout *layout;
    uintptr_t key[]; // the bound words, then the class of each of the context's `classes`
};

struct context {
    struct description description;
    bool is_generic;
    bool knows_captures; // of a generic closure: `isolation_words` and `classes`
    struct captured_class classes[CLASSES_LIMIT];
    uint32_t class_count;                // 0 if the bound words determine all parameters
    const struct liveobj_layout *layout; // of a closure that is not generic, once compiled
    struct variant *variants;
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

static size_t first_capture(const struct description *description) {
    return (HEADER_WORDS + description->isolation_words + description->bound_words) *
           sizeof(uintptr_t);
}

/// Whether an object with bound words begins with its isolation: nil or an actor, an object. The
/// first bound word is metadata, a witness table, the number of a pack's types, or a number that is
/// a parameter; none of them begins with the address of a class's metadata.
static bool begins_with_isolation(uintptr_t object) {
    uintptr_t first = liveobj_word(object, HEADER_WORDS);
    return !first || liveobj_points_to_type(first);
}

static struct liveobj_mangled type_of_capture(const struct description *description,
                                              uint32_t index) {
    uintptr_t name = liveobj_relative(description->types + index * sizeof(int32_t));
    return liveobj_mangled_read((const char *)name);
}

/// Whether a source uses the class of a captured object; such sources contain an `R`.
static bool wants_classes(const struct description *description) {
    for (uint32_t i = 0; i < description->source_count; i++) {
        uintptr_t second = description->sources + (2 * i + 1) * sizeof(int32_t);
        const char *source = (const char *)liveobj_relative(second);
        if (source && strchr(source, 'R'))
            return true;
    }
    return false;
}

/// Collects the leading captures, up to the first whose size depends on a parameter.
static void find_classes(struct context *context) {
    const struct description *description = &context->description;
    struct liveobj_layout_builder builder = {.is_precise = true};
    size_t offset = first_capture(description);
    while (offset && context->class_count < CLASSES_LIMIT &&
           context->class_count < description->type_count) {
        struct liveobj_mangled type = type_of_capture(description, context->class_count);
        context->classes[context->class_count++] = (struct captured_class){
            liveobj_round_up(offset, sizeof(uintptr_t)), liveobj_captured_class(&type)};
        offset = liveobj_captured_type_add(&builder, &type, NULL, offset);
    }
    liveobj_layout_finish(&builder); // only the offsets are needed
}

/// All objects of a generic closure have the same layout up to their first captures.
static void find_captures(struct context *context, uintptr_t object) {
    struct description *description = &context->description;
    if (description->bound_words > 0 && begins_with_isolation(object))
        description->isolation_words = ISOLATION_WORDS;
    if (wants_classes(description))
        find_classes(context);
    context->knows_captures = true;
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
    return liveobj_metadata_table_put(&contexts, metadata, context) ? context : NULL;
}

// MARK: - Layouts

static void add_isolation(struct liveobj_layout_builder *builder,
                          const struct description *description) {
    if (description->isolation_words == 0)
        return;
    struct liveobj_mangled any_actor = liveobj_mangled_read("ScA_pSg");
    liveobj_captured_type_add(builder, &any_actor, NULL, HEADER_WORDS * sizeof(uintptr_t));
}

/// \returns the end of the captures whose types are known; `count` is their number.
static size_t add_captures(struct liveobj_layout_builder *builder,
                           const struct description *description,
                           const struct liveobj_generic_environment *environment, uint32_t *count) {
    size_t offset = first_capture(description);
    add_isolation(builder, description);
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

/// The class of a captured object or, if the reference is declared with one of its superclasses,
/// that superclass.
static uintptr_t class_of_captured(uintptr_t object, const struct captured_class *capture) {
    uintptr_t reference = *(const uintptr_t *)(object + capture->offset);
    if (!capture->descriptor || !liveobj_is_address(reference))
        return 0;
    uintptr_t class = liveobj_word(reference, 0);
    while (class && liveobj_descriptor_of(class) != capture->descriptor)
        class = liveobj_superclass_of(class);
    return class;
}

static size_t key_words(const struct context *context) {
    return context->description.bound_words + context->class_count;
}

static bool read_key(const struct context *context, uintptr_t object, size_t bytes,
                     uintptr_t key[KEY_LIMIT]) {
    const struct description *description = &context->description;
    size_t bound_words = description->bound_words;
    if (key_words(context) > KEY_LIMIT || first_capture(description) > bytes)
        return false;
    memcpy(key, (const uintptr_t *)object + HEADER_WORDS + description->isolation_words,
           bound_words * sizeof *key);
    for (uint32_t i = 0; i < context->class_count; i++) {
        const struct captured_class *capture = &context->classes[i];
        bool is_inside = capture->offset + sizeof(uintptr_t) <= bytes;
        key[bound_words + i] = is_inside ? class_of_captured(object, capture) : 0;
    }
    return true;
}

static struct variant *add_variant(struct context *context, const uintptr_t *key, size_t bytes) {
    const struct description *description = &context->description;
    size_t key_bytes = key_words(context) * sizeof *key;
    struct variant *variant = liveobj_metadata_table_allocate(sizeof *variant + key_bytes);
    if (!variant)
        return NULL;
    struct liveobj_generic_origins origins = {key, description->bound_words,
                                              key + description->bound_words, context->class_count};
    struct liveobj_generic_environment environment;
    liveobj_generic_environment_make(&environment, description->sources, description->source_count,
                                     &origins);
    memcpy(variant->key, key, key_bytes);
    variant->layout = compile(description, &environment, bytes);
    variant->next = context->variants;
    return context->variants = variant;
}

static const struct liveobj_layout *layout_of_generic(struct context *context, uintptr_t object,
                                                      size_t bytes) {
    uintptr_t key[KEY_LIMIT];
    if (!context->knows_captures)
        find_captures(context, object);
    if (!read_key(context, object, bytes, key))
        return NULL;
    struct variant *variant = context->variants;
    while (variant && memcmp(variant->key, key, key_words(context) * sizeof *key) != 0)
        variant = variant->next;
    if (!variant)
        variant = add_variant(context, key, bytes);
    return variant ? variant->layout : NULL;
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
