// test_instances.c - the live instances that were allocated while a test ran, without a capture.
//
// Owns nothing. Outside of hooks, with the calling thread's guard set.

#if defined(__linux__)

#include "CLiveObjects.h"
#include "capture/test_table.h"
#include "heap/object_type.h"
#include "recorder/tests.h"
#include "records/records.h"
#include "runtime/memory_reader.h"

static bool is_made_in(const struct liveobj_kept_test *test, const struct liveobj_object *object) {
    bool is_running = test->end == 0;
    return object->sequence >= test->first && (is_running || object->sequence < test->end);
}

static bool is_instance(const struct liveobj_object *object, struct liveobj_reader *reader) {
    return object->metadata != LIVEOBJ_METADATA_RAW_BUFFER &&
           !liveobj_strong_count_of(object, reader).is_pinned;
}

void liveobj_test_instances_visit(const struct liveobj_kept_test *test,
                                  liveobj_visit_instance_fn visit, void *context) {
    uint32_t end = liveobj_records_end();
    struct liveobj_object object;
    struct liveobj_reader reader;
    liveobj_reader_start(&reader);
    for (uint32_t index = 1; index < end; index++) {
        if (!liveobj_records_may_be_since(index, test->first) ||
            !liveobj_records_get(index, &object) || !is_made_in(test, &object) ||
            !is_instance(&object, &reader))
            continue;
        struct liveobj_instance instance = {~object.address, object.sequence, object.stack};
        visit(context, &instance);
    }
}

#endif
