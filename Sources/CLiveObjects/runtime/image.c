// image.c - loaded ELF images, from the dynamic linker and from their files. Owns nothing.
//
// Everything here runs outside of hooks: it takes the dynamic linker's lock and maps files. A file
// on disk may have been replaced since it was loaded, so everything read from it is checked against
// its bounds.

#if defined(__linux__)

#include "runtime/image.h"

#include <elf.h>
#include <link.h>
#include <string.h>

// MARK: - Images

/// Keeps forks out while the dynamic linker's lock is held, which is not reset in a fork's child.
static struct liveobj_lock visit_lock;

struct visit {
    liveobj_image_visit_fn visit;
    void *context;
    bool seen_main;
};

const char liveobj_program_path[] = "/proc/thread-self/exe";

static struct liveobj_image describe_image(const struct dl_phdr_info *info, bool is_main) {
    struct liveobj_image image = {.bias = info->dlpi_addr,
                                  .start = UINTPTR_MAX,
                                  .path = is_main ? liveobj_program_path : info->dlpi_name,
                                  .headers = info->dlpi_phdr,
                                  .header_count = info->dlpi_phnum,
                                  .thread_locals = (uintptr_t)info->dlpi_tls_data,
                                  .is_main = is_main};
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        if (header->p_type != PT_LOAD)
            continue;
        uintptr_t start = image.bias + header->p_vaddr;
        if (start < image.start)
            image.start = start;
        if (start + header->p_memsz > image.end)
            image.end = start + header->p_memsz;
    }
    return image;
}

static int visit_info(struct dl_phdr_info *info, size_t size, void *context) {
    (void)size;
    struct visit *visit = context;
    struct liveobj_image image = describe_image(info, !visit->seen_main);
    visit->seen_main = true;
    return visit->visit(visit->context, &image);
}

void liveobj_images_visit(liveobj_image_visit_fn visit, void *context) {
    struct visit state = {visit, context, false};
    // The lock only prevents forks. If it cannot be had, the visit is still safe.
    bool is_locked = liveobj_lock_acquire(&visit_lock);
    dl_iterate_phdr(visit_info, &state);
    if (is_locked)
        liveobj_lock_release(&visit_lock);
}

void liveobj_images_visit_locks(liveobj_lock_visit_fn visit, void *context) {
    visit(context, &visit_lock);
}

const char *liveobj_image_file_name(const struct liveobj_image *image) {
    const char *slash = strrchr(image->path, '/');
    return slash ? slash + 1 : image->path;
}

bool liveobj_image_is_named(const struct liveobj_image *image, const char *prefix) {
    return liveobj_os_begins_with(liveobj_image_file_name(image), prefix);
}

struct search {
    uintptr_t address;
    struct liveobj_image *image;
    bool found;
};

static bool match_address(void *context, const struct liveobj_image *image) {
    struct search *search = context;
    if (!liveobj_image_contains(image, search->address, 0))
        return false;
    *search->image = *image;
    search->found = true;
    return true;
}

bool liveobj_image_of(uintptr_t address, struct liveobj_image *image) {
    struct search search = {address, image, false};
    liveobj_images_visit(match_address, &search);
    return search.found;
}

bool liveobj_image_contains(const struct liveobj_image *image, uintptr_t address,
                            uint32_t segment_flags) {
    const ElfW(Phdr) *headers = image->headers;
    for (size_t i = 0; i < image->header_count; i++) {
        uintptr_t start = image->bias + headers[i].p_vaddr;
        if (headers[i].p_type == PT_LOAD && address >= start &&
            address - start < headers[i].p_memsz)
            return (headers[i].p_flags & segment_flags) == segment_flags;
    }
    return false;
}

uintptr_t liveobj_image_find_in_code(const struct liveobj_image *image,
                                     uintptr_t (*find)(struct liveobj_extent code)) {
    const ElfW(Phdr) *headers = image->headers;
    uintptr_t found = 0;
    for (size_t i = 0; i < image->header_count && !found; i++) {
        uintptr_t start = image->bias + headers[i].p_vaddr;
        if (headers[i].p_type == PT_LOAD && headers[i].p_flags == (PF_R | PF_X))
            found = find((struct liveobj_extent){start, start + headers[i].p_memsz});
    }
    return found;
}

