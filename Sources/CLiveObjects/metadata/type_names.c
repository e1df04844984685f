// type_names.c - the names of types.
//
// The runtime writes a name in full, and keeps it. Types that nest in each other, as parsers and
// result builders make them, can have names that take minutes. So the types in a name are counted
// first. Owns nothing. Runs outside of hooks.

#if defined(__linux__)

#include "metadata/metadata.h"
#include "metadata/types.h"
#include "os/compiler.h"
#include "runtime/runtime.h"

#include <stdio.h>
#include <string.h>

LIVEOBJ_ANY_MEMORY_BEGIN

// MARK: - Counting

/// The number of types that may still be counted.
typedef uint32_t count_left;

static void count_type(count_left *left, uintptr_t type);

static void count_types(count_left *left, uintptr_t types, uint32_t count, size_t stride) {
    for (uint32_t i = 0; i<count && * left> 0; i++)
        count_type(left, liveobj_word_at(types, i * stride));
}

// What follows the descriptor of a generic type: this header, a byte for each parameter, the
// requirements, and where packs are among the parameters, a description of each.
struct generic_header {
    uint16_t parameters;
    uint16_t requirements;
    uint16_t key_arguments;
    uint16_t flags;
};
enum { HAS_PACKS = 1, REQUIREMENT_BYTES = 12 };

struct pack_header {
    uint16_t packs;
    uint16_t lengths; // the first words of the arguments
};

struct pack {
    uint16_t kind; // 0 for types
    uint16_t argument;
    uint16_t length;
    uint16_t unused;
};

static const struct generic_header *generic_header(uintptr_t descriptor) {
    enum { CLASS_BYTES = 44, VALUE_BYTES = 28, AT_HEADER = 8 };
    bool is_class = liveobj_descriptor_kind(descriptor) == LIVEOBJ_DESCRIPTOR_CLASS;
    return (const void *)(descriptor + (is_class ? CLASS_BYTES : VALUE_BYTES) + AT_HEADER);
}

static const struct pack_header *pack_header(const struct generic_header *generics) {
    static const struct pack_header none = {0};
    uintptr_t end = liveobj_round_up((uintptr_t)(generics + 1) + generics->parameters, 4);
    return generics->flags & HAS_PACKS
               ? (const void *)(end + generics->requirements * (uintptr_t)REQUIREMENT_BYTES)
               : &none;
}

static void count_packs(count_left *left, const struct pack_header *header, uintptr_t arguments) {
    static const uintptr_t is_on_heap = 1; // a flag in the address of a pack
    const struct pack *packs = (const void *)(header + 1);
    for (uint32_t i = 0; i < header->packs; i++)
        if (packs[i].kind == 0)
            count_types(left, liveobj_word(arguments, packs[i].argument) & ~is_on_heap,
                        (uint32_t)liveobj_word(arguments, packs[i].length), sizeof(uintptr_t));
}

static void count_arguments(count_left *left, uintptr_t descriptor, uintptr_t arguments) {
    enum { HAS_KEY_ARGUMENT = 0x80, IS_TYPE = 0 };
    const struct generic_header *generics = generic_header(descriptor);
    const uint8_t *parameters = (const uint8_t *)(generics + 1);
    const struct pack_header *header = pack_header(generics);
    uint32_t argument = header->lengths;
    for (uint32_t i = 0; i<generics->parameters && * left> 0; i++) {
        if (parameters[i] == (HAS_KEY_ARGUMENT | IS_TYPE))
            count_type(left, liveobj_word(arguments, argument));
        argument += parameters[i] & HAS_KEY_ARGUMENT ? 1 : 0;
    }
    count_packs(left, header, arguments);
}

/// `any P<A, B>`: the arguments follow the shape, which says how many there are.
static void count_constrained_existential(count_left *left, uintptr_t type) {
    enum { HAS_ARGUMENTS = 0x100, HAS_PACKS_IN_SHAPE = 0x2000, AT_HEADER = 16, AT_ARGUMENTS = 16 };
    uintptr_t shape = liveobj_word(type, 1);
    uint32_t flags = liveobj_half_word(shape, 0);
    const struct generic_header *generics = (const void *)(shape + AT_HEADER);
    if (flags & HAS_ARGUMENTS && !(flags & HAS_PACKS_IN_SHAPE))
        count_types(left, type + AT_ARGUMENTS, generics->parameters, sizeof(uintptr_t));
}

static void count_function(count_left *left, uintptr_t type) {
    enum { PARAMETERS = 0xffff };
    uint32_t and_result = 1 + (liveobj_word(type, 1) & PARAMETERS);
    count_types(left, type + 2 * sizeof type, and_result, sizeof type);
}

