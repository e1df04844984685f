// roots.c - finds the memory outside of the heap that may hold references.
//
// Owns the list of ranges. Runs in the program, on any thread. Reads the lists that the kernel
// provides, and no memory of other threads.

#if defined(__linux__)

#define _GNU_SOURCE
#include "roots/roots.h"
#include "arch/address.h"
#include "metadata/metadata.h"
#include "os/kernel_words.h"
#include "os/os.h"
#include "roots/mappings.h"
#include "runtime/image.h"

#include <elf.h>
#include <link.h>
#include <sys/auxv.h>

/// The lowest address of a thread's stack that is in use.
struct stack {
    uintptr_t from;
    uint32_t thread;
};

/// The state of the search for ranges.
struct finding {
    struct liveobj_roots *roots;
    struct stack *stacks;
    uint32_t stack_count;
    uint32_t stack_capacity;
    struct liveobj_extent *taken; // added with another kind, or the recorder's own
    uint32_t taken_count;
    uint32_t taken_capacity;
    uintptr_t *page; // a copy of the program's words: the recorder's own, and so no root
    size_t copied_bytes;
    bool failed;
};

// MARK: - Lists

static void add_range(struct finding *finding, struct liveobj_memory_range range) {
    struct liveobj_roots *roots = finding->roots;
    range.start = liveobj_round_up(range.start, sizeof(uintptr_t));
    range.end &= ~(sizeof(uintptr_t) - 1);
    if (range.start >= range.end)
        return;
    if (liveobj_os_make_room((void **)&roots->ranges, roots->count, &roots->capacity, sizeof range))
        roots->ranges[roots->count++] = range;
    else
        finding->failed = true;
}

static void take(void *context, uintptr_t start, uintptr_t end) {
    struct finding *finding = context;
    if (liveobj_os_make_room((void **)&finding->taken, finding->taken_count,
                             &finding->taken_capacity, sizeof *finding->taken))
        finding->taken[finding->taken_count++] = (struct liveobj_extent){start, end};
    else
        finding->failed = true;
}

// MARK: - Images

/// Adds an image's variables. The rest of their pages is unused.
static void add_variables(void *context, struct liveobj_extent extent) {
    add_range(context, (struct liveobj_memory_range){
                           .start = extent.start, .end = extent.end, .kind = LIVEOBJ_ROOT_GLOBAL});
    size_t page = liveobj_os_page_bytes();
    take(context, extent.start & ~(page - 1), liveobj_round_up(extent.end, page));
}

/// Adds an image's thread variables if they lie next to a thread's control block, which they do in
/// the order of the images. Those of a library that was loaded later may be in memory of their own.
static void add_thread_variables(struct liveobj_roots *roots, const struct liveobj_image *image,
                                 const ElfW(Phdr) * header) {
    enum { HEAD_BYTES = 16 }; // of the control block, above the thread pointer
    uintptr_t place = image->thread_locals, pointer = (uintptr_t)__builtin_thread_pointer();
    uintptr_t distance = place > pointer ? place - pointer : pointer - place;
    size_t bytes = roots->thread_local_bytes + header->p_memsz + header->p_align;
    if (distance <= bytes + HEAD_BYTES)
        roots->thread_local_bytes = bytes;
}

static bool add_globals(void *context, const struct liveobj_image *image) {
    struct finding *finding = context;
    const ElfW(Phdr) *headers = image->headers;
    liveobj_continuation_caches_take(&finding->roots->caches, image);
    liveobj_image_visit_variables(image, add_variables, finding);
    for (size_t i = 0; i < image->header_count; i++)
        if (headers[i].p_type == PT_TLS)
            add_thread_variables(finding->roots, image, &headers[i]);
    return finding->failed;
}

// MARK: - Threads

/// Aligns the pointer, so that every stack in a mapping has at least one word of it.
static void add_stack(struct finding *finding, struct stack stack) {
    stack.from &= ~(sizeof(uintptr_t) - 1);
    if (liveobj_os_make_room((void **)&finding->stacks, finding->stack_count,
                             &finding->stack_capacity, sizeof stack))
        finding->stacks[finding->stack_count++] = stack;
    else
        finding->failed = true;
}

