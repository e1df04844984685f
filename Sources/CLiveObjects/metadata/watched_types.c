// watched_types.c - owns the patterns of watched types and a cache of decisions; see
// watched_types.h.
//
// A type's name is read from its descriptors, which are constant memory of its image. The runtime
// is not used, because it would lock and allocate. The cache has one slot per hash: another type
// may replace a type, which is then decided again. Runs in the hook of allocations.

#if defined(__linux__)

#include "metadata/watched_types.h"
#include "metadata/metadata.h"
#include "metadata/types.h"
#include "os/os.h"

#include <string.h>

static const char *patterns; // NULL: all types

// MARK: - Patterns

static bool is_pattern_end(char character) {
    return character == '\0' || character == ',';
}

/// Greedy stars that backtrack only to the last star suffice: no match needs an earlier one.
static bool matches_one(const char *name, const char *pattern) {
    const char *after_star = NULL, *star_name = name;
    while (*name) {
        if (*pattern == '*') {
            after_star = ++pattern;
            star_name = name;
        } else if (!is_pattern_end(*pattern) && *pattern == *name) {
            pattern++;
            name++;
        } else if (after_star) {
            pattern = after_star;
            name = ++star_name;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return is_pattern_end(*pattern);
}

LIVEOBJ_HOOK bool liveobj_name_matches(const char *name, const char *wanted) {
    if (!*name)
        return false;
    for (const char *pattern = wanted;; pattern++) {
        if (matches_one(name, pattern))
            return true;
        while (!is_pattern_end(*pattern))
            pattern++;
        if (!*pattern)
            return false;
    }
}

// MARK: - Decisions

static bool decide_type(uintptr_t metadata) {
    enum { NAME_BYTES = 1024 };
    char name[NAME_BYTES];
    if (metadata == LIVEOBJ_METADATA_TASK)
        return liveobj_name_matches("Swift.Task", patterns);
    if (metadata <= LIVEOBJ_METADATA_TASK)
        return false;
    bool is_box = liveobj_metadata_kind(metadata) == LIVEOBJ_KIND_GENERIC_BOX;
    struct liveobj_name_parts parts = liveobj_descriptor_names(
        liveobj_descriptor_of(is_box ? liveobj_word(metadata, 2) : metadata));
    liveobj_name_write(&parts, name, sizeof name);
    return liveobj_name_matches(name, patterns);
}

// MARK: - Table

// Metadata is aligned, so the decision is stored in the low bits of its address. 0: unused.
enum { IS_DECIDED = 1, IS_WATCHED = 2, SLOTS = 1 << 12 };
static uintptr_t decisions[SLOTS]; // atomic
static bool is_frozen;             // atomic

static uintptr_t *decision_slot(uintptr_t metadata) {
    uint64_t hash = metadata * UINT64_C(0x9e3779b97f4a7c15);
    return &decisions[hash >> 52];
}

LIVEOBJ_HOOK bool liveobj_watches_type(uintptr_t metadata) {
    if (!patterns)
        return metadata != LIVEOBJ_METADATA_RAW_BUFFER;
    // Relaxed: the word refers to no other memory, and all threads decide the same.
    uintptr_t *slot = decision_slot(metadata);
    uintptr_t word = __atomic_load_n(slot, __ATOMIC_RELAXED);
    if (LIVEOBJ_LIKELY((word & ~(uintptr_t)(IS_DECIDED | IS_WATCHED)) == metadata))
        return word & IS_WATCHED;
    if (__atomic_load_n(&is_frozen, __ATOMIC_RELAXED))
        return false;
    bool is_watched = decide_type(metadata);
    if (metadata > LIVEOBJ_METADATA_TASK)
        __atomic_store_n(slot, metadata | IS_DECIDED | (is_watched ? IS_WATCHED : 0),
                         __ATOMIC_RELAXED);
    return is_watched;
}

void liveobj_watched_types_freeze(void) {
    // Relaxed: a hook that does not see it yet has an object whose library is loaded.
    __atomic_store_n(&is_frozen, true, __ATOMIC_RELAXED);
}

bool liveobj_watched_types_start(const char *wanted) {
    if (!wanted)
        return true;
    size_t bytes = strlen(wanted) + 1;
    char *copy = liveobj_os_map(bytes);
    if (copy)
        memcpy(copy, wanted, bytes);
    patterns = copy;
    return copy != NULL;
}

#endif
