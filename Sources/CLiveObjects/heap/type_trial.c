// type_trial.c - see type_trial.h.
//
// A copy tries one type after the other, each of them in steps of its own. One that waits for a
// lock is left after 100 ms; then another copy goes on, since in this one the lock is held for
// ever. Owns what came of the trials since the last unload.

#if defined(__linux__)

#include "type_trial.h"

#include "../capture.h"
#include "../unloads.h"
#include "child.h"
#include "layout_table.h"
#include "metadata.h"
#include "references.h"

// MARK: - What came of it

/// Metadata is aligned, so that what came of its trial has room beside its address. Never moved:
/// any thread may ask. A type without a place is not trusted.
enum { PLACES = 1 << 17, MOST_STEPS = 32, TRUST_MASK = 3, IS_TRIED = 4 };

static struct {
    uintptr_t *places; // atomic
    uint32_t unloads;  // atomic: of this many are the results
} tried;

/// What the type's trial was about: metadata of a box or an error is the runtime's own.
static uintptr_t key_of(const struct liveobj_type *type) {
    return type->subject ? type->subject : type->metadata;
}

/// Of the key, or free; NULL if there is none.
static uintptr_t *place_of(uintptr_t key) {
    uint64_t hash = key * UINT64_C(0x9e3779b97f4a7c15);
    // Acquire: pairs with the release that made the places.
    uintptr_t *places = __atomic_load_n(&tried.places, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; places && i < MOST_STEPS; i++) {
        uintptr_t *place = &places[((hash >> 32) + i) % PLACES];
        uintptr_t word = __atomic_load_n(place, __ATOMIC_RELAXED); // a word says all there is
        if (!word || (word & ~(uintptr_t)(TRUST_MASK | IS_TRIED)) == key)
            return place;
    }
    return NULL;
}

static uintptr_t result_of(const struct liveobj_type *type) {
    uintptr_t key = key_of(type);
    bool is_current = __atomic_load_n(&tried.unloads, __ATOMIC_RELAXED) == liveobj_unloads_count();
    uintptr_t *place = key && key % sizeof key == 0 && is_current ? place_of(key) : NULL;
    return place ? __atomic_load_n(place, __ATOMIC_RELAXED) & (TRUST_MASK | IS_TRIED) : 0;
}

enum liveobj_type_trust liveobj_type_trust(const struct liveobj_type *type) {
    return (enum liveobj_type_trust)(result_of(type) & TRUST_MASK);
}

static void keep_result(const struct liveobj_type *type, enum liveobj_type_trust trust) {
    uintptr_t *place = place_of(key_of(type));
    if (place)
        __atomic_store_n(place, key_of(type) | trust | IS_TRIED, __ATOMIC_RELAXED);
}

/// \returns false if there is no memory for results.
static bool forget_results(void) {
    if (!tried.places)
        __atomic_store_n(&tried.places, liveobj_os_map(PLACES * sizeof *tried.places),
                         __ATOMIC_RELEASE);
    for (uint32_t i = 0; tried.places && i < PLACES; i++)
        __atomic_store_n(&tried.places[i], 0, __ATOMIC_RELAXED);
    __atomic_store_n(&tried.unloads, liveobj_unloads_count(), __ATOMIC_RELAXED);
    return tried.places != NULL;
}

// MARK: - In the copy

enum { UNTRIED = 3, PATIENCE = 3 };

/// What a type has come to; shared with the copies.
struct result {
    uint8_t trust; // or UNTRIED
    uint8_t timeouts;
};

struct trial {
    struct liveobj_type_table types; // those to try
    struct result *results;          // by their ids
    const struct liveobj_type *type; // that is being tried
};

static void name(void *context) {
    const struct trial *trial = context;
    liveobj_type_name(trial->type);
    if (trial->type->kind == LIVEOBJ_TYPE_CLASS)
        for (uintptr_t class = trial->type->metadata; class; class = liveobj_superclass_of(class))
            liveobj_type_name(&(struct liveobj_type){class, class, LIVEOBJ_TYPE_CLASS});
}

