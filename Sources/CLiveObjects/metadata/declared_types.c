// declared_types.c - searches the names of the types that the loaded images declare.
//
// Every image has a list of its types and protocols, which the runtime enumerates. No metadata is
// made: a type counts whether or not it has an instance. Runs outside of hooks; owns nothing.

#if defined(__linux__)

#include "metadata/metadata.h"
#include "metadata/types.h"
#include "metadata/watched_types.h"
#include "runtime/runtime.h"
#include "runtime/unloads.h"

#include <string.h>

/// The beginning of `MetadataSections` (stdlib/public/SwiftShims/MetadataSections.h).
struct sections {
    uintptr_t version;
    uintptr_t unused[3];
    struct {
        uintptr_t start, bytes;
    } protocols, conformances, types;
};

struct search {
    const char *text;
    bool is_found;
};

/// A method of a type has the type's name in front of its own.
static bool is_about(const char *text, const char *name) {
    size_t length = strlen(name);
    return strstr(name, text) || (strncmp(text, name, length) == 0 && text[length] == '.');
}

static bool descriptor_is_named(uintptr_t descriptor, const char *text) {
    struct liveobj_name_parts parts = liveobj_descriptor_names(descriptor);
    char name[1024];
    bool is_cut = liveobj_name_write(&parts, name, sizeof name) == sizeof name - 1;
    return is_cut || is_about(text, name);
}

/// Records are relative pointers. The lowest bits say whether one leads to a pointer.
static void search_records(struct search *search, uintptr_t start, uintptr_t bytes) {
    enum { DIRECT = 0, INDIRECT = 1, FLAGS = 3 };
    for (uintptr_t record = start; record < start + bytes && !search->is_found;
         record += sizeof(int32_t)) {
        int32_t offset = *(const int32_t *)record;
        uintptr_t target = record + (uintptr_t)(intptr_t)(offset & ~FLAGS);
        if (offset == 0 || (offset & FLAGS) > INDIRECT)
            continue;
        uintptr_t descriptor = (offset & FLAGS) == DIRECT ? target : liveobj_word(target, 0);
        search->is_found = descriptor && descriptor_is_named(descriptor, search->text);
    }
}

static bool search_image(const struct sections *sections, void *context) {
    struct search *search = context;
    search_records(search, sections->types.start, sections->types.bytes);
    search_records(search, sections->protocols.start, sections->protocols.bytes);
    return !search->is_found;
}

bool liveobj_type_is_declared(const char *text) {
    typedef void (*enumerate_fn)(bool (*visit)(const struct sections *, void *), void *context);
    enumerate_fn enumerate =
        (enumerate_fn)liveobj_runtime_current()->swift_enumerateAllMetadataSections;
    // The runtime would list the sections of unloaded libraries too.
    if (!enumerate || liveobj_unloads_failure())
        return true;
    struct search search = {.text = text};
    enumerate(search_image, &search);
    return search.is_found;
}

#endif
