// run_loops.c - what CoreFoundation's run loops will call; see references.h.
//
// CoreFoundation's objects have the class `Foundation.__NSCFType`, and a number for their kind in
// the third word (CFRuntime.c). The structures are those of CFRunLoop.c.
//
// Owns what identifies the main thread.

#if defined(__linux__)

#include "arch/thread_block.h"
#include "heap/references.h"
#include "metadata/labels.h"
#include "os/compiler.h"
#include "runtime/runtime.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

LIVEOBJ_ANY_MEMORY_BEGIN

struct object {
    uintptr_t class;
    uint64_t counts;
    uint64_t info;
};

struct block_item {
    const struct block_item *next;
    uintptr_t mode;
    uintptr_t block;
};

struct run_loop {
    struct object object;
    pthread_mutex_t lock;
    int wake_up;
    uintptr_t run;
    uintptr_t thread;
    uint32_t other_thread;
    uintptr_t modes[4];
    const struct block_item *first;
};

struct timer {
    struct object object;
    uint16_t bits;
    pthread_mutex_t lock;
    const struct run_loop *run_loop;
    uintptr_t modes;
    double times[3];
    uint64_t ticks;
    intptr_t order;
    uintptr_t callout;
    intptr_t version;
    uintptr_t argument;
};

struct source {
    struct object object;
    pthread_mutex_t lock;
    intptr_t order;
    uint64_t signalled;
    uintptr_t run_loops;
    intptr_t version;
    uintptr_t argument;
};

static intptr_t id_in_thread; // from its `pthread_t`; 0 if unknown
static int32_t main_thread;

static bool is_valid(const struct object *object) {
    enum { VALID = 8 };
    return object->info & VALID;
}

bool liveobj_core_may_begin_with(uintptr_t word) {
    return word && word == (uintptr_t)liveobj_runtime_current()->$s10Foundation10__NSCFTypeCN;
}

static bool is_run_loop_kind(const struct object *object, const char *name) {
    enum { KIND_SHIFT = 8, KIND_MASK = 0x3ff };
    const char *const *(*class_of)(uintptr_t kind) =
        (const char *const *(*)(uintptr_t))liveobj_runtime_current()->_CFRuntimeGetClassWithTypeID;
    const char *const *class = class_of ? class_of(object->info >> KIND_SHIFT & KIND_MASK) : NULL;
    return class && class[1] && strcmp(class[1], name) == 0;
}

/// In the program: the snapshot process has another id.
void liveobj_core_prepare(void) {
    id_in_thread = liveobj_thread_id_offset(liveobj_os_thread_id());
    main_thread = getpid();
}

static bool is_of_main_thread(const struct run_loop *run_loop) {
    return id_in_thread &&
           *(const int32_t *)(run_loop->thread + (uintptr_t)id_in_thread) == main_thread;
}

static uint32_t label_for(const struct run_loop *run_loop, const char *main, const char *other) {
    return liveobj_label_make(LIVEOBJ_LABEL_HANDLER, LIVEOBJ_OWNERSHIP_STRONG,
                              is_of_main_thread(run_loop) ? main : other);
}

static void visit_timer(const struct timer *timer, liveobj_visit_reference_fn visit,
                        void *context) {
    if (!is_valid(&timer->object) || !timer->run_loop)
        return;
    uint32_t label =
        label_for(timer->run_loop, "timer on the main run loop", "timer on a run loop");
    visit(context, &(struct liveobj_reference){timer->argument, label, LIVEOBJ_NO_ELEMENT, 0, 0});
}

/// The argument of a source of version 1 is in the same place.
static void visit_source(const struct source *source, liveobj_visit_reference_fn visit,
                         void *context) {
    if (!is_valid(&source->object) || !source->run_loops)
        return;
    uint32_t label =
        liveobj_label_make(LIVEOBJ_LABEL_HANDLER, LIVEOBJ_OWNERSHIP_STRONG, "source on a run loop");
    visit(context, &(struct liveobj_reference){source->argument, label, LIVEOBJ_NO_ELEMENT, 0, 0});
}

static void visit_run_loop(const struct run_loop *run_loop, liveobj_visit_reference_fn visit,
                           void *context) {
    enum { MOST_BLOCKS = 1 << 16 };
    const struct block_item *item = run_loop->first;
    uint32_t label = label_for(run_loop, "block on the main run loop", "block on a run loop");
    for (uint32_t i = 0; item && i < MOST_BLOCKS; i++, item = item->next)
        liveobj_block_visit(item->block, label, visit, context);
}

void liveobj_core_visit_pending(uintptr_t address, liveobj_visit_reference_fn visit,
                                void *context) {
    const struct object *object = (const void *)address;
    if (is_run_loop_kind(object, "CFRunLoopTimer"))
        visit_timer((const void *)object, visit, context);
    else if (is_run_loop_kind(object, "CFRunLoopSource"))
        visit_source((const void *)object, visit, context);
    else if (is_run_loop_kind(object, "CFRunLoop"))
        visit_run_loop((const void *)object, visit, context);
}

LIVEOBJ_ANY_MEMORY_END

#endif