static void lay_out(void *context) {
    const struct trial *trial = context;
    liveobj_type_capture_count(trial->type);
    liveobj_references_prepare(trial->type);
}

/// \returns false if this copy can go on no further.
static bool try_type(struct trial *trial, struct result *result) {
    result->trust = LIVEOBJ_TRUST_NONE; // should it end the copy
    if (liveobj_child_try(name, trial))
        result->trust = liveobj_child_try(lay_out, trial) ? LIVEOBJ_TRUST_ALL : LIVEOBJ_TRUST_NAME;
    bool waits = liveobj_child_timeouts() > 0;
    if (waits && ++result->timeouts < PATIENCE)
        result->trust = UNTRIED;
    return !waits;
}

static bool try_types(void *context, liveobj_write_fn write, void *destination) {
    struct trial *trial = context;
    (void)write, (void)destination;
    bool goes_on = true;
    for (uint32_t id = 1; goes_on && id <= trial->types.count; id++) {
        trial->type = &trial->types.types[id];
        if (trial->results[id].trust == UNTRIED)
            goes_on = try_type(trial, &trial->results[id]);
    }
    return true;
}

// MARK: - In the program

static bool is_done(const struct trial *trial) {
    for (uint32_t id = 1; id <= trial->types.count; id++)
        if (trial->results[id].trust == UNTRIED)
            return false;
    return true;
}

/// Where the system allows no copy, nothing is trusted.
static void run(struct trial *trial) {
    enum { MOST_COPIES = 16, ANSWER_BYTES = 1 << 20 };
    bool has_failed = false;
    for (int i = 0; !has_failed && i < MOST_COPIES && !is_done(trial); i++) {
        struct liveobj_child copy = liveobj_child_run(try_types, trial, ANSWER_BYTES);
        has_failed = copy.failure != NULL;
        liveobj_child_end(&copy);
    }
}

static void keep_results(const struct trial *trial) {
    for (uint32_t id = 1; id <= trial->types.count; id++)
        if (trial->results[id].trust != UNTRIED)
            keep_result(&trial->types.types[id], (enum liveobj_type_trust)trial->results[id].trust);
}

static void add_types(struct trial *trial, struct liveobj_capture *capture) {
    struct liveobj_object object;
    uintptr_t last = 0; // most objects are of the type of the one before
    for (uint32_t i = 0, count = liveobj_captured_records(capture); i < count; i++) {
        if (!liveobj_records_get(liveobj_captured_record(capture, i), &object) ||
            object.metadata == last)
            continue;
        struct liveobj_type type = liveobj_type_at_first_sight(&object, &capture->reader);
        bool is_new, depends_on_object = object.metadata == LIVEOBJ_METADATA_IN_HEADER ||
                                         type.kind == LIVEOBJ_TYPE_ERROR_BOX;
        last = depends_on_object ? 0 : object.metadata;
        if (type.kind != LIVEOBJ_TYPE_OTHER && key_of(&type) && result_of(&type) == 0)
            liveobj_type_table_id(&trial->types, &type, &is_new);
    }
}

static void try_new_types(struct liveobj_capture *capture) {
    struct trial trial = {0};
    size_t bytes = 0;
    if (liveobj_type_table_start(&trial.types))
        add_types(&trial, capture);
    if (trial.types.count > 0) {
        bytes = (trial.types.count + 1) * sizeof *trial.results;
        trial.results = liveobj_os_map_shared(bytes);
    }
    if (trial.results) {
        for (uint32_t id = 1; id <= trial.types.count; id++)
            trial.results[id].trust = UNTRIED;
        run(&trial);
        keep_results(&trial);
    }
    liveobj_os_unmap(trial.results, bytes);
    liveobj_type_table_end(&trial.types);
}

void liveobj_types_try(struct liveobj_capture *capture) {
    uint32_t unloads = liveobj_unloads_count();
    if (unloads == 0)
        return;
    if (!tried.places || tried.unloads != unloads) {
        liveobj_layouts_forget();
        if (!forget_results())
            return;
    }
    try_new_types(capture);
}

#endif
