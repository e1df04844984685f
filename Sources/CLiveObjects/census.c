// census.c - how many objects are live, and of which types: what can be said without a capture.
//
// Owns nothing that outlives a call. Outside of hooks, with the calling thread's guard set.

#if defined(__linux__)

#include "internal.h"
#include "records.h"

#include <string.h>

/// Calls `visit` for each live instance: no raw buffers where `instances_only`, and never an object
/// whose deinit has run.
typedef void (*visit_object_fn)(void *context, const struct liveobj_object *object);

/// The objects to look at.
struct selection {
    uint64_t since;
    bool instances_only;
};

static bool is_selected(const struct selection *selection, const struct liveobj_object *object) {
    return object->sequence >= selection->since &&
           !(selection->instances_only && object->metadata == LIVEOBJ_METADATA_RAW_BUFFER);
}

static void visit_live(const struct selection *selection, struct liveobj_reader *reader,
                       visit_object_fn visit, void *context) {
    uint32_t end = liveobj_records_end();
    struct liveobj_object object;
    for (uint32_t index = 1; index < end; index++)
        if (liveobj_records_may_be_since(index, selection->since) &&
            liveobj_records_get(index, &object) && is_selected(selection, &object) &&
            !liveobj_strong_count_of(&object, reader).is_pinned)
            visit(context, &object);
}

static void count_object(void *context, const struct liveobj_object *object) {
    (void)object;
    ++*(uint64_t *)context;
}

uint64_t liveobj_census_count(uint64_t since) {
    struct selection selection = {since, true};
    struct liveobj_reader reader;
    uint64_t count = 0;
    liveobj_reader_start(&reader);
    visit_live(&selection, &reader, count_object, &count);
    return count;
}

// MARK: - By type

struct tally {
    struct liveobj_type type;
    uint64_t live;
    uint64_t bytes;
};

enum { TYPES_LIMIT = 1 << 20 }; // more types than any program has; address space only

struct census {
    struct liveobj_reader reader;
    struct liveobj_type_table table;
    struct tally *tallies; // by type id
};

static void tally_object(void *context, const struct liveobj_object *object) {
    struct census *census = context;
    bool is_new;
    struct liveobj_type type = liveobj_type_of(object, &census->reader);
    uint32_t id = liveobj_type_table_id(&census->table, &type, &is_new);
    if (id == 0 || id >= TYPES_LIMIT)
        return;
    census->tallies[id].type = type;
    census->tallies[id].live++;
    census->tallies[id].bytes += object->bytes;
}

static struct liveobj_name name_for_people(const struct liveobj_type *type) {
    struct liveobj_name name = liveobj_type_name(type);
    if (name.length)
        return name;
    const char *text = type->kind == LIVEOBJ_TYPE_RAW_BUFFER ? "raw buffer"
                       : type->kind == LIVEOBJ_TYPE_CLOSURE_CONTEXT_OR_BOX
                           ? "closure context or box"
                       : type->kind == LIVEOBJ_TYPE_ERROR_BOX ? "error"
                                                              : "other";
    return (struct liveobj_name){text, strlen(text)};
}

static void visit_tallies(struct census *census, liveobj_visit_type_fn visit, void *context) {
    for (uint32_t id = 1; id <= census->table.count && id < TYPES_LIMIT; id++) {
        struct tally *tally = &census->tallies[id];
        struct liveobj_name name = name_for_people(&tally->type);
        visit(context, name.text, name.length, tally->live, tally->bytes);
    }
}

void liveobj_census_visit(uint64_t since, liveobj_visit_type_fn visit, void *context) {
    struct selection selection = {.since = since};
    struct census census = {.tallies = liveobj_os_map(TYPES_LIMIT * sizeof *census.tallies)};
    liveobj_reader_start(&census.reader);
    if (census.tallies && liveobj_type_table_start(&census.table)) {
        visit_live(&selection, &census.reader, tally_object, &census);
        visit_tallies(&census, visit, context);
    }
    liveobj_type_table_end(&census.table);
    liveobj_os_unmap(census.tallies, TYPES_LIMIT * sizeof *census.tallies);
}

#endif
