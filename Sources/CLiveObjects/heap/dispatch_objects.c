// dispatch_objects.c - handlers of libdispatch's objects; see references.h.
//
// Each object begins with the address of its class, a structure of libdispatch that has the name of
// the kind (src/object_internal.h, `DISPATCH_OBJECT_VTABLE_HEADER`). A source refers to a structure
// with its handlers, which has the complement of the source's address (src/event/event_internal.h).
//
// Owns the place of libdispatch's image and, in the snapshot process, the addresses of what objects
// of Swift own.

#if defined(__linux__)

#include "heap/references.h"
#include "metadata/address_table.h"
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

/// A value of a queue. The first one has none before it.
struct specific {
    uintptr_t key;
    uintptr_t value;
    uintptr_t release;
    const struct specific *next;
    const struct specific *previous;
};

struct specifics {
    uintptr_t lock;
    const struct specific *first;
    const struct specific *last;
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
    union {
        const struct events *events;       // of a source
        const struct specifics *specifics; // of a queue; NULL for none
    };
    int32_t side_references;
    uint32_t lock;
    const struct work *first;
};

struct channel {
    struct object object;
    uintptr_t words[12]; // with the address of the structure for its file
};

static struct liveobj_extent library;

/// Memory that only an object of Swift leads to: its words are references of the object, no roots.
static struct liveobj_address_table owned;
/// Groups that only an object of Swift refers to; those of them that the program can leave by their
/// address; and those whose address was found outside of the heap.
static struct liveobj_address_table owned_groups, open_groups, found_groups;
/// Where `open_groups` are. Complements: this variable is searched for the address of a group too.
static struct liveobj_extent places;

static bool is_in_library(const void *address) {
    return (uintptr_t)address - library.start < library.end - library.start;
}

void liveobj_dispatch_forget(void) {
    liveobj_address_table_end(&owned);
    liveobj_address_table_end(&owned_groups);
    liveobj_address_table_end(&open_groups);
    liveobj_address_table_end(&found_groups);
    places = (struct liveobj_extent){0};
}

