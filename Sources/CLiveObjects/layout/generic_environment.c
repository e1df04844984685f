// generic_environment.c - see generic_environment.h. Owns nothing.

#if defined(__linux__)

#include "layout/generic_environment.h"
#include "arch/address.h"
#include "layout/layout.h"
#include "metadata/metadata.h"
#include "os/compiler.h"
#include "runtime/memory_reader.h"
#include "runtime/runtime.h"

#include <string.h>

LIVEOBJ_ANY_MEMORY_BEGIN

struct parameter {
    uint32_t level;
    uint32_t index;
};

// MARK: - Names and sources

/// Parses an index of the mangling: `_` is 0, `0_` is 1, `1_` is 2 …
static bool read_index(const char **next, uint32_t *index) {
    enum { LIMIT = 1000 };
    uint32_t value = 0;
    bool has_digits = **next >= '0' && **next <= '9';
    for (; **next >= '0' && **next <= '9' && value < LIMIT; ++*next)
        value = 10 * value + (uint32_t)(**next - '0');
    *index = has_digits ? value + 1 : 0;
    return *(*next)++ == '_';
}

/// Parses a parameter: `x` is the first parameter of the first level, `q_` the second, `q0_` the
/// third; `qd__` is the first of the second level, `qd_0_` the second of that level, `qd0__` the
/// first of the third.
static bool read_parameter(const char *name, struct parameter *parameter) {
    *parameter = (struct parameter){0, 0};
    if (strcmp(name, "x") == 0)
        return true;
    if (*name++ != 'q')
        return false;
    bool is_deep = *name == 'd';
    const char *next = name + is_deep;
    bool valid = (!is_deep || read_index(&next, &parameter->level)) &&
                 read_index(&next, &parameter->index) && *next == 0;
    *(is_deep ? &parameter->level : &parameter->index) += 1;
    return valid && parameter->level < LIVEOBJ_GENERIC_LEVELS &&
           parameter->index < LIVEOBJ_GENERIC_PARAMETERS;
}

static bool is_type(uintptr_t value) {
    struct liveobj_reader *reader = liveobj_metadata_reader();
    liveobj_reader_renew(reader);
    return value && (liveobj_layout_is_known(value) || liveobj_metadata_is_valid(reader, value));
}

bool liveobj_points_to_type(uintptr_t word) {
    struct liveobj_reader *reader = liveobj_metadata_reader();
    uintptr_t first;
    liveobj_reader_renew(reader);
    return liveobj_is_address(word) && liveobj_read_checked(reader, word, &first, sizeof first) &&
           is_type(first);
}

static uintptr_t generic_argument(uintptr_t type, uint32_t index) {
    uintptr_t arguments = is_type(type) ? liveobj_generic_arguments(type) : 0;
    return arguments && index < LIVEOBJ_GENERIC_PARAMETERS ? liveobj_word(arguments, index) : 0;
}

/// Reads the value of a source. `B3` is the bound word with that number, `R1` the class of the
/// second capture, `M1` the metatype that is the second capture, `G0R1_` the first generic argument
/// of that class. Other forms are not supported.
/// \returns a word that may be a type, or 0.
static uintptr_t read_source(const char *source, const struct liveobj_generic_origins *origins) {
    enum { LIMIT = 1000 };
    char kind = *source++;
    uint32_t number = 0;
    for (; *source >= '0' && *source <= '9' && number < LIMIT; source++)
        number = 10 * number + (uint32_t)(*source - '0');
    switch (kind) {
    case 'B':
        return number < origins->bound_count ? origins->bound[number] : 0;
    case 'M':
    case 'R':
        return number < origins->type_count ? origins->types[number] : 0;
    case 'G':
        return generic_argument(read_source(source, origins), number);
    default:
        return 0;
    }
}

// MARK: - Environments

typedef uintptr_t values[LIVEOBJ_GENERIC_LEVELS][LIVEOBJ_GENERIC_PARAMETERS];

/// Reads all values. A parameter may have several sources, one of which suffices. A bound word is
/// exact; a class may be misread, if the layout in front of it is not known.
static bool read_values(values found, uint32_t counts[LIVEOBJ_GENERIC_LEVELS], uintptr_t sources,
                        uint32_t count, const struct liveobj_generic_origins *origins) {
    for (uint32_t i = 0; i < count; i++) {
        uintptr_t pair = sources + 2 * i * sizeof(int32_t);
        const char *name = (const char *)liveobj_relative(pair);
        const char *source = (const char *)liveobj_relative(pair + sizeof(int32_t));
        struct parameter parameter;
        if (!name || !source || !read_parameter(name, &parameter))
            return false;
        uintptr_t value = read_source(source, origins);
        if (is_type(value) && (*source == 'B' || !found[parameter.level][parameter.index]))
            found[parameter.level][parameter.index] = value;
        if (counts[parameter.level] <= parameter.index)
            counts[parameter.level] = parameter.index + 1;
    }
    return true;
}

/// Fills the environment. Fails if the value of any parameter is not known, because arguments are
/// found by counting.
static bool fill_environment(struct liveobj_generic_environment *environment, values found,
                             const uint32_t counts[LIVEOBJ_GENERIC_LEVELS]) {
    enum { HAS_KEY_ARGUMENT = 0x80 };
    uint32_t levels = 0, total = 0;
    for (uint32_t level = 0; level < LIVEOBJ_GENERIC_LEVELS; level++)
        levels = counts[level] ? level + 1 : levels;
    unsigned char *cumulative = environment->descriptor + sizeof levels;
    memcpy(environment->descriptor, &levels, sizeof levels);
    for (uint32_t level = 0; level < levels; level++) {
        for (uint32_t index = 0; index < counts[level]; index++) {
            if (!found[level][index])
                return false;
            environment->arguments[total++] = found[level][index];
        }
        memcpy(cumulative + level * sizeof(uint16_t), &(uint16_t){(uint16_t)total},
               sizeof(uint16_t));
    }
    memset(cumulative + levels * sizeof(uint16_t), HAS_KEY_ARGUMENT, total);
    return total > 0;
}

void liveobj_generic_environment_make(struct liveobj_generic_environment *environment,
                                      uintptr_t sources, uint32_t count,
                                      const struct liveobj_generic_origins *origins) {
    values found = {{0}};
    uint32_t counts[LIVEOBJ_GENERIC_LEVELS] = {0};
    *environment = (struct liveobj_generic_environment){0};
    environment->is_known = read_values(found, counts, sources, count, origins) &&
                            fill_environment(environment, found, counts);
}

uintptr_t liveobj_generic_environment_resolve(const struct liveobj_generic_environment *environment,
                                              const struct liveobj_mangled *type) {
    typedef const void *(*get_type_fn)(const char *name, size_t length, const void *environment,
                                       const void *const *arguments);
    if (!type->mentions_parameters)
        return liveobj_resolve(type, 0, 0);
    get_type_fn get_type =
        (get_type_fn)(uintptr_t)liveobj_runtime_current()->swift_getTypeByMangledNameInEnvironment;
    if (!get_type || !environment->is_known || type->contains_pack || type->nests_block ||
        liveobj_types_are_closed() || !liveobj_runtime_enter())
        return 0;
    const void *metadata = get_type(type->text, type->length, environment->descriptor,
                                    (const void *const *)environment->arguments);
    liveobj_runtime_leave();
    return (uintptr_t)metadata;
}

LIVEOBJ_ANY_MEMORY_END

#endif
