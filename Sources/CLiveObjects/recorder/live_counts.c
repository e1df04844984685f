// live_counts.c - which objects are live, how many, and of which types: what can be said without a
// capture.
//
// Owns nothing that outlives a call. Outside of hooks, with the calling thread's guard set.

#if defined(__linux__)

#include "recorder/live_counts.h"
#include "CLiveObjects.h"
#include "capture/test_table.h"
#include "heap/object_type.h"
#include "metadata/types.h"
#include "os/os.h"
#include "records/records.h"
#include "runtime/memory_reader.h"

#include <string.h>

/// Calls `visit` for each live instance: no raw buffers where `instances_only`, and never an object
/// whose deinit has run.
typedef void (*visit_object_fn)(void *context, const struct liveobj_object *object);

/// The objects to look at.
struct selection {
    uint64_t since;
    uint64_t before; // 0: of all that came later
    bool instances_only;
};

static bool is_selected(const struct selection *selection, const struct liveobj_object *object) {
    return object->sequence >= selection->since &&
           (!selection->before || object->sequence < selection->before) &&
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
    struct selection selection = {.since = since, .instances_only = true};
    struct liveobj_reader reader;
    uint64_t count = 0;
    liveobj_reader_start(&reader);
    visit_live(&selection, &reader, count_object, &count);
    return count;
}

// MARK: - One by one

struct instance_visit {
    liveobj_visit_instance_fn visit;
    void *context;
};

static void visit_instance(void *context, const struct liveobj_object *object) {
    struct instance_visit *wanted = context;
    struct liveobj_instance instance = {~object->address, object->sequence, object->stack};
    wanted->visit(wanted->context, &instance);
}

void liveobj_census_visit_test(const struct liveobj_kept_test *test,
                               liveobj_visit_instance_fn visit, void *context) {
    struct selection selection = {test->first, test->end, true};
    struct instance_visit wanted = {visit, context};
    struct liveobj_reader reader;
    liveobj_reader_start(&reader);
    visit_live(&selection, &reader, visit_instance, &wanted);
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
