// captured_type.c - see captured_type.h. Owns nothing.

#if defined(__linux__)

#include "layout/captured_type.h"
#include "metadata/labels.h"
#include "metadata/metadata.h"
#include "metadata/types.h"
#include "os/compiler.h"

#include <string.h>

LIVEOBJ_ANY_MEMORY_BEGIN

static size_t add_captured_word(struct liveobj_layout_builder *builder, enum liveobj_slot_kind kind,
                                size_t offset, enum liveobj_ownership ownership, const char *text) {
    offset = liveobj_round_up(offset, sizeof(uintptr_t));
    liveobj_layout_add_slot(builder,
                            (struct liveobj_slot){
                                .offset = (uint32_t)offset,
                                .bytes = sizeof(uintptr_t),
                                .label = liveobj_label_make(LIVEOBJ_LABEL_CAPTURE, ownership, text),
                                .kind = kind,
                            });
    return offset + sizeof(uintptr_t);
}

// MARK: - Boxes

/// Whether the capture is a box: a captured `var` is captured as its box, `…z_Xx`, `…XX`, `…Xb`.
static bool is_box(const struct liveobj_mangled *type) {
    const char *end = type->text + type->length;
    return type->plain_length >= 2 && end[-2] == 'X' &&
           (end[-1] == 'x' || end[-1] == 'X' || end[-1] == 'b');
}

// MARK: - Functions

enum function_form { NO_FUNCTION, THICK, THICK_NO_ESCAPE, BLOCK, POINTER };

/// Parses the attributes of a lowered function type, after its `I`: `egy_`.
static enum function_form function_form(const char *next) {
    next += strspn(next, "sIP");
    bool escapes = *next == 'e';
    next += escapes;
    next += *next == 'A';
    next += strspn(next, "dlfr");
    char convention = *next;
    if (!convention || !strchr("ygxt", convention))
        return NO_FUNCTION;
    next++;
    next += next[0] == 'z' && (next[1] == 'B' || next[1] == 'C');
    if (*next == 'B')
        return BLOCK;
    if (*next == 'C' || convention == 't')
        return POINTER;
    return escapes ? THICK : THICK_NO_ESCAPE;
}

/// The form of a lowered function. The name ends in `I<attributes>_`, or in `I<attributes>_Sg` if
/// optional. An optional function has the same size, and its code is null for `nil`. An `I` among
/// the attributes, of an isolated parameter, begins no escaping function.
static enum function_form lowered_function(const struct liveobj_mangled *type) {
    struct liveobj_mangled function = liveobj_mangled_payload(*type);
    const char *end = function.text + function.length, *start = end - function.plain_length;
    enum function_form form = NO_FUNCTION;
    if (end - start < 3 || end[-1] != '_')
        return NO_FUNCTION;
    for (const char *next = end - 2; next >= start && liveobj_is_letter(*next); next--) {
        bool escapes = next[0] == 'I' && next[1 + strspn(next + 1, "sIP")] == 'e';
        if (*next == 'I' && (form == NO_FUNCTION || escapes))
            form = function_form(next + 1);
    }
    return form;
}

static size_t add_captured_function(struct liveobj_layout_builder *builder, enum function_form form,
                                    size_t offset) {
    enum { FUNCTION_BYTES = 2 * sizeof(uintptr_t) };
    offset = liveobj_round_up(offset, sizeof(uintptr_t));
    switch (form) {
    case THICK:
        add_captured_word(builder, LIVEOBJ_SLOT_FUNCTION, offset, LIVEOBJ_OWNERSHIP_STRONG,
                          "function");
        return offset + FUNCTION_BYTES;
    case THICK_NO_ESCAPE:
        return offset + FUNCTION_BYTES;
    case BLOCK: // retains what it captured once, for all closures that captured it
        return add_captured_word(builder, LIVEOBJ_SLOT_BLOCK, offset,
                                 LIVEOBJ_OWNERSHIP_CONSERVATIVE, "function");
    default:
        return offset + sizeof(uintptr_t);
    }
}

// MARK: - Types with metadata

static size_t add_value(struct liveobj_layout_builder *builder, uintptr_t type,
                        enum liveobj_ownership ownership, size_t offset) {
    char text[1024], shortened[LIVEOBJ_SHORT_NAME_BYTES];
    struct liveobj_type named = {type, type, LIVEOBJ_TYPE_OTHER};
    struct liveobj_name name = liveobj_type_name(&named, shortened);
    size_t length = name.length < sizeof text ? name.length : sizeof text - 1;
    memcpy(text, name.text, length);
    text[length] = 0;
    offset = liveobj_value_offset(type, offset);
    liveobj_layout_add_value(builder, type, offset,
                             liveobj_label_make(LIVEOBJ_LABEL_CAPTURE, ownership, text));
    return offset + liveobj_witnesses_of(type)->size;
}

/// Whether the type is a parameter, `x`, `q_`, `qd0__`, or an optional one.
static bool is_parameter(const struct liveobj_mangled *type) {
    struct liveobj_mangled name = liveobj_mangled_payload(*type);
    return name.plain_length == name.length && name.length > 0 &&
           ((*name.text == 'x' && name.length == 1) ||
            (*name.text == 'q' && strspn(name.text + 1, "d_0123456789") == name.length - 1));
}

bool liveobj_captured_is_word(const struct liveobj_mangled *type) {
    return is_parameter(type) || liveobj_declared_metatype(type) ||
           liveobj_mangled_is_collection(type);
}

size_t liveobj_captured_type_add(struct liveobj_layout_builder *builder,
                                 const struct liveobj_mangled *type,
                                 const struct liveobj_generic_environment *environment,
                                 size_t offset) {
    if (!type->text)
        return 0;
    if (is_box(type))
        return add_captured_word(builder, LIVEOBJ_SLOT_REFERENCE, offset, LIVEOBJ_OWNERSHIP_STRONG,
                                 "");
    enum function_form form = lowered_function(type);
    if (form != NO_FUNCTION)
        return add_captured_function(builder, form, offset);
    uintptr_t metadata = environment ? liveobj_generic_environment_resolve(environment, type)
                                     : liveobj_resolve(type, 0, 0);
    if (metadata && liveobj_declaration_omits_metatype(type, metadata))
        return 0;
    if (metadata)
        return add_value(builder, metadata, type->ownership, offset);
    uintptr_t class = liveobj_declared_metatype(type) ? 0 : liveobj_declared_class(type);
    return class ? add_captured_word(builder, LIVEOBJ_SLOT_REFERENCE, offset,
                                     LIVEOBJ_OWNERSHIP_STRONG, liveobj_descriptor_name(class))
                 : 0;
}

LIVEOBJ_ANY_MEMORY_END

#endif
