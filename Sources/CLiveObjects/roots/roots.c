// roots.c - finds the memory outside of the heap that may hold references.
//
// Owns the list of ranges. Runs in the program, on any thread. Reads the lists that the kernel
// provides, and no memory of other threads.

#if defined(__linux__)

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

static void add_taken_range(void *context, uintptr_t start, uintptr_t end) {
    struct liveobj_roots *roots = context;
    if (liveobj_os_make_room((void **)&roots->taken, roots->taken_count, &roots->taken_capacity,
                             sizeof *roots->taken))
        roots->taken[roots->taken_count++] = (struct liveobj_extent){start, end};
    else
        roots->failed = true;
}

// MARK: - Images

/// The variables of one image.
struct variables {
    struct liveobj_roots *roots;
    bool is_of_libc;
};

/// Adds an image's variables. Pages that were never written to are as the file has them.
static void add_variables(void *context, struct liveobj_extent extent) {
    const struct variables *variables = context;
    liveobj_roots_add(variables->roots,
                      (struct liveobj_memory_range){.start = extent.start,
                                                    .end = extent.end,
                                                    .kind = LIVEOBJ_ROOT_GLOBAL,
                                                    .is_file = true,
                                                    .is_of_libc = variables->is_of_libc});
}

/// Takes the pages of an image's variables, and of the constants that the loader has relocated. The
/// rest of these pages is unused.
static void take_pages(struct liveobj_roots *roots, const struct liveobj_image *image) {
    size_t page = liveobj_os_page_bytes();
    const ElfW(Phdr) *headers = image->headers;
    for (size_t i = 0; i < image->header_count; i++) {
        uintptr_t start = image->bias + headers[i].p_vaddr;
        if (headers[i].p_type == PT_LOAD && headers[i].p_flags & PF_W)
            add_taken_range(roots, start & ~(page - 1),
                            liveobj_round_up(start + headers[i].p_memsz, page));
    }
}

/// Adds an image's thread variables if they lie next to a thread's control block, which they do in
/// the order of the images. Those of a library that was loaded later may be in memory of their own.
static void add_thread_variables(struct liveobj_roots *roots, const struct liveobj_image *image,
                                 const ElfW(Phdr) * header) {
    enum { HEAD_BYTES = 16 }; // of the control block, above the thread pointer
    uintptr_t thread_locals = image->thread_locals, pointer = (uintptr_t)__builtin_thread_pointer();
    uintptr_t distance =
        thread_locals > pointer ? thread_locals - pointer : pointer - thread_locals;
    size_t bytes = roots->thread_local_bytes + header->p_memsz + header->p_align;
    if (distance <= bytes + HEAD_BYTES)
        roots->thread_local_bytes = bytes;
}

static bool add_globals(void *context, const struct liveobj_image *image) {
    struct liveobj_roots *roots = context;
    const ElfW(Phdr) *headers = image->headers;
    liveobj_continuation_caches_take(&roots->caches, image);
    liveobj_waiting_code_take(&roots->waiting_code, image);
    struct variables variables = {roots, liveobj_image_is_named(image, "libc.so") ||
                                             liveobj_image_is_named(image, "libc-")};
    take_pages(roots, image);
    // The recorder's variables have copies of the program's words.
    if (!liveobj_image_is_named(image, "libLiveObjectsPreload.so"))
        liveobj_image_visit_variables(image, add_variables, &variables);
    for (size_t i = 0; i < image->header_count; i++)
        if (headers[i].p_type == PT_TLS)
            add_thread_variables(roots, image, &headers[i]);
    return roots->failed;
}

static void add_thread(void *context, uint32_t thread) {
    struct liveobj_roots *roots = context;
    liveobj_continuation_caches_add(&roots->caches, thread);
}

// MARK: - Words that the snapshot process does not have

static void add_kernel_word(void *context, uintptr_t word) {
    struct liveobj_roots *roots = context;
    if (!liveobj_is_address(word & LIVEOBJ_WORD_ADDRESS))
        return;
    if (liveobj_os_make_room((void **)&roots->words, roots->word_count, &roots->word_capacity,
                             sizeof word))
        roots->words[roots->word_count++] = word;
    else
        roots->failed = true;
}

/// A copy of the program's words: the recorder's own memory, and so no root.
struct copying {
    struct liveobj_roots *roots;
    uintptr_t *page;
    size_t bytes;
};