static void count_nested(count_left *left, uintptr_t type) {
    enum { TUPLE_ELEMENTS = 3, ELEMENT_WORDS = 2 };
    uintptr_t arguments;
    switch (liveobj_metadata_kind(type)) {
    case LIVEOBJ_KIND_TUPLE:
        return count_types(left, type + TUPLE_ELEMENTS * sizeof type,
                           (uint32_t)liveobj_word(type, 1), ELEMENT_WORDS * sizeof type);
    case LIVEOBJ_KIND_FUNCTION:
        return count_function(left, type);
    case LIVEOBJ_KIND_METATYPE:
    case LIVEOBJ_KIND_EXISTENTIAL_METATYPE:
        return count_type(left, liveobj_word(type, 1));
    case LIVEOBJ_KIND_FIXED_ARRAY:
        return count_type(left, liveobj_word(type, 2));
    case LIVEOBJ_KIND_EXTENDED_EXISTENTIAL:
        return count_constrained_existential(left, type);
    default:
        if ((arguments = liveobj_generic_arguments(type)))
            count_arguments(left, liveobj_descriptor_of(type), arguments);
    }
}

static void count_type(count_left *left, uintptr_t type) {
    if (*left == 0 || !type)
        return;
    --*left;
    count_nested(left, type);
}

uint32_t liveobj_type_size(uintptr_t metadata, uint32_t most) {
    count_left left = most;
    count_type(&left, metadata);
    return most - left;
}

// MARK: - Short names

static uintptr_t extension_around(uintptr_t descriptor) {
    while (descriptor && liveobj_descriptor_kind(descriptor) != LIVEOBJ_DESCRIPTOR_EXTENSION)
        descriptor = liveobj_descriptor_parent(descriptor);
    return descriptor;
}

/// The module of the extension that declares the type; NULL if none does, or if the extended type
/// is not known: then the type's name begins with this module.
static const char *extending_module(uintptr_t descriptor, const struct liveobj_name_parts *name) {
    uintptr_t extension = extension_around(descriptor);
    uintptr_t module = extension ? liveobj_descriptor_parent(extension) : 0;
    const char *text = module && name->count > 0 ? liveobj_descriptor_name(module) : NULL;
    return text && strcmp(text, name->parts[name->count - 1]) != 0 ? text : NULL;
}

/// Writes the name as the runtime would, without arguments: `(extension in Demo):Lib.Parser<…>`.
/// Types without a descriptor, tuples and functions, have no name of their own.
static struct liveobj_name short_name(uintptr_t type, char text[LIVEOBJ_SHORT_NAME_BYTES]) {
    enum { ROOM = LIVEOBJ_SHORT_NAME_BYTES - sizeof "<…>" };
    uintptr_t descriptor = liveobj_descriptor_of(type);
    struct liveobj_name_parts name = liveobj_descriptor_names(descriptor);
    const char *module = extending_module(descriptor, &name);
    int length = module ? snprintf(text, ROOM, "(extension in %s):", module) : 0;
    size_t start = length < ROOM ? (size_t)length : ROOM - 1;
    size_t end = start + liveobj_name_write(&name, text + start, ROOM - start);
    strcpy(text + end, name.count ? "<…>" : "…");
    return (struct liveobj_name){text, strlen(text)};
}

// MARK: - Names

struct liveobj_name liveobj_type_name(const struct liveobj_type *type,
                                      char shortened[LIVEOBJ_SHORT_NAME_BYTES]) {
    typedef struct liveobj_name (*get_type_name_fn)(const void *metadata, bool qualified);
    get_type_name_fn get_type_name =
        (get_type_name_fn)(uintptr_t)liveobj_runtime_current()->swift_getTypeName;
    if (type->kind == LIVEOBJ_TYPE_TASK)
        return (struct liveobj_name){"Swift.Task", strlen("Swift.Task")};
    if (!type->subject || !get_type_name)
        return (struct liveobj_name){"", 0};
    if (liveobj_type_size(type->subject, LIVEOBJ_TYPES_IN_NAME + 1) > LIVEOBJ_TYPES_IN_NAME)
        return short_name(type->subject, shortened);
    if (!liveobj_runtime_enter())
        return (struct liveobj_name){"", 0};
    struct liveobj_name name = get_type_name((const void *)type->subject, true);
    liveobj_runtime_leave();
    return name;
}

LIVEOBJ_ANY_MEMORY_END

#endif
