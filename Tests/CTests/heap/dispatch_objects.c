// Handlers of libdispatch's objects. This program stands for the library.

#include "CLiveObjects.h"
#include "heap/references.h"
#include "metadata/labels.h"
#include "runtime/runtime.h"
#include "support/expect.h"

#include <stdlib.h>

#define NOT_ACTIVATED (UINT64_C(1) << 55)
#define SUSPENDED (UINT64_C(2) << 57)
enum { RUNNING_THREAD = 0x1234, ARMED_TIMER = 3, REGISTERED = 1, IS_BLOCK = 0x110 };
enum { CODE = 0x5000, CAPTURED = 0x6000 };

struct kind {
    void *functions[2];
    uintptr_t type;
    const char *name;
};
static const struct kind main_queue_kind = {{NULL}, 0, "queue_main"};
static const struct kind queue_kind = {{NULL}, 0, "queue_serial"};
static const struct kind source_kind = {{NULL}, 0, "source"};
static const struct kind group_kind = {{NULL}, 0, "group"};
static const struct kind channel_kind = {{NULL}, 0, "io"};
static const char *const timer_kind[] = {"timer"};
static const char *const read_kind[] = {"read"};

// The symbols that the recorder looks for.
struct {
    const struct kind *kind;
    uintptr_t words[15];
} _dispatch_main_q = {&main_queue_kind, {0}};
void *_NSConcreteMallocBlock[4];

static uintptr_t block_descriptor[] = {0, 48};
static uintptr_t block[] = {0, 0, 0, (uintptr_t)block_descriptor, CODE, CAPTURED};
static uintptr_t work[] = {IS_BLOCK, 0, 0, 0, 0, (uintptr_t)block};

static uintptr_t events[12];
static struct {
    const struct kind *kind;
    int32_t references, owners;
    uintptr_t words[4];
    uintptr_t last; // the state of a group
    uint64_t state; // the first work of a group
    uintptr_t number;
    const char *label;
    uint32_t flags, priority;
    const uintptr_t *events;
    uint32_t more[2];
    const uintptr_t *first;
} object;

struct found {
    uint32_t count;
    const char *label;
    uintptr_t function;
};

/// The words of a block may all be references.
static void note(void *context, const struct liveobj_reference *reference) {
    struct found *found = context;
    if (reference->target != CAPTURED)
        return;
    found->count++;
    found->label = liveobj_label_get(reference->label).text;
    found->function = reference->function;
}

static struct found pending(void) {
    struct found found = {0, "", 0};
    liveobj_dispatch_visit_pending((uintptr_t)&object, note, &found);
    return found;
}

static struct found owned(void) {
    struct found found = {0, "", 0};
    liveobj_dispatch_visit_owned((uintptr_t)&object, note, &found);
    return found;
}

static void make_source(const char *const *kind, int32_t references, uint64_t state) {
    enum { AT_HANDLERS = 5 };
    memset(events, 0, sizeof events);
    events[0] = (uintptr_t)kind;
    events[1] = ~(uintptr_t)&object;
    events[AT_HANDLERS] = (uintptr_t)work;
    memset(&object, 0, sizeof object);
    object.kind = &source_kind;
    object.references = references;
    object.state = state;
    object.events = events;
}

static void a_source_with_events_has_a_handler_to_call(void) {
    make_source(timer_kind, ARMED_TIMER, 0);
    struct found found = pending();
    EXPECT(found.count == 1 && found.function == CODE);
    EXPECT_STRING(found.label, "dispatch source (timer), not cancelled");
    EXPECT(owned().count == 0);
    make_source(read_kind, REGISTERED, 0);
    EXPECT_STRING(pending().label, "dispatch source (read), not cancelled");
    EXPECT(owned().count == 0);
}

static void a_source_without_events_is_left_to_its_owner(void) {
    make_source(timer_kind, ARMED_TIMER, NOT_ACTIVATED);
    EXPECT(pending().count == 0 && owned().count == 1);
    EXPECT_STRING(owned().label, "eventHandler (not activated)");
    make_source(read_kind, ARMED_TIMER, SUSPENDED);
    EXPECT(pending().count == 0 && owned().count == 1);
    make_source(timer_kind, REGISTERED, 0);
    EXPECT(pending().count == 0 && owned().count == 1);
}

static void another_owner_or_a_running_handler_may_resume_a_source(void) {
    make_source(timer_kind, ARMED_TIMER, SUSPENDED);
    object.owners = 1;
    EXPECT_STRING(pending().label, "dispatch source (timer), suspended");
    EXPECT(owned().count == 0);
    make_source(timer_kind, ARMED_TIMER, SUSPENDED | RUNNING_THREAD);
    EXPECT(pending().count == 1 && owned().count == 0);
}

static void other_memory_is_no_source(void) {
    make_source(timer_kind, ARMED_TIMER, 0);
    events[1]++;
    EXPECT(pending().count == 0 && owned().count == 0);
    make_source(timer_kind, ARMED_TIMER, 0);
    struct kind *elsewhere = malloc(sizeof *elsewhere);
    *elsewhere = source_kind;
    object.kind = elsewhere;
    EXPECT(pending().count == 0 && owned().count == 0);
    free(elsewhere);
}