void liveobj_dispatch_prepare(void) {
    liveobj_dispatch_forget();
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

static uint32_t name_of_property(const char *name) {
    return liveobj_label_make(LIVEOBJ_LABEL_PROPERTY, LIVEOBJ_OWNERSHIP_CONSERVATIVE, name);
}

/// A property of what has work that runs later: `eventHandler (suspended)`.
static uint32_t name_of_work(const struct queue *queue, const char *property) {
    char name[TEXT_BYTES];
    snprintf(name, sizeof name, "%s%s", property,
             queue->state & IS_NOT_ACTIVATED ? " (not activated)"
             : is_suspended(queue)           ? " (suspended)"
                                             : "");
    return name_of_property(name);
}

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

/// Visits the values of a queue, of which the runtime of Swift makes objects.
static void visit_specifics(const struct specifics *specifics, liveobj_visit_reference_fn visit,
                            void *context) {
    enum { MOST = 1 << 10 };
    uint32_t label = name_of_property("specific value"), left = MOST;
    const struct specific *previous = NULL;
    for (const struct specific *next = specifics->first; next && left > 0; left--) {
        if (next->previous != previous || (!next->next && next != specifics->last))
            return;
        liveobj_address_number(&owned, (uintptr_t)next);
        visit_argument(next->value, label, visit, context);
        previous = next;
        next = next->next;
    }
}

/// Whether nothing runs on the queue, now or later, unless the owner of its one reference has it
/// do so. Work, and objects that target the queue, have references of libdispatch's own.
static bool is_unused(const struct queue *queue) {
    enum { OF_SUSPENDED = 2 };
    return queue->object.owners == 0 &&
           queue->object.references == (is_suspended(queue) ? OF_SUSPENDED : 0);
}

// MARK: - Channels

/// Reads memory at a word that need not be an address.
static bool read_memory(uintptr_t address, void *into, size_t bytes) {
    return liveobj_is_address(address) &&
           liveobj_read_checked(liveobj_metadata_reader(), address, into, bytes);
}

/// Whether it is the queue that is suspended until all channels for a file are closed. Its work
/// calls their cleanup handlers.
static bool is_close_queue(uintptr_t address) {
    static const char label[] = "com.apple.libdispatch-io.closeq";
    struct queue queue;
    char text[sizeof label];
    return address % sizeof address == 0 && read_memory(address, &queue, sizeof queue) &&
           is_in_library(queue.object.kind) && queue_at(address) && is_suspended(&queue) &&
           read_memory((uintptr_t)queue.label, text, sizeof text) &&
           memcmp(text, label, sizeof text) == 0;
}

/// Finds the queue in the structure for the channel's file.
static const struct queue *close_queue_of(const struct channel *channel) {
    enum { WORDS = 24 };
    uintptr_t file[WORDS];
    for (size_t i = 0; i < sizeof channel->words / sizeof *channel->words; i++)
        if (read_memory(channel->words[i], file, sizeof file))
            for (size_t j = 0; j < WORDS; j++)
                if (is_close_queue(file[j]))
                    return (const struct queue *)file[j];
    return NULL;
}

/// \param is_left Whether to visit the handlers of a channel that only its owner can close, or
/// those of all others. An operation has a reference of libdispatch's own.
static void visit_channel(const struct channel *channel, bool is_left, uint32_t label,
                          liveobj_visit_reference_fn visit, void *context) {
    const struct object *object = &channel->object;
    if (!is_dispatch_kind(object, "io") ||
        is_left != (object->owners == 0 && object->references == 0))
        return;
    const struct queue *queue = close_queue_of(channel);
    if (queue)
        visit_list(queue->first, label, visit, context);
}

// MARK: - Groups

static const struct group *group_at(uintptr_t address) {
    const struct group *group = (const void *)address;
    return is_dispatch_kind(&group->object, "group") ? group : NULL;
}

/// Visits what a group's notifications use, once.
static void visit_owned_group(uintptr_t address, const char *label,
                              liveobj_visit_reference_fn visit, void *context) {
    const struct group *group = group_at(address);
    bool is_new =
        group && group->object.owners == 0 && !liveobj_address_find(&owned_groups, address);
    if (is_new && liveobj_address_number(&owned_groups, address))
        visit_list(group->first, name_of_property(label), visit, context);
}

/// Of a group that the program has made: any code with its address can leave it.
static void visit_open_group(uintptr_t address, liveobj_visit_reference_fn visit, void *context) {
    if (!group_at(address) || !liveobj_address_number(&open_groups, address))
        return;
    places.start = places.start > ~address ? places.start : ~address;
    places.end = places.end && places.end < ~address ? places.end : ~address;
    visit_owned_group(address, "notification", visit, context);
}

void liveobj_dispatch_visit_notified(uintptr_t address, size_t bytes,
                                     liveobj_visit_reference_fn visit, void *context) {
    enum { FLAGS = 1, MAGIC = 4, COUNT_MASK = 0xfffe, ONE = 2 };
    static const uint32_t magic = 0xd159b10c; // src/block_internal.h
    const uintptr_t *words = (const uintptr_t *)address;
    if (bytes <= MAGIC * sizeof *words || (uint32_t)words[MAGIC] != magic ||
        (words[FLAGS] & COUNT_MASK) != ONE)
        return;
    for (size_t i = MAGIC + 1; i < bytes / sizeof *words; i++) {
        const struct object *object;
        if (read_memory(words[i], &object, sizeof object) && is_in_library(object))
            visit_owned_group(words[i], "notification", visit, context);
    }
}

struct liveobj_extent liveobj_dispatch_groups(void) {
    bool is_empty = places.end == 0;
    return (struct liveobj_extent){is_empty ? 0 : ~places.start, is_empty ? 0 : ~places.end + 1};
}

void liveobj_dispatch_note_root(uintptr_t word) {
    if (liveobj_address_find(&open_groups, word))
        liveobj_address_number(&found_groups, word);
}

bool liveobj_dispatch_is_owned(uintptr_t memory) {
    return liveobj_address_find(&owned, memory);
}

static bool is_group_left_to_owner(uintptr_t address) {
    return liveobj_address_find(&owned_groups, address) &&
           !liveobj_address_find(&found_groups, address);
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
    const struct group *group = group_at(address);
    if (group && group->first && !is_group_left_to_owner(address))
        visit_list(group->first, name_of_holder("dispatch group, not left"), visit, context);
    visit_channel((const void *)address, false, name_of_holder("dispatch channel, not closed"),
                  visit, context);
}

void liveobj_dispatch_visit_owned(uintptr_t address, liveobj_visit_reference_fn visit,
                                  void *context) {
    static const char *const names[HANDLERS] = {"eventHandler", "cancelHandler",
                                                "registrationHandler"};
    const struct queue *queue = queue_at(address), *source = source_at(address);
    if (queue && is_left_to_owner(queue, true))
        visit_list(queue->first, name_of_work(queue, "work"), visit, context);
    if (queue && queue->specifics && is_unused(queue))
        visit_specifics(queue->specifics, visit, context);
    visit_open_group(address, visit, context);
    visit_channel((const void *)address, true, name_of_property("cleanupHandler"), visit, context);
    if (source && is_left_to_owner(source, !has_no_event(source)))
        for (size_t i = 0; i < HANDLERS; i++)
            visit_work(source->events->handlers[i], name_of_work(source, names[i]), visit, context);
}

LIVEOBJ_ANY_MEMORY_END

#endif
