// mangling.c - reads the length, the ownership and the dangers of a mangled type name.

#if defined(__linux__)

#include "metadata/mangling.h"
#include "os/compiler.h"
#include "os/os.h"

#include <string.h>

LIVEOBJ_ANY_MEMORY_BEGIN

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/// The bytes of the symbolic reference that begins with `c`; 0 if none does.
static size_t symbolic_reference_bytes(char c) {
    if (c >= 0x01 && c <= 0x17)
        return 1 + sizeof(int32_t);
    if (c >= 0x18 && c <= 0x1f)
        return 1 + sizeof(uintptr_t);
    return 0;
}

/// Skips substituted words of earlier identifiers, `0aBC`: an upper-case letter is the last one.
static const char *skip_substituted_words(const char *next) {
    while (*next >= 'a' && *next <= 'z')
        next++;
    return liveobj_is_letter(*next) ? next + 1 : next;
}

/// Skips an identifier, `4Demo`: its letters are not parameters.
static const char *skip_identifier(const char *next) {
    if (*next == '0')
        next = skip_substituted_words(next + 1);
    size_t count = 0;
    for (; is_digit(*next) && count < LIVEOBJ_PAGE_BYTES; next++)
        count = 10 * count + (size_t)(*next - '0');
    return next + strnlen(next, count);
}

/// Skips the name of a standard type, `Si`, also repeated, `S2S`, or of concurrency, `ScT`: its
/// digits begin no identifier, and its letters are not parameters.
static const char *skip_standard_type(const char *next) {
    next++;
    while (is_digit(*next))
        next++;
    if (*next == 'c')
        next++;
    return liveobj_is_letter(*next) ? next + 1 : next;
}

/// Skips a repeated part of the name, `AB`, `AbC`, `A3b4C`, `A12_`: its digits begin no identifier,
/// and its letters are not parameters.
static const char *skip_substitution(const char *next) {
    for (next++; is_digit(*next) || (*next >= 'a' && *next <= 'z');)
        next++;
    return liveobj_is_letter(*next) || *next == '_' ? next + 1 : next;
}

/// Whether a character mentions a generic parameter. Parameters are `x`, `q_`, `q0_` …, and packs
/// and their expansions contain `Q`. The box of a captured variable, `Xx`, is not one.
static bool is_parameter_character(char before, char c) {
    return c == 'q' || c == 'Q' || (c == 'x' && before != 'X');
}

static const char *skip_index(const char *next) {
    while (is_digit(*next))
        next++;
    return *next == '_' ? next + 1 : next;
}

/// Skips a parameter, `q_`, `q0_`, `qd0_1_`: its digits begin no identifier.
static const char *skip_parameter(const char *next) {
    return next[1] == 'd' ? skip_index(skip_index(next + 2)) : skip_index(next + 1);
}

/// Whether the operator of a block type begins here, `XB`, or `XzB` if its C type is mangled too,
/// and the name does not end with it: then the block is the whole type.
static bool is_nested_block(const char *next) {
    if (next[0] != 'X')
        return false;
    const char *last = next[1] == 'z' ? next + 2 : next + 1;
    return last[0] == 'B' && last[1];
}

static enum liveobj_ownership ownership_of(const char *plain, const char *end) {
    if (end - plain < 2 || end[-2] != 'X')
        return LIVEOBJ_OWNERSHIP_STRONG;
    switch (end[-1]) {
    case 'w':
        return LIVEOBJ_OWNERSHIP_WEAK;
    case 'o':
        return LIVEOBJ_OWNERSHIP_UNOWNED;
    case 'u':
        return LIVEOBJ_OWNERSHIP_UNMANAGED;
    default:
        return LIVEOBJ_OWNERSHIP_STRONG;
    }
}

/// Skips references only: their bytes are certain. A digit may begin an identifier or be a number,
/// and an operator that is missed ends the process.
static void find_operators(struct liveobj_mangled *mangled) {
    const char *end = mangled->text + mangled->length;
    for (const char *next = mangled->text; next < end;) {
        size_t reference = symbolic_reference_bytes(*next);
        mangled->contains_pack |= next[0] == 'Q' && next[1] == 'p';
        mangled->nests_block |= is_nested_block(next);
        next += reference ? reference : 1;
    }
}

/// Whether the digits are a number, and not the length of an identifier: `$7_` and `$n7_` are
/// arguments of generic types.
static bool is_number(char before, const char *digits, const char *plain) {
    return before == '$' || (before == 'n' && digits - plain > 1 && digits[-2] == '$');
}

