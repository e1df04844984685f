// got_entries.c - the relocations of a loaded image, through which it calls others; see image.h.
// Owns nothing. Outside of hooks.

#if defined(__linux__)

#include "runtime/image.h"

#include <link.h>
#include <string.h>
#include <sys/mman.h>

struct relocations {
    const ElfW(Rela) * entries;
    size_t count;
};

struct dynamic_section {
    struct relocations relocations[2]; // of the procedure linkage table, and all others
    const ElfW(Sym) * symbols;
    const char *names;
};

static struct dynamic_section find_dynamic_section(const struct liveobj_image *image) {
    struct dynamic_section found = {0};
    const ElfW(Dyn) *entry = NULL;
    const ElfW(Phdr) *headers = image->headers;
    for (size_t i = 0; i < image->header_count; i++)
        if (headers[i].p_type == PT_DYNAMIC)
            entry = (const void *)(image->bias + headers[i].p_vaddr);
    for (; entry && entry->d_tag != DT_NULL; entry++) {
        const void *address = (const void *)entry->d_un.d_ptr;
        switch (entry->d_tag) {
        case DT_JMPREL:
            found.relocations[0].entries = address;
            break;
        case DT_PLTRELSZ:
            found.relocations[0].count = entry->d_un.d_val / sizeof(ElfW(Rela));
            break;
        case DT_RELA:
            found.relocations[1].entries = address;
            break;
        case DT_RELASZ:
            found.relocations[1].count = entry->d_un.d_val / sizeof(ElfW(Rela));
            break;
        case DT_SYMTAB:
            found.symbols = address;
            break;
        case DT_STRTAB:
            found.names = address;
            break;
        default:
            break;
        }
    }
    return found;
}

/// Whether the dynamic linker has relocated the section: not that of the vDSO.
static bool is_usable(const struct liveobj_image *image, const struct dynamic_section *dynamic) {
    return liveobj_image_contains(image, (uintptr_t)dynamic->symbols, 0) &&
           liveobj_image_contains(image, (uintptr_t)dynamic->names, 0);
}

static bool is_read_only(const struct liveobj_image *image, uintptr_t page) {
    struct liveobj_extent constant = liveobj_image_read_only_pages(image);
    return page >= constant.start && page < constant.end;
}

/// Whether a GOT entry has been relocated. While another thread loads the image, an entry has an
/// address of the file, or 0, and the dynamic linker might add its bias to the replacement.
static bool is_relocated(const struct liveobj_image *image, const void *value) {
    return image->bias == 0 || (uintptr_t)value >= image->end - image->bias;
}

/// Replaces a GOT entry. A page that should be read-only but is not is left unchanged: the dynamic
/// linker is at work there.
static struct liveobj_got_entries store_in_slot(const struct liveobj_image *image, uintptr_t slot,
                                                void *value) {
    static const struct liveobj_got_entries left_alone = {0, 0}, is_so_already = {1, 0},
                                            changed = {1, 1};
    size_t page_bytes = liveobj_os_page_bytes();
    void *page = (void *)(slot & ~(page_bytes - 1));
    void *present = __atomic_load_n((void **)slot, __ATOMIC_RELAXED);
    if (present == value || !is_relocated(image, present))
        return present == value ? is_so_already : left_alone;
    bool is_protected = is_read_only(image, (uintptr_t)page) && !liveobj_os_is_writable(slot);
    if (is_protected && mprotect(page, page_bytes, PROT_READ | PROT_WRITE) != 0)
        return left_alone;
    // Release: a call through the entry sees what the replacement needs.
    __atomic_store_n((void **)slot, value, __ATOMIC_RELEASE);
    if (is_protected)
        mprotect(page, page_bytes, PROT_READ);
    return changed;
}

static void add_got_entries(struct liveobj_got_entries *sum, struct liveobj_got_entries more) {
    sum->found += more.found;
    sum->changed += more.changed;
}

