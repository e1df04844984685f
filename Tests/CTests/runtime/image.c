// Loaded images, while another thread loads them and after their files were replaced: GOT entries
// are changed only if the dynamic linker permits it, and no symbol of another file is used.

#include "runtime/image.h"
#include "os/os.h"
#include "support/expect.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

// MARK: - GOT entries

/// A multiple of every system's page.
enum { PAGE = 1 << 16, ADDRESS_IN_FILE = 0x40, RESOLVED = 0x70000000 };

/// An image of two pages: its dynamic section, and a GOT entry in a page that becomes read-only.
struct fake_image {
    struct {
        ElfW(Dyn) dynamic[5];
        ElfW(Sym) symbols[2];
        ElfW(Rela) relocation;
        char names[16];
    } * page;
    void **entry;
    ElfW(Phdr) headers[2];
    struct liveobj_image image;
};

static void make_image(struct fake_image *fake, void *entry_value) {
    fake->page = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uintptr_t base = (uintptr_t)fake->page;
    fake->entry = (void **)(base + PAGE);
    *fake->entry = entry_value;
    strcpy(fake->page->names + 1, "function");
    fake->page->symbols[1].st_name = 1;
    fake->page->relocation = (ElfW(Rela)){.r_offset = PAGE, .r_info = ELF64_R_INFO(1, 0)};
    const ElfW(Dyn) dynamic[] = {
        {DT_RELA, {.d_ptr = (uintptr_t)&fake->page->relocation}},
        {DT_RELASZ, {.d_val = sizeof(ElfW(Rela))}},
        {DT_SYMTAB, {.d_ptr = (uintptr_t)fake->page->symbols}},
        {DT_STRTAB, {.d_ptr = (uintptr_t)fake->page->names}},
        {DT_NULL, {0}},
    };
    memcpy(fake->page->dynamic, dynamic, sizeof dynamic);
    fake->headers[0] = (ElfW(Phdr)){.p_type = PT_DYNAMIC};
    fake->headers[1] = (ElfW(Phdr)){.p_type = PT_GNU_RELRO, .p_vaddr = PAGE, .p_memsz = PAGE};
    fake->image = (struct liveobj_image){.bias = base,
                                         .start = base,
                                         .end = base + 2 * PAGE,
                                         .headers = fake->headers,
                                         .header_count = 2};
}

static int replacement;

static struct liveobj_got_entries replace(const struct fake_image *fake) {
    return liveobj_image_replace_got_entries(&fake->image, "function", &replacement);
}

TEST(a_read_only_got_entry_is_replaced_and_stays_read_only) {
    struct fake_image fake;
    make_image(&fake, (void *)RESOLVED);
    mprotect(fake.entry, PAGE, PROT_READ);
    EXPECT(replace(&fake).found == 1 && *fake.entry == &replacement);
    EXPECT(!liveobj_os_is_writable((uintptr_t)fake.entry));
    EXPECT(replace(&fake).found == 1); // it still is
}

TEST(a_page_before_relro_protection_stays_writable) {
    struct fake_image fake;
    make_image(&fake, (void *)RESOLVED);
    EXPECT(replace(&fake).found == 1 && *fake.entry == &replacement);
    EXPECT(liveobj_os_is_writable((uintptr_t)fake.entry));
}

TEST(a_got_entry_that_the_dynamic_linker_binds_meanwhile_is_detected) {
    struct fake_image fake;
    make_image(&fake, (void *)RESOLVED);
    EXPECT(replace(&fake).changed == 1);
    EXPECT(replace(&fake).changed == 0);
    *fake.entry = (void *)RESOLVED;
    EXPECT(replace(&fake).changed == 1 && *fake.entry == &replacement);
}

TEST(an_unrelocated_got_entry_is_not_changed) {
    struct fake_image fake;
    make_image(&fake, (void *)ADDRESS_IN_FILE);
    EXPECT(replace(&fake).found == 0 && *fake.entry == (void *)ADDRESS_IN_FILE);
}

// MARK: - Files

static bool copy_file(const char *from, const char *to) {
    struct liveobj_file file = liveobj_os_file_map(from);
    FILE *copy = fopen(to, "w");
    bool copied = copy && fwrite(file.bytes, 1, file.count, copy) == file.count;
    liveobj_os_file_unmap(file);
    return fclose(copy) == 0 && copied;
}