/// The part that the dynamic linker makes read-only after relocation: whole pages only, with the
/// end rounded down.
struct liveobj_extent liveobj_image_read_only_pages(const struct liveobj_image *image) {
    const uintptr_t page = ~(liveobj_os_page_bytes() - 1);
    struct liveobj_extent pages = {0, 0};
    const ElfW(Phdr) *headers = image->headers;
    for (size_t i = 0; i < image->header_count; i++)
        if (headers[i].p_type == PT_GNU_RELRO) {
            uintptr_t start = image->bias + headers[i].p_vaddr;
            pages = (struct liveobj_extent){start & page, (start + headers[i].p_memsz) & page};
        }
    return pages;
}

void liveobj_image_visit_variables(const struct liveobj_image *image, liveobj_extent_visit_fn visit,
                                   void *context) {
    struct liveobj_extent constant = liveobj_image_read_only_pages(image);
    const ElfW(Phdr) *headers = image->headers;
    for (size_t i = 0; i < image->header_count; i++) {
        uintptr_t start = image->bias + headers[i].p_vaddr, end = start + headers[i].p_memsz;
        if (headers[i].p_type != PT_LOAD || !(headers[i].p_flags & PF_W))
            continue;
        uintptr_t before = constant.start < end ? constant.start : end;
        uintptr_t after = constant.end > start ? constant.end : start;
        if (start < before)
            visit(context, (struct liveobj_extent){start, before});
        if (after < end)
            visit(context, (struct liveobj_extent){after, end});
    }
}

// MARK: - Symbols in the file

/// A part of a mapped file; NULL if it does not lie inside.
static const void *part_of_file(struct liveobj_file file, uint64_t offset, uint64_t bytes) {
    if (offset > file.count || bytes > file.count - offset)
        return NULL;
    return file.bytes + offset;
}

struct sections {
    struct liveobj_file file;
    const ElfW(Shdr) * headers;
    size_t count;
    const char *names;
    size_t names_bytes;
};

static bool find_sections(struct liveobj_file file, struct sections *sections) {
    const ElfW(Ehdr) *elf = part_of_file(file, 0, sizeof *elf);
    if (!elf || memcmp(elf->e_ident, ELFMAG, SELFMAG) != 0 ||
        elf->e_shentsize != sizeof(ElfW(Shdr)) || elf->e_shstrndx >= elf->e_shnum)
        return false;
    const ElfW(Shdr) *headers =
        part_of_file(file, elf->e_shoff, (uint64_t)elf->e_shnum * sizeof *headers);
    if (!headers)
        return false;
    const ElfW(Shdr) *names = &headers[elf->e_shstrndx];
    *sections =
        (struct sections){file, headers, elf->e_shnum,
                          part_of_file(file, names->sh_offset, names->sh_size), names->sh_size};
    return sections->names != NULL;
}

/// Whether the NUL-terminated name at `offset` of a string table equals `name`, or begins with it.
static bool name_matches(const char *table, uint64_t table_bytes, uint64_t offset, const char *name,
                         bool whole) {
    size_t length = strlen(name);
    size_t bytes = length + (whole ? 1 : 0);
    if (offset > table_bytes || bytes > table_bytes - offset)
        return false;
    // Most names of the same beginning have another length.
    bool may_match = !whole || table[offset + length] == 0;
    return may_match && memcmp(table + offset, name, length) == 0;
}

struct symbol_table {
    const ElfW(Sym) * symbols;
    size_t count;
    const char *names;
    size_t names_bytes;
};

static bool read_table(const struct sections *sections, const ElfW(Shdr) * header,
                       struct symbol_table *table) {
    const ElfW(Sym) *symbols = part_of_file(sections->file, header->sh_offset, header->sh_size);
    if (!symbols || header->sh_link >= sections->count)
        return false;
    const ElfW(Shdr) *strings = &sections->headers[header->sh_link];
    *table = (struct symbol_table){
        symbols, header->sh_size / sizeof *symbols,
        part_of_file(sections->file, strings->sh_offset, strings->sh_size), strings->sh_size};
    return table->names != NULL;
}

/// Whether the file's ELF header equals the loaded image's. If not, another file has replaced it:
/// nearly every change of a file moves its sections, whose place is in the header.
static bool is_as_loaded(struct liveobj_file file, const struct liveobj_image *image) {
    const ElfW(Phdr) *headers = image->headers;
    for (size_t i = 0; i < image->header_count; i++)
        if (headers[i].p_type == PT_LOAD && headers[i].p_offset == 0)
            return file.count >= sizeof(ElfW(Ehdr)) && headers[i].p_filesz >= sizeof(ElfW(Ehdr)) &&
                   memcmp(file.bytes, (const void *)(image->bias + headers[i].p_vaddr),
                          sizeof(ElfW(Ehdr))) == 0;
    return false;
}

