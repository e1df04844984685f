// noncopyable.c - stored properties of noncopyable types; see layout.h.
//
// Reads symbols from the image's file, which takes some milliseconds, once for each property.

#if defined(__linux__)

#define _GNU_SOURCE

#include "layout/layout.h"
#include "metadata/mangling.h"
#include "metadata/metadata.h"
#include "os/compiler.h"
#include "os/os.h"
#include "runtime/image.h"
#include "runtime/runtime.h"

#include <stdio.h>
#include <string.h>

LIVEOBJ_ANY_MEMORY_BEGIN

enum { NAME_LIMIT = 1024 };

/// A type's mangled name, without symbolic references, in the context of the type that has the
/// property.
struct name {
    char text[NAME_LIMIT];
    const struct liveobj_fields *fields;
};

/// Removes what is not the type's name: the symbol's prefix, the signature of a generic class, and
/// what follows.
static bool take_type(struct name *name, const char *prefix) {
    const char *type = name->text + strlen(prefix);
    for (const char *next = type; *next; next++)
        if ((unsigned char)*next < ' ')
            return false; // no symbol of the compiler; would be read as a reference
    if (name->fields->arguments)
        type = liveobj_mangled_skip_signature(type);
    if (!type)
        return false;
    size_t length = strcspn(type, " .");
    memmove(name->text, type, length);
    name->text[length] = 0;
    return true;
}

/// Finds the name in the symbol: `get_type_metadata 15Synchronization5MutexVySiG noncopyable` in
/// Swift 6.3, `get_type_metadata 15Synchronization5MutexVySiG.7` before.
static bool find_name(struct name *name, const struct liveobj_field *field) {
    static const char prefix[] = "get_type_metadata ";
    struct liveobj_image image;
    uintptr_t record = (uintptr_t)field->type.text;
    return !liveobj_types_are_closed() && liveobj_image_of(record, &image) &&
           liveobj_image_symbol_at(&image, record, prefix, name->text, sizeof name->text) &&
           take_type(name, prefix);
}

/// Reduces a name to its generic argument: `Mutex<T>` -> `T`.
static bool take_argument(struct name *name, const char *generic) {
    size_t start = strlen(generic), length = strlen(name->text);
    if (!liveobj_os_begins_with(name->text, generic) || length <= start ||
        name->text[length - 1] != 'G')
        return false;
    memmove(name->text, name->text + start, length - start - 1);
    name->text[length - start - 1] = 0;
    return true;
}

/// Calls a function that returns metadata.
/// \param argument Of a generic type with one parameter; other functions ignore it.
static uintptr_t call_accessor(uintptr_t function, uintptr_t argument) {
    typedef const void *(*accessor_fn)(size_t request, uintptr_t argument);
    if (!function || !liveobj_runtime_enter())
        return 0;
    uintptr_t type = (uintptr_t)((accessor_fn)function)(0, argument);
    liveobj_runtime_leave();
    return type;
}

/// A type that the runtime does not find by name: a private or a noncopyable one. A name without
/// generic arguments is not that of a generic type, whose function needs them.
static uintptr_t type_by_accessor(uintptr_t descriptor, const struct liveobj_mangled *name) {
    char symbol[NAME_LIMIT + 8];
    struct liveobj_image image;
    if (!liveobj_image_of(descriptor, &image))
        return 0;
    snprintf(symbol, sizeof symbol, "$s%.*sMa", (int)name->length, name->text);
    return call_accessor(liveobj_image_symbol(&image, symbol).start, 0);
}

/// Nested optionals are left out.
static uintptr_t type_of_name(const struct name *name) {
    struct liveobj_mangled mangled = liveobj_mangled_read(name->text);
    uintptr_t type = liveobj_resolve(&mangled, name->fields->descriptor, name->fields->arguments);
    if (type || mangled.mentions_parameters)
        return type;
    struct liveobj_mangled payload = liveobj_mangled_payload(mangled);
    uintptr_t optional = (uintptr_t)liveobj_runtime_current()->$sSqMa;
    type = type_by_accessor(name->fields->descriptor, &payload);
    return type && payload.length < mangled.length ? call_accessor(optional, type) : type;
}

/// Whether the type is a class or a collection, optional or not: such a value is one reference,
/// whatever the runtime knows of the class and of the collection's elements.
static bool is_single_reference(const struct name *name) {
    struct liveobj_mangled payload = liveobj_mangled_payload(liveobj_mangled_read(name->text));
    return liveobj_mangled_is_collection(&payload) ||
           (payload.plain_length > 0 && payload.text[payload.length - 1] == 'C');
}

static bool add_named_value(struct liveobj_layout_builder *builder, const struct name *name,
                            size_t offset, uint32_t label) {
    uintptr_t type = type_of_name(name);
    if (type)
        liveobj_layout_add_value(builder, type, liveobj_value_offset(type, offset), label);
    else if (is_single_reference(name))
        liveobj_layout_add_reference(builder, liveobj_round_up(offset, sizeof(uintptr_t)), label);
    else
        return false;
    return true;
}

bool liveobj_layout_add_noncopyable(struct liveobj_layout_builder *builder,
                                    const struct liveobj_fields *fields,
                                    const struct liveobj_field *field, size_t offset,
                                    uint32_t label) {
    enum { LOCK_BYTES = 4 }; // before the value of a mutex
    struct name name = {.fields = fields};
    if (!find_name(&name, field))
        return false;
    if (liveobj_os_begins_with(name.text, "15Synchronization6AtomicVy"))
        return true;
    if (take_argument(&name, "15Synchronization19AtomicLazyReferenceVy")) {
        liveobj_layout_add_reference(builder, offset, label);
        return true;
    }
    bool is_mutex = take_argument(&name, "15Synchronization5MutexVy");
    return add_named_value(builder, &name, is_mutex ? offset + LOCK_BYTES : offset, label);
}

uintptr_t liveobj_layout_noncopyable_type(const struct liveobj_fields *fields,
                                          const struct liveobj_field *field) {
    struct name name = {.fields = fields};
    return find_name(&name, field) ? type_of_name(&name) : 0;
}

LIVEOBJ_ANY_MEMORY_END

#endif
