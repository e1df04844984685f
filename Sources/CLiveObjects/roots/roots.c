// roots.c - finds the memory outside of the heap that may hold references.
//
// Owns the list of ranges. Runs in the program, on any thread. Reads the lists that the kernel
// provides, and no memory of other threads.

#if defined(__linux__)

#define _GNU_SOURCE
#include "roots/roots.h"
#include "os/kernel_words.h"
#include "os/os.h"
#include "runtime/image.h"

#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>

// MARK: - Lists

void liveobj_roots_add(struct liveobj_roots *roots, struct liveobj_memory_range range) {
    range.start = liveobj_round_up(range.start, sizeof(uintptr_t));
    range.end &= ~(sizeof(uintptr_t) - 1);
    if (range.start >= range.end)
        return;
    if (liveobj_os_make_room((void **)&roots->ranges, roots->count, &roots->capacity, sizeof range))
        roots->ranges[roots->count++] = range;
    else
        roots->failed = true;
}

static void add_extent(struct liveobj_roots *roots, struct liveobj_extents *list,
                       struct liveobj_extent extent) {
    if (liveobj_os_make_room((void **)&list->items, list->count, &list->capacity, sizeof extent))
        list->items[list->count++] = extent;
    else
        roots->failed = true;
}

static void take(void *context, uintptr_t start, uintptr_t end) {
    struct liveobj_roots *roots = context;
    add_extent(roots, &roots->taken, (struct liveobj_extent){start, end});
}

// MARK: - Images

/// Adds an image's variables. The rest of their pages is unused.
static void add_variables(void *context, struct liveobj_extent extent) {
    liveobj_roots_add(context, (struct liveobj_memory_range){.start = extent.start,
                                                             .end = extent.end,
                                                             .kind = LIVEOBJ_ROOT_GLOBAL});
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
    struct liveobj_roots *roots = context;
    const ElfW(Phdr) *headers = image->headers;
    liveobj_continuation_caches_take(&roots->caches, image);
    liveobj_waiting_code_take(&roots->waiting_code, image);
    liveobj_image_visit_variables(image, add_variables, roots);
    for (size_t i = 0; i < image->header_count; i++)
        if (headers[i].p_type == PT_TLS)
            add_thread_variables(roots, image, &headers[i]);
    return roots->failed;
}

static void add_thread(void *context, uint32_t thread) {
    struct liveobj_roots *roots = context;
    liveobj_continuation_caches_add(&roots->caches, thread);
}

// MARK: - The kernel

static void add_kernel_word(void *context, uintptr_t word) {
    struct liveobj_roots *roots = context;
    if (liveobj_os_make_room((void **)&roots->kernel_words, roots->kernel_word_count,
                             &roots->kernel_word_capacity, sizeof word))
        roots->kernel_words[roots->kernel_word_count++] = word;
    else
        roots->failed = true;
}

// MARK: - Mappings

/// Whether references may be read from a mapping, given as ` rw-p offset device inode name`. Only
/// from memory, shared or not: reading a device's memory may have side effects. Also from memory
/// that the program has made read-only after it wrote to it.
static bool is_memory(const char *line) {
    static const char *const names[] = {"[heap]",    "[stack",         "[anon", // anon_shmem too
                                        "/dev/zero", "/anon_hugepage", "/dev/shm/",
                                        "/memfd:",   "/SYSV"};
    const char *name = strpbrk(line, "/[");
    if (line[1] != 'r' || !name)
        return line[1] == 'r' && line[4] == 'p';
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(name, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

/// Adds a mapping, given as a line of /proc/self/maps.
static bool add_mapping(void *context, const char *line) {
    struct liveobj_roots *roots = context;
    struct liveobj_extent mapping;
    mapping.start = liveobj_os_take_hexadecimal(&line);
    line++;
    mapping.end = liveobj_os_take_hexadecimal(&line);
    if (is_memory(line))
        add_extent(roots, &roots->mappings, mapping);
    return !roots->failed;
}

static const char *failure_of(const struct liveobj_roots *roots, bool has_threads,
                              bool has_mappings) {
    if (roots->failed)
        return "references were not read: there was not enough memory for the list of places where "
               "they may be";
    if (!has_mappings)
        return "references were not read: the system did not list the process's memory; is /proc "
               "mounted, and are there file descriptors left?";
    if (!has_threads) // not even the calling one
        return "references were not read: the system did not list the process's threads; is /proc "
               "mounted, and are there file descriptors left?";
    return NULL;
}

const char *liveobj_roots_find(struct liveobj_roots *roots,
                               const struct liveobj_caller_context *entry) {
    *roots = (struct liveobj_roots){
        .entry = entry, .own_thread = liveobj_os_thread_id(), .first_stack = getauxval(AT_RANDOM)};
    roots->misses_kernel_words = !liveobj_kernel_words_visit(add_kernel_word, roots);
    liveobj_images_visit(add_globals, roots);
    liveobj_os_visit_threads(add_thread, roots);
    bool has_threads = liveobj_threads_prepare(&roots->threads);
    liveobj_os_visit_mappings(take, roots);
    bool has_mappings = liveobj_os_visit_lines("/proc/thread-self/maps", add_mapping, roots);
    return failure_of(roots, has_threads, has_mappings);
}

void liveobj_roots_end(struct liveobj_roots *roots) {
    liveobj_os_unmap(roots->ranges, roots->capacity * sizeof *roots->ranges);
    liveobj_os_unmap(roots->kernel_words,
                     roots->kernel_word_capacity * sizeof *roots->kernel_words);
    liveobj_os_unmap(roots->mappings.items,
                     roots->mappings.capacity * sizeof *roots->mappings.items);
    liveobj_os_unmap(roots->taken.items, roots->taken.capacity * sizeof *roots->taken.items);
    liveobj_threads_end(&roots->threads);
    *roots = (struct liveobj_roots){0};
}

#endif