TEST(symbols_of_a_replaced_file_are_rejected) {
    char folder[] = "/tmp/liveobjects-image-XXXXXX", loaded[64], other[64];
    struct link_map *map = NULL;
    struct liveobj_image image;
    EXPECT(mkdtemp(folder));
    snprintf(loaded, sizeof loaded, "%s/loaded.so", folder);
    snprintf(other, sizeof other, "%s/other.so", folder);
    void *original = dlopen("libresolv.so.2", RTLD_NOW);
    EXPECT(original && dlinfo(original, RTLD_DI_LINKMAP, &map) == 0);
    EXPECT(copy_file(map->l_name, loaded) && copy_file("/proc/self/exe", other));
    EXPECT(dlinfo(dlopen(loaded, RTLD_NOW), RTLD_DI_LINKMAP, &map) == 0);
    EXPECT(liveobj_image_of((uintptr_t)map->l_ld, &image));
    EXPECT(liveobj_image_symbol(&image, "ns_parserr").start);
    EXPECT(rename(other, loaded) == 0);
    EXPECT(!liveobj_image_symbol(&image, "main").start);
    unlink(loaded);
    rmdir(folder);
}

// MARK: - Variables

struct extents {
    size_t count;
    struct liveobj_extent items[8];
};

static void note_extent(void *context, struct liveobj_extent extent) {
    struct extents *extents = context;
    extents->items[extents->count++] = extent;
}

static ElfW(Phdr) writable(uintptr_t start, uintptr_t end) {
    return (ElfW(Phdr)){
        .p_type = PT_LOAD, .p_flags = PF_R | PF_W, .p_vaddr = start, .p_memsz = end - start};
}

static ElfW(Phdr) constant(uintptr_t start, uintptr_t end) {
    return (ElfW(Phdr)){.p_type = PT_GNU_RELRO, .p_vaddr = start, .p_memsz = end - start};
}

/// The variables of an image that is loaded at 1 MB and has these segments.
static bool variables_are(const ElfW(Phdr) * headers, size_t count, uintptr_t start,
                          uintptr_t end) {
    enum { BIAS = 1 << 20 };
    struct extents found = {0};
    struct liveobj_image image = {.bias = BIAS, .headers = headers, .header_count = count};
    liveobj_image_visit_variables(&image, note_extent, &found);
    return found.count == 1 && found.items[0].start == BIAS + start &&
           found.items[0].end == BIAS + end;
}

TEST(variables_are_the_writable_memory_after_relocation) {
    enum { START = PAGE + 8, END = 5 * PAGE + 16 };
    const ElfW(Phdr)
        whole[] = {{.p_type = PT_LOAD, .p_flags = PF_R, .p_memsz = PAGE}, writable(START, END)};
    EXPECT(variables_are(whole, 2, START, END));
    const ElfW(Phdr) in_front[] = {writable(START, END), constant(START, 2 * PAGE + 24)};
    EXPECT(variables_are(in_front, 2, 2 * PAGE, END)); // the last page is not whole
    const ElfW(Phdr) small[] = {writable(START, END), constant(START, START + 24)};
    EXPECT(variables_are(small, 2, START, END));
    const ElfW(Phdr)
        apart[] = {writable(START, 2 * PAGE), constant(START, 2 * PAGE), writable(3 * PAGE, END)};
    EXPECT(variables_are(apart, 3, 3 * PAGE, END));
}

static int variable = 1;
static void *const constant_address = &variable; // relocated, then read-only

struct places {
    bool has_variable;
    bool has_constant;
};

static bool holds(struct liveobj_extent extent, const void *place) {
    return (uintptr_t)place >= extent.start && (uintptr_t)place < extent.end;
}

static void note_places(void *context, struct liveobj_extent extent) {
    struct places *places = context;
    places->has_variable |= holds(extent, &variable);
    places->has_constant |= holds(extent, &constant_address);
}

static bool note_image(void *context, const struct liveobj_image *image) {
    liveobj_image_visit_variables(image, note_places, context);
    return false;
}

TEST(variables_of_the_program_are_visited) {
    struct places places = {0};
    liveobj_images_visit(note_image, &places);
    EXPECT(places.has_variable);
    EXPECT(!places.has_constant || liveobj_os_is_writable((uintptr_t)&constant_address));
}
