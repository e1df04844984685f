// dispatch_objects.c - handlers of libdispatch's objects; see references.h.
//
// Each object begins with the address of its class, a structure of libdispatch that has the name of
// the kind (src/object_internal.h, `DISPATCH_OBJECT_VTABLE_HEADER`). A source refers to a structure
// with its handlers, which has the complement of the source's address (src/event/event_internal.h).
//
// Owns the place of libdispatch's image.

#if defined(__linux__)

#include "heap/references.h"
#include "metadata/labels.h"
#include "metadata/metadata.h"
#include "os/compiler.h"
#include "os/os.h"
#include "runtime/runtime.h"

#include <stdio.h>
#include <string.h>

LIVEOBJ_ANY_MEMORY_BEGIN

struct kind {
    uintptr_t functions[2];
    uintptr_t type;
    const char *name;
};

/// A piece of work: a block, or a function and its argument. Other members of a queue are objects.
struct work {
    uintptr_t flags;
    uintptr_t priority;
    const struct work *next;
    uintptr_t voucher;
    uintptr_t function;
    uintptr_t argument;
};

struct object {
    const struct kind *kind;
    int32_t references; // of libdispatch itself, minus one
    int32_t owners;     // references of the program, minus one
    uintptr_t next;
    uintptr_t target;
    uintptr_t context;
    uintptr_t finalizer;
};

struct group {
    struct object object;
    uint64_t state;
    const struct work *first;
};

enum { HANDLERS = 3 }; // of an event, of the source's end and of its start

struct events {
    const struct event_kind { const char *name; } * kind;
    uintptr_t source; // complement
    uintptr_t state;
    uint64_t details[2];
    const struct work *handlers[HANDLERS];
};

/// Also of a source, which has events.
struct queue {
    struct object object;
    uintptr_t last;
    uint64_t state;
    uintptr_t number;
    const char *label;
    uint32_t flags;
    uint32_t priority;
    const struct events *events;
    int32_t side_references;
    uint32_t lock;
    const struct work *first;
};

static struct liveobj_extent library;

static bool is_in_library(const void *address) {
    return (uintptr_t)address - library.start < library.end - library.start;
}

void liveobj_dispatch_prepare(void) {
    struct liveobj_image image;
    const struct object *queue = liveobj_runtime_current()->_dispatch_main_q;
    if (queue && liveobj_image_of((uintptr_t)queue->kind, &image))
        library = (struct liveobj_extent){image.start, image.end};
}

bool liveobj_dispatch_may_begin_with(uintptr_t word) {
    return is_in_library((const void *)word);
}

/// Whether it is such an object, and was not freed.
static bool is_dispatch_kind(const struct object *object, const char *name) {
    return object->references >= 0 && is_in_library(object->kind) &&
           is_in_library(object->kind->name) && strcmp(object->kind->name, name) == 0;
}

// MARK: - Work

enum { IS_BLOCK = 0x10, WORK_FLAGS_END = 0x1000, TEXT_BYTES = 256 };

/// The argument of a function of C: a task that sleeps, for example.
static void visit_argument(uintptr_t argument, uint32_t label, liveobj_visit_reference_fn visit,
                           void *context) {
    visit(context, &(struct liveobj_reference){
                       .target = argument, .label = label, .element = LIVEOBJ_NO_ELEMENT});
}

static void visit_work(const struct work *work, uint32_t label, liveobj_visit_reference_fn visit,
                       void *context) {
    if (!work || work->flags >= WORK_FLAGS_END)
        return;
    if (work->flags & IS_BLOCK)
        liveobj_block_visit(work->argument, label, visit, context);
    else
        visit_argument(work->argument, label, visit, context);
}

static void visit_list(const struct work *first, uint32_t label, liveobj_visit_reference_fn visit,
                       void *context) {
    enum { MOST_WORK = 1 << 16 };
    for (uint32_t i = 0; first && i < MOST_WORK; i++, first = first->next)
        visit_work(first, label, visit, context);
}

static uint32_t name_of_holder(const char *name) {
    return liveobj_label_make(LIVEOBJ_LABEL_HANDLER, LIVEOBJ_OWNERSHIP_STRONG, name);
}

// MARK: - Queues and sources

/// Bits of a queue's state and flags (src/queue_internal.h).
#define IS_NOT_ACTIVATED (UINT64_C(3) << 55)
#define IS_SUSPENDED (UINT64_C(0x7f) << 57) // the number of suspensions
enum { RUNNING_THREAD = 0x3ffffffc, IS_CANCELLED = 1 << 28, IS_DELETED = 1 << 31 };

static const struct queue *queue_at(uintptr_t address) {
    const struct queue *queue = (const void *)address;
    bool is_queue = is_dispatch_kind(&queue->object, "queue_serial") ||
                    is_dispatch_kind(&queue->object, "queue_concurrent") ||
                    is_dispatch_kind(&queue->object, "queue_main");
    return is_queue ? queue : NULL;
}