static void add_thread(void *context, uint32_t thread) {
    enum { RED_ZONE = 128 }; // memory that a function may use below its stack pointer
    struct finding *finding = context;
    bool is_own = thread == finding->roots->own_thread;
    uintptr_t pointer = is_own
                            ? finding->roots->entry->stack_pointer
                            : liveobj_idle_threads_add(&finding->roots->idle, thread).stack_pointer;
    liveobj_continuation_caches_add(&finding->roots->caches, thread);
    finding->roots->threads++;
    finding->roots->misses_stacks |= pointer == 0;
    if (pointer)
        add_stack(finding, (struct stack){pointer - (is_own ? 0 : RED_ZONE), thread});
}

// MARK: - Words that the snapshot process does not have

static void add_word(void *context, uintptr_t word) {
    struct finding *finding = context;
    struct liveobj_roots *roots = finding->roots;
    if (!liveobj_is_address(word & LIVEOBJ_WORD_ADDRESS))
        return;
    if (liveobj_os_make_room((void **)&roots->words, roots->word_count, &roots->word_capacity,
                             sizeof word))
        roots->words[roots->word_count++] = word;
    else
        finding->failed = true;
}

/// Copies the words of pages that a fork leaves out or clears: of BoringSSL for example, which
/// recognises a fork by them, and for hardware that writes to memory.
static void copy_words(void *context, struct liveobj_extent pages) {
    enum { MOST_BYTES = 4 << 20, BYTES = LIVEOBJ_PAGE_BYTES };
    struct finding *finding = context;
    for (uintptr_t page = pages.start; page < pages.end; page += BYTES) {
        bool is_read = finding->page && finding->copied_bytes < MOST_BYTES &&
                       liveobj_read_block(liveobj_metadata_reader(), page, finding->page, BYTES);
        finding->roots->unread |= is_read ? 0 : LIVEOBJ_UNREAD_FORK;
        finding->copied_bytes += BYTES;
        for (size_t i = 0; is_read && i < BYTES / sizeof *finding->page; i++)
            add_word(finding, finding->page[i]);
    }
}

// MARK: - Mappings

/// Adds memory of C code, or extends the range that it continues: the system lists memory in parts
/// if these have different properties, like huge pages, and a heap must be read as a whole. What
/// ends at a stack stays a range of its own, because stale words at its end are left out.
static void add_c_memory(struct finding *finding, struct liveobj_memory_range range) {
    struct liveobj_roots *roots = finding->roots;
    struct liveobj_memory_range *last = roots->count ? &roots->ranges[roots->count - 1] : NULL;
    if (last && last->kind == LIVEOBJ_ROOT_C_MEMORY && last->end == range.start &&
        !last->ends_at_stack && !range.ends_at_stack && last->is_file == range.is_file &&
        last->is_inaccessible == range.is_inaccessible)
        last->end = range.end;
    else
        add_range(finding, range);
}

/// Adds the parts of memory of C code that were not added with another kind and are not the
/// recorder's own.
static void add_rest(struct finding *finding, struct liveobj_memory_range rest) {
    while (rest.start < rest.end) {
        uintptr_t until = rest.end, after = rest.end;
        for (uint32_t i = 0; i < finding->taken_count; i++) {
            struct liveobj_extent taken = finding->taken[i];
            if (taken.end > rest.start && taken.start < until) {
                until = taken.start > rest.start ? taken.start : rest.start;
                after = taken.end;
            }
        }
        struct liveobj_memory_range part = rest;
        part.end = until;
        part.ends_at_stack = rest.ends_at_stack && until == rest.end;
        add_c_memory(finding, part);
        rest.start = after;
    }
}

/// The stack with the lowest address in use, among those at or above `from`.
static const struct stack *next_stack(const struct finding *finding, struct liveobj_extent mapping,
                                      uintptr_t from) {
    const struct stack *next = NULL;
    for (uint32_t i = 0; i < finding->stack_count; i++) {
        const struct stack *stack = &finding->stacks[i];
        if (stack->from >= from && stack->from < mapping.end && (!next || stack->from < next->from))
            next = stack;
    }
    return next;
}