/// Skips a reference, an identifier, a number, a standard type, a repeated part, a parameter, or an
/// operator's letter. \param plain The end of the last reference or identifier; updated if this is
/// one.
static const char *skip_element(const char *next, const char **plain) {
    char before = next > *plain ? next[-1] : 0;
    size_t reference = symbolic_reference_bytes(*next);
    if (reference)
        return *plain = next + reference;
    if (*next == 'S')
        return skip_standard_type(next);
    if (*next == 'A')
        return skip_substitution(next);
    if (is_digit(*next) && is_number(before, next, *plain))
        return next + strspn(next, "0123456789");
    if (is_digit(*next))
        return *plain = skip_identifier(next);
    return *next == 'q' ? skip_parameter(next) : next + 1;
}

/// Notes what the operator or parameter that begins at `next` says; other elements say nothing.
/// \param previous The element before it.
static void read_operator(struct liveobj_mangled *mangled, char before, const char *previous,
                          const char *next) {
    mangled->mentions_parameters |= is_parameter_character(before, *next);
    bool is_of_parameter = *previous == 'x' || *previous == 'q'; // `xm`, `q_m`: stored as a word
    mangled->may_be_thin |= (*next == 'm' && !is_of_parameter) || strncmp(next, "XMt", 3) == 0;
}

struct liveobj_mangled liveobj_mangled_read(const char *text) {
    struct liveobj_mangled mangled = {.text = text, .ownership = LIVEOBJ_OWNERSHIP_STRONG};
    if (!text)
        return mangled;
    const char *next = text, *plain = text; // plain: after the last reference or identifier
    for (const char *previous = ""; *next;) {
        const char *element = next;
        read_operator(&mangled, next > plain ? next[-1] : 0, previous, next);
        next = skip_element(next, &plain);
        previous = element;
    }
    mangled.length = (size_t)(next - text);
    mangled.plain_length = (size_t)(next - plain);
    mangled.ownership = ownership_of(plain, next);
    find_operators(&mangled);
    return mangled;
}

/// Skips an element of a signature. Requirements have letters that are not operators, `RlzC`, and a
/// number of parameters has indexes, `r0_`.
static const char *skip_signature_element(const char *next, const char **plain) {
    if (next[0] == 'R' && next[1])
        return next + 2;
    return *next == 'r' ? next + 1 + strspn(next + 1, "0123456789_") : skip_element(next, plain);
}

static bool has_substitution(const char *name) {
    const char *next = name, *plain = name;
    while (*next && *next != 'A')
        next = skip_element(next, &plain);
    return *next;
}

const char *liveobj_mangled_skip_signature(const char *name) {
    const char *next = name, *plain = name;
    while (*next && *next != 'l')
        next = skip_signature_element(next, &plain);
    bool has_identifiers = plain != name;
    return *next && !(has_identifiers && has_substitution(next + 1)) ? next + 1 : NULL;
}

bool liveobj_mangled_is(const struct liveobj_mangled *mangled, const char *name) {
    return mangled->text && mangled->length == strlen(name) &&
           memcmp(mangled->text, name, mangled->length) == 0;
}

struct liveobj_mangled liveobj_mangled_payload(struct liveobj_mangled mangled) {
    static const char optional[] = "Sg";
    size_t suffix = sizeof optional - 1;
    if (mangled.plain_length >= suffix && mangled.length > suffix &&
        memcmp(mangled.text + mangled.length - suffix, optional, suffix) == 0)
        mangled.length -= suffix, mangled.plain_length -= suffix;
    return mangled;
}

bool liveobj_mangled_is_collection(const struct liveobj_mangled *mangled) {
    static const char *const prefixes[] = {"Say", "SDy", "Shy"};
    bool found = false;
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        found |= mangled->text && liveobj_os_begins_with(mangled->text, prefixes[i]);
    return found && mangled->plain_length > 0 && mangled->text[mangled->length - 1] == 'G';
}

bool liveobj_mangled_is_accessor(const struct liveobj_mangled *mangled) {
    enum { PADDING = 0xff, ACCESSOR_FUNCTION = 0x09 };
    // Compilers before 6.3 align the reference.
    size_t padding = mangled->text && (unsigned char)mangled->text[0] == PADDING ? 1 : 0;
    return mangled->text && mangled->text[padding] == ACCESSOR_FUNCTION &&
           mangled->length == padding + symbolic_reference_bytes(ACCESSOR_FUNCTION);
}

LIVEOBJ_ANY_MEMORY_END

#endif