static const struct queue *source_at(uintptr_t address) {
    const struct queue *source = (const void *)address;
    bool is_source = is_dispatch_kind(&source->object, "source") && source->events &&
                     source->events->source == ~address && is_in_library(source->events->kind) &&
                     is_in_library(source->events->kind->name);
    return is_source ? source : NULL;
}

static bool is_suspended(const struct queue *queue) {
    return queue->state & (IS_SUSPENDED | IS_NOT_ACTIVATED);
}

/// Whether the source can have no event of its own: a timer that is not armed, or a source for
/// numbers that the program adds. libdispatch has one reference to it, as to each active source; an
/// armed timer and an event that waits have more.
static bool has_no_event(const struct queue *source) {
    const char *kind = source->events->kind->name;
    bool is_of_program =
        liveobj_os_begins_with(kind, "timer") || liveobj_os_begins_with(kind, "data");
    return source->flags & IS_DELETED || (is_of_program && source->object.references <= 1);
}

/// Whether it runs handlers only if the owner of its one reference changes it. No handler runs now.
static bool is_left_to_owner(const struct queue *queue, bool has_event) {
    return queue->object.owners == 0 && !(queue->state & RUNNING_THREAD) &&
           (is_suspended(queue) || !has_event);
}

// MARK: - Names

static const char *state_name(const struct queue *source) {
    return source->flags & IS_CANCELLED       ? "cancelled"
           : source->state & IS_NOT_ACTIVATED ? "not activated"
           : is_suspended(source)             ? "suspended"
                                              : "not cancelled";
}

static uint32_t name_of_source(const struct queue *source) {
    char name[TEXT_BYTES] = "work item that waits for its time (asyncAfter)";
    if (strcmp(source->events->kind->name, "timer (after)") != 0)
        snprintf(name, sizeof name, "dispatch source (%.32s), %s", source->events->kind->name,
                 state_name(source));
    return name_of_holder(name);
}

static uint32_t name_of_queue(const struct queue *queue) {
    char name[TEXT_BYTES] = "main dispatch queue";
    if (!is_dispatch_kind(&queue->object, "queue_main"))
        snprintf(name, sizeof name, "dispatch queue \"%.200s\"%s", queue->label ? queue->label : "",
                 is_suspended(queue) ? ", suspended" : "");
    return name_of_holder(name);
}

static uint32_t name_of_property(const char *name) {
    return liveobj_label_make(LIVEOBJ_LABEL_PROPERTY, LIVEOBJ_OWNERSHIP_CONSERVATIVE, name);
}

/// The argument of a source's handlers: a task that sleeps, or a structure of the runtime's with
/// the source and the task. Visited last: if it is no address, a fault ends the step.
static void visit_context(uintptr_t argument, uint32_t label, liveobj_visit_reference_fn visit,
                          void *context) {
    visit_argument(argument, label, visit, context);
    const uintptr_t *words = (const uintptr_t *)argument;
    for (int i = 0; liveobj_is_address(argument) && i < 2; i++)
        visit_argument(words[i], label, visit, context);
}

// MARK: - Any object

void liveobj_dispatch_visit_pending(uintptr_t address, liveobj_visit_reference_fn visit,
                                    void *context) {
    const struct queue *queue = queue_at(address), *source = source_at(address);
    if (queue && queue->first && !is_left_to_owner(queue, true))
        visit_list(queue->first, name_of_queue(queue), visit, context);
    if (source && !is_left_to_owner(source, !has_no_event(source))) {
        uint32_t name = name_of_source(source);
        for (size_t i = 0; i < HANDLERS; i++)
            visit_work(source->events->handlers[i], name, visit, context);
        visit_context(source->object.context, name, visit, context);
    }
    const struct group *group = (const void *)address;
    if (is_dispatch_kind(&group->object, "group") && group->first)
        visit_list(group->first, name_of_holder("dispatch group, not left"), visit, context);
}

void liveobj_dispatch_visit_owned(uintptr_t address, liveobj_visit_reference_fn visit,
                                  void *context) {
    static const char *const names[HANDLERS] = {"eventHandler", "cancelHandler",
                                                "registrationHandler"};
    const struct queue *queue = queue_at(address), *source = source_at(address);
    if (queue && is_left_to_owner(queue, true))
        visit_list(queue->first, name_of_property("work"), visit, context);
    if (source && is_left_to_owner(source, !has_no_event(source)))
        for (size_t i = 0; i < HANDLERS; i++)
            visit_work(source->events->handlers[i], name_of_property(names[i]), visit, context);
}

LIVEOBJ_ANY_MEMORY_END

#endif
