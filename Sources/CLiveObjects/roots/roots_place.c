// roots_place.c - finds the stacks in the memory that roots.c has listed, and divides it by them.
// In the snapshot process, where the memory is what it was when the threads stood still. Owns the
// list of stacks.

#if defined(__linux__)

#include "os/step.h"
#include "roots/roots.h"

/// A thread's stack, from the lowest address that is in use.
struct stack {
    uintptr_t from;
    uint32_t thread;
    bool is_idle;
};

struct placing {
    struct liveobj_roots *roots;
    struct stack *stacks;
    uint32_t stack_count;
};

// MARK: - Stacks

/// The thread and the code of the libraries, in one step.
struct question {
    const struct liveobj_waiting_code *code;
    struct liveobj_stopped_thread *thread;
};

static void find_whether_it_waits(void *context) {
    const struct question *question = context;
    question->thread->waits_for_work =
        liveobj_thread_waits_for_work(question->code, question->thread);
}

/// Aligns the pointer, so that every stack in a mapping has at least one word of it.
static void add_stack(struct placing *placing, uintptr_t from, uint32_t thread, bool is_idle) {
    placing->stacks[placing->stack_count++] =
        (struct stack){from & ~(sizeof(uintptr_t) - 1), thread, is_idle};
}

static void add_stacks_of_others(struct placing *placing) {
    enum { RED_ZONE = 128 }; // memory that a function may use below its stack pointer
    struct liveobj_stopped_threads *threads = &placing->roots->threads;
    for (uint32_t i = 0; i < threads->count; i++) {
        struct liveobj_stopped_thread *thread = &threads->items[i];
        struct question question = {&placing->roots->waiting_code, thread};
        liveobj_snapshot_step(find_whether_it_waits, &question);
        uintptr_t pointer = liveobj_thread_stack_pointer(thread);
        if (pointer && thread->state != LIVEOBJ_THREAD_ENDED)
            add_stack(placing, pointer - RED_ZONE, thread->id, thread->waits_for_work);
    }
}

bool liveobj_roots_miss_stacks(const struct liveobj_roots *roots) {
    const struct liveobj_stopped_threads *threads = &roots->threads;
    for (uint32_t i = 0; i < threads->count; i++)
        if (threads->items[i].state != LIVEOBJ_THREAD_ENDED &&
            liveobj_thread_stack_pointer(&threads->items[i]) == 0)
            return true;
    return !threads->has_caller || threads->count == threads->capacity;
}

// MARK: - Memory

/// Adds memory of C code, or extends the range that it continues: the system lists memory in parts
/// if these have different properties, like huge pages, and a heap must be read as a whole. What
/// ends at a stack stays a range of its own, because stale words at its end are left out.
static void add_c_memory(struct liveobj_roots *roots, struct liveobj_memory_range range) {
    struct liveobj_memory_range *last = roots->count ? &roots->ranges[roots->count - 1] : NULL;
    if (last && last->kind == LIVEOBJ_ROOT_C_MEMORY && last->end == range.start &&
        !last->ends_at_stack && !range.ends_at_stack && last->is_file == range.is_file &&
        last->is_shared == range.is_shared && last->is_inaccessible == range.is_inaccessible)
        last->end = range.end;
    else
        liveobj_roots_add(roots, range);
}

/// Adds the parts of memory of C code that were not added with another kind and are not the
/// recorder's own.
static void add_rest(struct liveobj_roots *roots, struct liveobj_memory_range rest) {
    while (rest.start < rest.end) {
        uintptr_t until = rest.end, after = rest.end;
        for (uint32_t i = 0; i < roots->taken_count; i++) {
            struct liveobj_extent taken = roots->taken[i];
            if (taken.end > rest.start && taken.start < until) {
                until = taken.start > rest.start ? taken.start : rest.start;
                after = taken.end;
            }
        }
        struct liveobj_memory_range part = rest;
        part.end = until;
        part.ends_at_stack = rest.ends_at_stack && until == rest.end;
        add_c_memory(roots, part);
        rest.start = after;
    }
}

/// The stack with the lowest address in use, among those at or above `from`.
static const struct stack *next_stack(const struct placing *placing,
                                      struct liveobj_memory_range mapping, uintptr_t from) {
    const struct stack *next = NULL;
    for (uint32_t i = 0; i < placing->stack_count; i++) {
        const struct stack *stack = &placing->stacks[i];
        if (stack->from >= from && stack->from < mapping.end && (!next || stack->from < next->from))
            next = stack;
    }
    return next;
}

/// Adds a mapping, with the stacks in it: since glibc 2.42 the system may unite stacks with each
/// other and with other memory, because their guard pages are not mappings any more.
static void add_mapping_with_stacks(struct placing *placing, struct liveobj_memory_range mapping) {
    struct liveobj_roots *roots = placing->roots;
    const struct stack *stack =
        mapping.is_file ? NULL : next_stack(placing, mapping, mapping.start);
    struct liveobj_memory_range rest = mapping;
    roots->resident.stacks += stack ? mapping.resident_bytes : 0;
    rest.end = stack ? stack->from : mapping.end;
    rest.ends_at_stack = stack;
    add_rest(roots, rest);
    while (stack) {
        const struct stack *next = next_stack(placing, mapping, stack->from + 1);
        liveobj_roots_add(roots,
                          (struct liveobj_memory_range){.start = stack->from,
                                                        .end = next ? next->from : mapping.end,
                                                        .kind = LIVEOBJ_ROOT_STACK,
                                                        .thread = stack->thread,
                                                        .ends_at_stack = next != NULL,
                                                        .is_idle = stack->is_idle});
        stack = next;
    }
}

bool liveobj_roots_place_stacks(struct liveobj_roots *roots) {
    size_t bytes = (roots->threads.count + 1) * sizeof(struct stack);
    struct placing placing = {.roots = roots, .stacks = liveobj_os_map(bytes)};
    if (!placing.stacks)
        return false;
    add_stack(&placing, roots->entry->stack_pointer, roots->own_thread, false);
    add_stacks_of_others(&placing);
    for (uint32_t i = 0; i < roots->mapping_count; i++)
        add_mapping_with_stacks(&placing, roots->mappings[i]);
    liveobj_os_unmap(placing.stacks, bytes);
    return !roots->failed;
}

#endif