/// Copies the words of pages that a fork leaves out or clears: of BoringSSL for example, which
/// recognises a fork by them, and for hardware that writes to memory.
static void copy_words(void *context, struct liveobj_extent pages) {
    enum { MOST_BYTES = 4 << 20, BYTES = LIVEOBJ_PAGE_BYTES };
    struct copying *copying = context;
    for (uintptr_t page = pages.start; page < pages.end; page += BYTES) {
        bool is_read = copying->page && copying->bytes < MOST_BYTES &&
                       liveobj_read_block(liveobj_metadata_reader(), page, copying->page, BYTES);
        copying->roots->unread |= is_read ? 0 : LIVEOBJ_UNREAD_FORK;
        copying->bytes += BYTES;
        for (size_t i = 0; is_read && i < BYTES / sizeof *copying->page; i++)
            add_kernel_word(copying->roots, copying->page[i]);
    }
}

// MARK: - Mappings

static void add_memory(struct liveobj_roots *roots, struct liveobj_memory_range range) {
    if (liveobj_os_make_room((void **)&roots->mappings, roots->mapping_count,
                             &roots->mapping_capacity, sizeof range))
        roots->mappings[roots->mapping_count++] = range;
    else
        roots->failed = true;
}

/// The index in `taken` of the extent with an address, which is memory of the recorder's or an
/// image's variables; `taken_count` if there is none.
static uint32_t find_taken(const struct liveobj_roots *roots, uintptr_t address) {
    for (uint32_t i = 0; i < roots->taken_count; i++)
        if (address >= roots->taken[i].start && address < roots->taken[i].end)
            return i;
    return roots->taken_count;
}

static bool is_taken(const struct liveobj_roots *roots, uintptr_t address) {
    return find_taken(roots, address) < roots->taken_count;
}

static void count_resident(struct liveobj_roots *roots, const struct liveobj_mapping *mapping) {
    uint32_t taken = find_taken(roots, mapping->extent.start);
    roots->resident.all += mapping->resident_bytes;
    if (mapping->is_file || taken < roots->image_count)
        roots->resident.files += mapping->resident_bytes;
    else if (taken < roots->taken_count)
        roots->resident.recorder += mapping->resident_bytes;
    else if (mapping->is_shared)
        roots->resident.shared += mapping->resident_bytes;
}

static bool add_mapping(void *context, const struct liveobj_mapping *mapping) {
    struct copying *copying = context;
    bool is_file = mapping->kind == LIVEOBJ_MAPPING_FILE;
    count_resident(copying->roots, mapping);
    if (mapping->kind == LIVEOBJ_MAPPING_EMPTY)
        return true;
    if (!mapping->is_not_forked)
        add_memory(copying->roots,
                   (struct liveobj_memory_range){.start = mapping->extent.start,
                                                 .end = mapping->extent.end,
                                                 .kind = LIVEOBJ_ROOT_C_MEMORY,
                                                 .is_file = is_file,
                                                 .is_shared = mapping->is_shared,
                                                 .is_inaccessible = mapping->is_inaccessible,
                                                 .resident_bytes = mapping->resident_bytes});
    else if (!is_taken(copying->roots,
                       mapping->extent.start) && // stack traces, more than is copied
             liveobj_os_visit_pages(mapping->extent, is_file, copy_words, copying) ==
                 LIVEOBJ_PAGES_UNKNOWN)
        copying->roots->unread |= LIVEOBJ_UNREAD_FORK;
    return !copying->roots->failed;
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
    struct copying copying = {.roots = roots, .page = liveobj_os_map(LIVEOBJ_PAGE_BYTES)};
    if (!liveobj_kernel_words_visit(add_kernel_word, roots))
        roots->unread |= LIVEOBJ_UNREAD_KERNEL;
    liveobj_images_visit(add_globals, roots);
    liveobj_os_visit_threads(add_thread, roots);
    bool has_threads = liveobj_threads_prepare(&roots->threads);
    roots->image_count = roots->taken_count;
    liveobj_os_visit_mappings(add_taken_range, roots);
    bool has_mappings = liveobj_mappings_visit(add_mapping, &copying, &roots->unread);
    liveobj_os_unmap(copying.page, LIVEOBJ_PAGE_BYTES);
    return failure_of(roots, has_threads, has_mappings);
}

void liveobj_roots_end(struct liveobj_roots *roots) {
    liveobj_os_unmap(roots->ranges, roots->capacity * sizeof *roots->ranges);
    liveobj_os_unmap(roots->words, roots->word_capacity * sizeof *roots->words);
    liveobj_os_unmap(roots->mappings, roots->mapping_capacity * sizeof *roots->mappings);
    liveobj_os_unmap(roots->taken, roots->taken_capacity * sizeof *roots->taken);
    liveobj_threads_end(&roots->threads);
    *roots = (struct liveobj_roots){0};
}

#endif
