// unwind_images.c - owns the list of images for C libraries without _dl_find_object.
//
// glibc 2.35 and later find the image of an address without a lock, in any context. Without that
// function, a list is made outside of hooks: when tracking starts, when images were unloaded, and
// in captures (roots/waiting_threads.c). Code that was loaded since has no image then, and the
// stack walk guesses.

#if defined(__linux__)

#define _GNU_SOURCE
#include "stacks/unwind_images.h"

#include <elf.h>
#include <link.h>
#include <string.h>

/// glibc's `struct dl_find_object`, declared here so that older headers suffice.
struct found_object {
    unsigned long long flags;
    void *map_start;
    void *map_end;
    void *link_map;
    void *unwind_header;
    unsigned long long reserved[7];
};

// Weak: the symbol is absent before glibc 2.35. Another name: headers that have it declare it with
// other types.
LIVEOBJ_HOOK extern int find_object(void *address,
                                    struct found_object *result) __asm__("_dl_find_object")
    __attribute__((weak));

struct image_list {
    uint32_t version; // atomic: odd while the list is written
    uint32_t count;
    struct liveobj_unwind_image images[512];
};

// Two lists: hooks read one while the other is written. A hook that is stopped in its search for
// the time of two refreshes sees from the list's version that it has to search again.
static struct image_list lists[2];
static struct liveobj_lock lock; // of those who refresh
static struct image_list *current_list = &lists[0];

static void add_readable(struct liveobj_unwind_image *image, uintptr_t bias,
                         const ElfW(Phdr) * header) {
    if (header->p_type != PT_LOAD || !(header->p_flags & PF_R))
        return;
    if (image->readable_count == LIVEOBJ_UNWIND_RANGES)
        return;
    uintptr_t start = bias + header->p_vaddr;
    image->readable[image->readable_count++] =
        (struct liveobj_extent){start, start + header->p_filesz};
}

static int list_image(struct dl_phdr_info *info, size_t size, void *context) {
    (void)size;
    struct image_list *list = context;
    if (list->count == sizeof list->images / sizeof list->images[0])
        return 1;
    struct liveobj_unwind_image *image = &list->images[list->count++];
    *image = (struct liveobj_unwind_image){.code = {UINTPTR_MAX, 0}};
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + header->p_vaddr;
        add_readable(image, info->dlpi_addr, header);
        if (header->p_type == PT_GNU_EH_FRAME)
            image->unwind_header = start;
        if (header->p_type == PT_LOAD && start < image->code.start)
            image->code.start = start;
        if (header->p_type == PT_LOAD && start + header->p_memsz > image->code.end)
            image->code.end = start + header->p_memsz;
    }
    return 0;
}

void liveobj_unwind_images_visit_locks(liveobj_lock_visit_fn visit, void *context) {
    visit(context, &lock);
}

void liveobj_unwind_images_refresh(void) {
    if (find_object || !liveobj_lock_acquire(&lock))
        return;
    struct image_list *next = current_list == &lists[0] ? &lists[1] : &lists[0];
    LIVEOBJ_STORE_RELAXED(next->version, next->version + 1);
    // Release: who sees a new entry sees that the list is written.
    __atomic_thread_fence(__ATOMIC_RELEASE);
    next->count = 0;
    dl_iterate_phdr(list_image, next);
    __atomic_store_n(&next->version, next->version + 1, __ATOMIC_RELEASE);
    // Release: a hook that sees the new list sees its entries.
    __atomic_store_n(&current_list, next, __ATOMIC_RELEASE);
    liveobj_lock_release(&lock);
}

/// Reads entries that another thread may write meanwhile; the caller then drops the result.
__attribute__((no_sanitize("thread"))) static bool
find_once(const struct image_list *list, uintptr_t address, struct liveobj_unwind_image *image) {
    uint32_t count = list->count;
    for (uint32_t i = 0; i < count; i++) {
        const struct liveobj_unwind_image *listed = &list->images[i];
        if (address >= listed->code.start && address < listed->code.end) {
            *image = *listed;
            return true;
        }
    }
    return false;
}

static bool find_in_list(uintptr_t address, struct liveobj_unwind_image *image) {
    for (;;) {
        const struct image_list *list = __atomic_load_n(&current_list, __ATOMIC_ACQUIRE);
        uint32_t version = __atomic_load_n(&list->version, __ATOMIC_ACQUIRE);
        bool is_found = find_once(list, address, image);
        // Acquire: the entries are read before the version is read again.
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        if (version % 2 == 0 && version == LIVEOBJ_LOAD_RELAXED(list->version))
            return is_found;
    }
}

static bool is_header(const ElfW(Ehdr) * elf) {
    return memcmp(elf->e_ident, ELFMAG, SELFMAG) == 0 && elf->e_phentsize == sizeof(ElfW(Phdr)) &&
           // Linkers put the program headers into the first page, with the ELF header.
           elf->e_phoff + elf->e_phnum * sizeof(ElfW(Phdr)) <= LIVEOBJ_PAGE_BYTES;
}

/// The ELF header: where the image starts; or, if there are gaps between its segments, where its
/// addresses count from. From glibc 2.41 on, `start` is that of the code then.
static const ElfW(Ehdr) * header_of(uintptr_t start, uintptr_t bias) {
    if (is_header((const ElfW(Ehdr) *)start))
        return (const ElfW(Ehdr) *)start;
    bool is_there = bias && liveobj_os_is_readable(bias) && is_header((const ElfW(Ehdr) *)bias);
    return is_there ? (const ElfW(Ehdr) *)bias : NULL;
}

static void read_segments(struct liveobj_unwind_image *image, uintptr_t bias) {
    const ElfW(Ehdr) *elf = header_of(image->code.start, bias);
    const ElfW(Phdr) *headers = elf ? (const void *)((uintptr_t)elf + elf->e_phoff) : NULL;
    for (size_t i = 0; elf && i < elf->e_phnum; i++)
        add_readable(image, bias, &headers[i]);
}

LIVEOBJ_HOOK bool liveobj_unwind_image_find(uintptr_t address, struct liveobj_unwind_image *image) {
    if (!find_object)
        return find_in_list(address, image);
    struct found_object object;
    if (find_object((void *)address, &object) != 0)
        return false;
    *image = (struct liveobj_unwind_image){
        .code = {(uintptr_t)object.map_start, (uintptr_t)object.map_end},
        .unwind_header = (uintptr_t)object.unwind_header,
    };
    read_segments(image, ((const struct link_map *)object.link_map)->l_addr);
    return true;
}

LIVEOBJ_HOOK struct liveobj_extent
liveobj_unwind_image_readable(const struct liveobj_unwind_image *image, uintptr_t address) {
    for (uint32_t i = 0; i < image->readable_count; i++)
        if (address >= image->readable[i].start && address < image->readable[i].end)
            return (struct liveobj_extent){address, image->readable[i].end};
    return (struct liveobj_extent){address, address};
}

#endif