/// Adds the stacks in a mapping, and what else is in it: since glibc 2.42 the system may unite
/// stacks with each other and with other memory, because their guard pages are not mappings any
/// more. \returns false if no thread's stack lies in the mapping.
static bool add_stacks(struct finding *finding, struct liveobj_extent mapping) {
    const struct stack *stack = next_stack(finding, mapping, mapping.start);
    bool is_stack = stack != NULL;
    if (is_stack)
        add_rest(finding, (struct liveobj_memory_range){.start = mapping.start,
                                                        .end = stack->from,
                                                        .kind = LIVEOBJ_ROOT_C_MEMORY,
                                                        .ends_at_stack = true});
    while (stack) {
        const struct stack *next = next_stack(finding, mapping, stack->from + 1);
        uintptr_t end = next ? next->from : mapping.end;
        add_range(finding, (struct liveobj_memory_range){.start = stack->from,
                                                         .end = end,
                                                         .kind = LIVEOBJ_ROOT_STACK,
                                                         .thread = stack->thread,
                                                         .ends_at_stack = next != NULL});
        stack = next;
    }
    return is_stack;
}

static bool add_mapping(void *context, const struct liveobj_mapping *mapping) {
    struct finding *finding = context;
    bool is_file = mapping->kind == LIVEOBJ_MAPPING_FILE;
    struct liveobj_memory_range range = {.start = mapping->extent.start,
                                         .end = mapping->extent.end,
                                         .kind = LIVEOBJ_ROOT_C_MEMORY,
                                         .is_file = is_file,
                                         .is_inaccessible = mapping->is_inaccessible};
    if (!is_file && add_stacks(finding, mapping->extent))
        return !finding->failed;
    if (!mapping->is_not_forked)
        add_rest(finding, range);
    else if (!liveobj_os_visit_pages(mapping->extent, is_file, copy_words, finding))
        finding->roots->unread |= LIVEOBJ_UNREAD_FORK;
    return !finding->failed;
}

static const char *failure_of(const struct finding *finding, bool has_mappings) {
    if (finding->failed)
        return "references were not read: there was not enough memory for the list of places where "
               "they may be";
    if (!has_mappings)
        return "references were not read: the system did not list the process's memory; is /proc "
               "mounted, and are there file descriptors left?";
    if (finding->roots->threads == 0) // not even the calling one
        return "references were not read: the system did not list the process's threads; is /proc "
               "mounted, and are there file descriptors left?";
    return NULL;
}

const char *liveobj_roots_find(struct liveobj_roots *roots,
                               const struct liveobj_caller_context *entry) {
    struct finding finding = {.roots = roots, .page = liveobj_os_map(LIVEOBJ_PAGE_BYTES)};
    *roots = (struct liveobj_roots){
        .entry = entry, .own_thread = liveobj_os_thread_id(), .first_stack = getauxval(AT_RANDOM)};
    // First, because it takes the longest: other threads' stacks should change little until the
    // snapshot.
    if (!liveobj_kernel_words_visit(add_word, &finding))
        roots->unread |= LIVEOBJ_UNREAD_KERNEL;
    liveobj_images_visit(add_globals, &finding);
    liveobj_os_visit_threads(add_thread, &finding);
    liveobj_os_visit_mappings(take, &finding);
    bool has_mappings = liveobj_mappings_visit(add_mapping, &finding, &roots->unread);
    liveobj_os_unmap(finding.page, LIVEOBJ_PAGE_BYTES);
    liveobj_os_unmap(finding.stacks, finding.stack_capacity * sizeof *finding.stacks);
    liveobj_os_unmap(finding.taken, finding.taken_capacity * sizeof *finding.taken);
    return failure_of(&finding, has_mappings);
}

void liveobj_roots_end(struct liveobj_roots *roots) {
    liveobj_os_unmap(roots->ranges, roots->capacity * sizeof *roots->ranges);
    liveobj_os_unmap(roots->words, roots->word_capacity * sizeof *roots->words);
    *roots = (struct liveobj_roots){0};
}

#endif
