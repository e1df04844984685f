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

struct events {
    const struct event_kind { const char *name; } * kind;
    uintptr_t source; // complement
    uintptr_t state;
    uint64_t details[2];
    const struct work *handlers[3];
};
static const char *const handler_names[] = {"event handler", "cancel handler",
                                            "registration handler"};

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

static bool is_kind(const struct object *object, const char *name) {
    return is_in_library(object->kind) && is_in_library(object->kind->name) &&
           strcmp(object->kind->name, name) == 0;
}

// MARK: - Work

enum { IS_BLOCK = 0x10, WORK_FLAGS_END = 0x1000, TEXT_BYTES = 256 };

static void visit_work(const struct work *work, uint32_t label, liveobj_visit_reference_fn visit,
                       void *context) {
    if (work && work->flags < WORK_FLAGS_END && work->flags & IS_BLOCK)
        liveobj_block_visit(work->argument, label, visit, context);
}

static void visit_list(const struct work *first, const char *name, liveobj_visit_reference_fn visit,
                       void *context) {
    enum { MOST_WORK = 1 << 16 };
    if (!first)
        return;
    uint32_t label = liveobj_label_make(LIVEOBJ_LABEL_HANDLER, LIVEOBJ_OWNERSHIP_STRONG, name);
    for (uint32_t i = 0; first && i < MOST_WORK; i++, first = first->next)
        visit_work(first, label, visit, context);
}

// MARK: - Queues and sources

/// The bits of a queue's state (src/queue_internal.h).
enum {
    STATE_SHIFT = 55,
    IS_NOT_ACTIVATED = 3 << (55 - STATE_SHIFT),
    IS_SUSPENDED = 0x7f << (57 - STATE_SHIFT),
    IS_CANCELLED = 0x10000000, // a flag
};

static bool is_suspended(const struct queue *queue) {
    return queue->state >> STATE_SHIFT & (IS_SUSPENDED | IS_NOT_ACTIVATED);
}

static const char *state_name(const struct queue *source) {
    uint64_t state = source->state >> STATE_SHIFT;
    return source->flags & IS_CANCELLED ? "cancelled"
           : state & IS_NOT_ACTIVATED   ? "not activated"
           : state & IS_SUSPENDED       ? "suspended"
                                        : "not cancelled";
}

static bool is_source(const struct queue *queue) {
    return is_kind(&queue->object, "source") && queue->events &&
           queue->events->source == ~(uintptr_t)queue && is_in_library(queue->events->kind) &&
           is_in_library(queue->events->kind->name);
}

/// Whether only the owner of the source's one reference can have its handlers called.
static bool is_left_to_owner(const struct queue *source) {
    return is_suspended(source) && source->object.owners == 0 && source->object.references <= 1;
}

static void visit_source(const struct queue *source, liveobj_visit_reference_fn visit,
                         void *context) {
    char name[TEXT_BYTES] = "work item that waits for its time";
    if (strcmp(source->events->kind->name, "timer (after)") != 0)
        snprintf(name, sizeof name, "dispatch source (%.32s), %s", source->events->kind->name,
                 state_name(source));
    uint32_t label = liveobj_label_make(LIVEOBJ_LABEL_HANDLER, LIVEOBJ_OWNERSHIP_STRONG, name);
    for (size_t i = 0; i < sizeof handler_names / sizeof *handler_names; i++)
        visit_work(source->events->handlers[i], label, visit, context);
}

static void visit_queue(const struct queue *queue, liveobj_visit_reference_fn visit,
                        void *context) {
    char name[TEXT_BYTES] = "main dispatch queue";
    if (!is_kind(&queue->object, "queue_main"))
        snprintf(name, sizeof name, "dispatch queue \"%.200s\"%s", queue->label ? queue->label : "",
                 is_suspended(queue) ? ", suspended" : "");
    visit_list(queue->first, name, visit, context);
}

// MARK: - Any object

void liveobj_dispatch_visit_pending(uintptr_t address, liveobj_visit_reference_fn visit,
                                    void *context) {
    const struct object *object = (const void *)address;
    if (is_source((const void *)object)) {
        if (!is_left_to_owner((const void *)object))
            visit_source((const void *)object, visit, context);
    } else if (is_kind(object, "queue_serial") || is_kind(object, "queue_concurrent") ||
               is_kind(object, "queue_main")) {
        visit_queue((const void *)object, visit, context);
    } else if (is_kind(object, "group")) {
        visit_list(((const struct group *)object)->first, "dispatch group, not left", visit,
                   context);
    }
}

void liveobj_dispatch_visit_owned(uintptr_t address, liveobj_visit_reference_fn visit,
                                  void *context) {
    const struct queue *source = (const void *)address;
    if (!is_source(source) || !is_left_to_owner(source))
        return;
    for (size_t i = 0; i < sizeof handler_names / sizeof *handler_names; i++)
        visit_work(source->events->handlers[i],
                   liveobj_label_make(LIVEOBJ_LABEL_PROPERTY, LIVEOBJ_OWNERSHIP_CONSERVATIVE,
                                      handler_names[i]),
                   visit, context);
}

LIVEOBJ_ANY_MEMORY_END

#endif