struct liveobj_got_entries liveobj_image_replace_got_entries(const struct liveobj_image *image,
                                                             const char *symbol,
                                                             void *replacement) {
    struct liveobj_got_entries slots = {0, 0};
    struct dynamic_section dynamic = find_dynamic_section(image);
    for (int table = 0; dynamic.symbols && dynamic.names && table < 2; table++)
        for (size_t i = 0; i < dynamic.relocations[table].count; i++) {
            const ElfW(Rela) *entry = &dynamic.relocations[table].entries[i];
            size_t index = ELF64_R_SYM(entry->r_info);
            if (index && strcmp(dynamic.names + dynamic.symbols[index].st_name, symbol) == 0)
                add_got_entries(&slots,
                                store_in_slot(image, image->bias + entry->r_offset, replacement));
        }
    return slots;
}

/// Whether a GOT entry leads to the function, or to the image's own code that binds it.
static bool is_bound_to(const struct liveobj_image *image, const ElfW(Rela) * entry,
                        struct liveobj_got_relocations kinds, const void *function) {
    uint32_t kind = (uint32_t)ELF64_R_TYPE(entry->r_info);
    uintptr_t present =
        __atomic_load_n((uintptr_t *)(image->bias + entry->r_offset), __ATOMIC_RELAXED);
    bool is_unbound = kind == kinds.of_call && present >= image->start && present < image->end;
    return (kind == kinds.of_call || kind == kinds.of_address) &&
           (present == (uintptr_t)function || is_unbound);
}

void liveobj_image_redirect_calls(const struct liveobj_image *image, const char *symbol,
                                  struct liveobj_got_relocations kinds, const void *original,
                                  void *replacement) {
    struct dynamic_section dynamic = find_dynamic_section(image);
    for (int table = 0; is_usable(image, &dynamic) && table < 2; table++)
        for (size_t i = 0; i < dynamic.relocations[table].count; i++) {
            const ElfW(Rela) *entry = &dynamic.relocations[table].entries[i];
            const ElfW(Sym) *found = &dynamic.symbols[ELF64_R_SYM(entry->r_info)];
            if (strcmp(dynamic.names + found->st_name, symbol) == 0 &&
                is_bound_to(image, entry, kinds, original))
                store_in_slot(image, image->bias + entry->r_offset, replacement);
        }
}

void liveobj_image_bind_calls(const struct liveobj_image *image,
                              void *(*find)(void *context, const char *symbol), void *context) {
    struct dynamic_section dynamic = find_dynamic_section(image);
    for (size_t i = 0; i < dynamic.relocations[0].count; i++) {
        const ElfW(Rela) *entry = &dynamic.relocations[0].entries[i];
        const ElfW(Sym) *symbol = &dynamic.symbols[ELF64_R_SYM(entry->r_info)];
        void *function =
            symbol->st_shndx == SHN_UNDEF ? find(context, dynamic.names + symbol->st_name) : NULL;
        if (function)
            store_in_slot(image, image->bias + entry->r_offset, function);
    }
}

void **liveobj_image_import(const struct liveobj_image *image, const char *symbol) {
    struct dynamic_section dynamic = find_dynamic_section(image);
    for (int table = 0; is_usable(image, &dynamic) && table < 2; table++)
        for (size_t i = 0; i < dynamic.relocations[table].count; i++) {
            const ElfW(Rela) *entry = &dynamic.relocations[table].entries[i];
            const ElfW(Sym) *found = &dynamic.symbols[ELF64_R_SYM(entry->r_info)];
            if (found->st_shndx == SHN_UNDEF && strcmp(dynamic.names + found->st_name, symbol) == 0)
                return (void **)(image->bias + entry->r_offset);
        }
    return NULL;
}

struct slot_replacement {
    const char *file_name;
    const char *symbol;
    void *replacement;
    unsigned replaced;
};

static bool replace_in_image(void *context, const struct liveobj_image *image) {
    struct slot_replacement *wanted = context;
    if (strcmp(liveobj_image_file_name(image), wanted->file_name) == 0)
        wanted->replaced +=
            liveobj_image_replace_got_entries(image, wanted->symbol, wanted->replacement).found;
    return false;
}

unsigned liveobj_images_replace_got_entries(const char *file_name, const char *symbol,
                                            void *replacement) {
    struct slot_replacement wanted = {file_name, symbol, replacement, 0};
    liveobj_images_visit(replace_in_image, &wanted);
    return wanted.replaced;
}

#endif