static void a_queue_has_work(void) {
    memset(&object, 0, sizeof object);
    object.kind = &queue_kind;
    object.label = "my.queue";
    object.first = work;
    EXPECT_STRING(pending().label, "dispatch queue \"my.queue\"");
    object.state = SUSPENDED;
    EXPECT(pending().count == 0 && owned().count == 1);
    EXPECT_STRING(owned().label, "work (suspended)");
    object.owners = 1;
    EXPECT_STRING(pending().label, "dispatch queue \"my.queue\", suspended");
}

static void make_group(void) {
    liveobj_dispatch_prepare();
    memset(&object, 0, sizeof object);
    object.kind = &group_kind;
    object.state = (uintptr_t)work;
}

static void a_group_that_nothing_owns_has_work(void) {
    make_group();
    EXPECT_STRING(pending().label, "dispatch group, not left");
    object.owners = 1;
    EXPECT(owned().count == 0);
    EXPECT(pending().count == 1);
}

static void a_group_is_left_to_its_owner_if_nothing_else_has_its_address(void) {
    make_group();
    EXPECT(owned().count == 1);
    EXPECT(pending().count == 0);
    struct liveobj_extent groups = liveobj_dispatch_groups();
    EXPECT(groups.start == (uintptr_t)&object && groups.end == groups.start + 1);
    liveobj_dispatch_note_root((uintptr_t)&object);
    EXPECT(pending().count == 1);
}

static struct found notified(uintptr_t count) {
    uintptr_t item[] = {0, count, 0, 0, 0xd159b10c, 0, (uintptr_t)&object, 0};
    struct found found = {0, "", 0};
    make_group();
    liveobj_dispatch_visit_notified((uintptr_t)item, sizeof item, note, &found);
    return found;
}

static void a_work_item_owns_its_notifications_if_nothing_else_can_perform_it(void) {
    enum { ONE_REFERENCE = 2, TWO_REFERENCES = 4 };
    EXPECT(notified(ONE_REFERENCE).count == 1);
    EXPECT(pending().count == 0);
    liveobj_dispatch_note_root((uintptr_t)&object); // the word of the item itself
    EXPECT(pending().count == 0);
    EXPECT(notified(TWO_REFERENCES).count == 0);
    EXPECT(pending().count == 1);
}

static void a_queue_without_work_owns_its_values(void) {
    uintptr_t first[5] = {1, CAPTURED}, second[5] = {1, CAPTURED};
    uintptr_t values[] = {0, (uintptr_t)first, (uintptr_t)second};
    first[3] = (uintptr_t)second;
    second[4] = (uintptr_t)first;
    memset(&object, 0, sizeof object);
    object.kind = &queue_kind;
    object.events = values;
    EXPECT(owned().count == 2);
    EXPECT(liveobj_dispatch_is_owned((uintptr_t)first) &&
           liveobj_dispatch_is_owned((uintptr_t)second));
    object.references = 2; // work
    EXPECT(owned().count == 0);
    object.references = 0;
    second[4] = 0; // another layout
    EXPECT(owned().count == 1);
}

static void a_channel_without_operations_owns_its_cleanup_handler(void) {
    struct {
        const struct kind *kind;
        uintptr_t words[6];
        uint64_t state;
        uintptr_t number;
        const char *label;
        uintptr_t more[3];
        const uintptr_t *first;
    } queue = {.kind = &queue_kind,
               .state = SUSPENDED,
               .label = "com.apple.libdispatch-io.closeq",
               .first = work};
    uintptr_t file[24] = {7, [9] = (uintptr_t)&queue};
    memset(&object, 0, sizeof object);
    object.kind = &channel_kind;
    object.number = (uintptr_t)file;
    EXPECT(owned().count == 1 && pending().count == 0);
    EXPECT_STRING(owned().label, "cleanupHandler");
    object.references = 1;
    EXPECT(owned().count == 0);
    EXPECT_STRING(pending().label, "dispatch channel, not closed");
    object.references = 0;
    queue.state = 0;
    EXPECT(owned().count == 0 && pending().count == 0);
}

int main(void) {
    block[0] = (uintptr_t)_NSConcreteMallocBlock;
    liveobj_runtime_find();
    liveobj_dispatch_prepare();
    EXPECT(liveobj_dispatch_may_begin_with((uintptr_t)&source_kind));
    EXPECT(!liveobj_dispatch_may_begin_with(1));
    a_source_with_events_has_a_handler_to_call();
    a_source_without_events_is_left_to_its_owner();
    another_owner_or_a_running_handler_may_resume_a_source();
    other_memory_is_no_source();
    a_queue_has_work();
    a_group_that_nothing_owns_has_work();
    a_group_is_left_to_its_owner_if_nothing_else_has_its_address();
    a_work_item_owns_its_notifications_if_nothing_else_can_perform_it();
    a_queue_without_work_owns_its_values();
    a_channel_without_operations_owns_its_cleanup_handler();
    return EXPECT_STATUS();
}
