// unwind_images.c - asks glibc, which finds the image of an address without a lock, in any context.
// Owns nothing.

#if defined(__linux__)

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

// Weak: the symbol is absent before glibc 2.35, where the program must start nevertheless. Another
// name: headers that have it declare it with other types.
LIVEOBJ_HOOK extern int find_object(void *address,
                                    struct found_object *result) __asm__("_dl_find_object")
    __attribute__((weak));

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
    struct found_object object;
    if (!find_object || find_object((void *)address, &object) != 0)
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
