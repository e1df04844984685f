// type_trial.c - tries types in a snapshot process, after the program has unloaded an image.
//
// It cannot be known which types still depend on an unloaded image. A generic argument may, a field
// may, or a conformance for which the runtime searches all images that were ever loaded. So the
// program then asks the runtime only for types for which the same request has succeeded in a
// snapshot process.
//
// A snapshot process tries one type after the other, each in steps. A type that waits for a lock is
// abandoned after 100 ms. Another snapshot process continues then, because in this one the lock is
// never released. Owns nothing.

#if defined(__linux__)

#include "capture/capture.h"
#include "heap/references.h"
#include "metadata/address_table.h"
#include "metadata/metadata.h"
#include "os/os.h"
#include "os/step.h"
#include "runtime/unloads.h"
#include "snapshot/snapshot_process.h"

// MARK: - In the snapshot process

enum { UNTRIED = 3, PATIENCE = 3 };

/// The result for one type, in memory shared with the snapshot processes.
struct result {
    uint8_t trust; // or UNTRIED
    uint8_t timeouts;
};

struct trial {
    struct liveobj_type_table types; // types to try
    struct result *results;          // by type id
    const struct liveobj_type *type; // being tried
};

static void name(void *context) {
    const struct trial *trial = context;
    char shortened[LIVEOBJ_SHORT_NAME_BYTES];
    liveobj_type_name(trial->type, shortened);
    if (trial->type->kind == LIVEOBJ_TYPE_CLASS)
        for (uintptr_t class = trial->type->metadata; class; class = liveobj_superclass_of(class))
            liveobj_type_name(&(struct liveobj_type){class, class, LIVEOBJ_TYPE_CLASS}, shortened);
}

static void lay_out(void *context) {
    const struct trial *trial = context;
    liveobj_type_capture_count(trial->type);
    liveobj_references_prepare(trial->type);
}

/// \returns false if this snapshot process cannot continue.
static bool try_type(struct trial *trial, struct result *result) {
    result->trust = LIVEOBJ_TRUST_NONE; // in case the step ends the process
    if (liveobj_snapshot_step(name, trial))
        result->trust =
            liveobj_snapshot_step(lay_out, trial) ? LIVEOBJ_TRUST_ALL : LIVEOBJ_TRUST_NAME;
    bool waits = liveobj_snapshot_timeouts() > 0;
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

/// Where the system refuses snapshot processes, no type is trusted.
static void run(struct trial *trial, uint64_t deadline) {
    enum { MOST_COPIES = 16, ANSWER_BYTES = 1 << 20 };
    bool has_failed = false;
    for (int i = 0; !has_failed && i < MOST_COPIES && !is_done(trial); i++) {
        struct liveobj_snapshot copy =
            liveobj_snapshot_run(try_types, NULL, trial, ANSWER_BYTES, deadline);
        has_failed = copy.failure != NULL;
        liveobj_snapshot_end(&copy);
    }
}

static void keep_results(const struct trial *trial) {
    for (uint32_t id = 1; id <= trial->types.count; id++)
        if (trial->results[id].trust != UNTRIED)
            liveobj_type_trust_keep(&trial->types.types[id],
                                    (enum liveobj_type_trust)trial->results[id].trust);
}

static void add_types(struct trial *trial, struct liveobj_capture *capture) {
    struct liveobj_object object;
    uintptr_t last = 0; // most objects have the type of the previous one
    for (uint32_t i = 0, count = liveobj_captured_records(capture); i < count; i++) {
        if (!liveobj_records_get(liveobj_captured_record(capture, i), &object) ||
            object.metadata == last)
            continue;
        struct liveobj_type type = liveobj_type_at_first_sight(&object, &capture->reader);
        bool is_new, depends_on_object = object.metadata == LIVEOBJ_METADATA_IN_HEADER ||
                                         type.kind == LIVEOBJ_TYPE_ERROR_BOX;
        last = depends_on_object ? 0 : object.metadata;
        if (type.kind != LIVEOBJ_TYPE_OTHER && liveobj_type_is_untried(&type))
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
        run(&trial, capture->deadline);
        keep_results(&trial);
    }
    liveobj_os_unmap(trial.results, bytes);
    liveobj_type_table_end(&trial.types);
}

void liveobj_types_try(struct liveobj_capture *capture) {
    if (liveobj_unloads_count() == 0)
        return;
    if (liveobj_type_trust_is_outdated()) {
        liveobj_metadata_tables_forget();
        if (!liveobj_type_trust_forget())
            return;
    }
    try_new_types(capture);
}

#endif
