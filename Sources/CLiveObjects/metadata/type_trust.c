// type_trust.c - owns the results of the trials of types since the last unload.

#if defined(__linux__)

#include "metadata/types.h"
#include "os/os.h"
#include "runtime/unloads.h"

/// A result is stored in the low bits of the metadata's address, which are 0 because metadata is
/// aligned. The table never moves, because any thread may read it. A type that finds no place in it
/// is not trusted.
enum { PLACES = 1 << 17, MOST_STEPS = 32, TRUST_MASK = 3, IS_TRIED = 4 };

static struct {
    uintptr_t *places; // atomic
    uint32_t unloads;  // atomic: the count of unloads when the results were removed
} tried;

/// The metadata that was tried. The metadata of a box or an error is the runtime's own, so its
/// subject is tried.
static uintptr_t key_of(const struct liveobj_type *type) {
    return type->subject ? type->subject : type->metadata;
}

/// The place of the key, or a free one; NULL if there is none.
static uintptr_t *place_of(uintptr_t key) {
    uint64_t hash = key * UINT64_C(0x9e3779b97f4a7c15);
    // Acquire: pairs with the release that stored the address of the places.
    uintptr_t *places = __atomic_load_n(&tried.places, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; places && i < MOST_STEPS; i++) {
        uintptr_t *place = &places[((hash >> 32) + i) % PLACES];
        uintptr_t word = __atomic_load_n(place, __ATOMIC_RELAXED); // refers to no other memory
        if (!word || (word & ~(uintptr_t)(TRUST_MASK | IS_TRIED)) == key)
            return place;
    }
    return NULL;
}

static uintptr_t result_of(const struct liveobj_type *type) {
    uintptr_t key = key_of(type);
    // Acquire: pairs with the release in `liveobj_type_trust_forget`.
    bool is_current = __atomic_load_n(&tried.unloads, __ATOMIC_ACQUIRE) == liveobj_unloads_count();
    uintptr_t *place = key && key % sizeof key == 0 && is_current ? place_of(key) : NULL;
    return place ? __atomic_load_n(place, __ATOMIC_RELAXED) & (TRUST_MASK | IS_TRIED) : 0;
}

enum liveobj_type_trust liveobj_type_trust(const struct liveobj_type *type) {
    return (enum liveobj_type_trust)(result_of(type) & TRUST_MASK);
}

void liveobj_type_trust_keep(const struct liveobj_type *type, enum liveobj_type_trust trust) {
    uintptr_t *place = place_of(key_of(type));
    if (place)
        __atomic_store_n(place, key_of(type) | trust | IS_TRIED, __ATOMIC_RELAXED);
}

bool liveobj_type_is_untried(const struct liveobj_type *type) {
    return key_of(type) && result_of(type) == 0;
}

bool liveobj_type_trust_is_outdated(void) {
    return !tried.places || tried.unloads != liveobj_unloads_count();
}

bool liveobj_type_trust_forget(void) {
    if (!tried.places)
        __atomic_store_n(&tried.places, liveobj_os_map(PLACES * sizeof *tried.places),
                         __ATOMIC_RELEASE);
    for (uint32_t i = 0; tried.places && i < PLACES; i++)
        __atomic_store_n(&tried.places[i], 0, __ATOMIC_RELAXED);
    // Release: a reader of the count finds the old results removed.
    __atomic_store_n(&tried.unloads, liveobj_unloads_count(), __ATOMIC_RELEASE);
    return tried.places != NULL;
}

#endif