/// Calls `visit` for the symbol tables of the image's file until it returns true. In most files
/// `.symtab` is the first.
typedef bool (*visit_table_fn)(void *context, const struct symbol_table *table);

static bool visit_tables(const struct liveobj_image *image, visit_table_fn visit, void *context) {
    bool found = false;
    struct sections sections;
    struct symbol_table table;
    struct liveobj_file file = liveobj_os_file_map(image->path);
    if (is_as_loaded(file, image) && find_sections(file, &sections))
        for (size_t i = 0; i < sections.count && !found; i++)
            if ((sections.headers[i].sh_type == SHT_SYMTAB ||
                 sections.headers[i].sh_type == SHT_DYNSYM) &&
                read_table(&sections, &sections.headers[i], &table))
                found = visit(context, &table);
    liveobj_os_file_unmap(file);
    return found;
}

struct symbol_search {
    const char *name;
    struct liveobj_extent found;
};

static bool find_by_name(void *context, const struct symbol_table *table) {
    struct symbol_search *search = context;
    for (size_t i = 0; i < table->count; i++) {
        const ElfW(Sym) *symbol = &table->symbols[i];
        if (symbol->st_shndx != SHN_UNDEF && symbol->st_value &&
            name_matches(table->names, table->names_bytes, symbol->st_name, search->name, true)) {
            search->found =
                (struct liveobj_extent){symbol->st_value, symbol->st_value + symbol->st_size};
            return true;
        }
    }
    return false;
}

struct liveobj_extent liveobj_image_symbol(const struct liveobj_image *image, const char *name) {
    struct symbol_search search = {name, {0, 0}};
    if (!visit_tables(image, find_by_name, &search))
        return (struct liveobj_extent){0, 0};
    return (struct liveobj_extent){search.found.start + image->bias,
                                   search.found.end + image->bias};
}

struct name_search {
    uintptr_t value;
    const char *prefix;
    char *name;
    size_t capacity;
};

static bool find_by_address(void *context, const struct symbol_table *table) {
    struct name_search *search = context;
    for (size_t i = 0; i < table->count; i++) {
        const ElfW(Sym) *symbol = &table->symbols[i];
        if (symbol->st_value != search->value || symbol->st_shndx == SHN_UNDEF ||
            !name_matches(table->names, table->names_bytes, symbol->st_name, search->prefix, false))
            continue;
        size_t length =
            strnlen(table->names + symbol->st_name, table->names_bytes - symbol->st_name);
        if (length >= search->capacity)
            return false;
        memcpy(search->name, table->names + symbol->st_name, length);
        search->name[length] = 0;
        return true;
    }
    return false;
}

bool liveobj_image_symbol_at(const struct liveobj_image *image, uintptr_t address,
                             const char *prefix, char *name, size_t capacity) {
    struct name_search search = {address - image->bias, prefix, name, capacity};
    return visit_tables(image, find_by_address, &search);
}

bool liveobj_image_has_section(const struct liveobj_image *image, const char *prefix) {
    bool found = false;
    struct sections sections;
    struct liveobj_file file = liveobj_os_file_map(image->path);
    if (find_sections(file, &sections))
        for (size_t i = 0; i < sections.count && !found; i++)
            found = name_matches(sections.names, sections.names_bytes, sections.headers[i].sh_name,
                                 prefix, false);
    liveobj_os_file_unmap(file);
    return found;
}

// MARK: - Build id

struct liveobj_build_id liveobj_image_build_id(const struct liveobj_image *image) {
    const ElfW(Phdr) *headers = image->headers;
    for (size_t i = 0; i < image->header_count; i++) {
        if (headers[i].p_type != PT_NOTE)
            continue;
        const unsigned char *next = (const unsigned char *)(image->bias + headers[i].p_vaddr);
        const unsigned char *end = next + headers[i].p_memsz;
        while ((size_t)(end - next) >= sizeof(ElfW(Nhdr))) {
            const ElfW(Nhdr) *note = (const void *)next;
            const unsigned char *name = next + sizeof *note;
            const unsigned char *content = name + ((note->n_namesz + 3) & ~3u);
            if (content > end || note->n_descsz > (size_t)(end - content))
                break;
            if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
                memcmp(name, "GNU", 4) == 0)
                return (struct liveobj_build_id){content, note->n_descsz};
            next = content + ((note->n_descsz + 3) & ~3u);
        }
    }
    return (struct liveobj_build_id){NULL, 0};
}

#endif
