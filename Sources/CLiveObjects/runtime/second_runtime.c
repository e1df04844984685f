// second_runtime.c - finds images that use another Swift runtime than the watched one: a plugin
// that is linked with the dynamic runtime in a program with a static one, a library with a runtime
// inside it, anything that was loaded by `dlmopen`.
//
// Every image of Swift code calls `swift_addNewDSOImage` when it is loaded. What its import of that
// function is bound to is the runtime that it uses. An image that does not import it has a runtime
// inside it, whose symbols may be hidden or stripped.
//
// Owns the path of the first image that was found. Runs outside of hooks.

#if defined(__linux__)

#include "runtime/second_runtime.h"
#include "os/os.h"
#include "runtime/image.h"
#include "runtime/runtime.h"

#include <elf.h>
#include <link.h>
#include <string.h>

static char user[4096];
static bool is_found; // atomic

enum { PATHS_BYTES = 1 << 20 };
struct look {
    char *paths; // of images without the import, each with its NUL, as far as there is room
    size_t paths_used;
    bool is_loading;
};

static void note_user(const char *path) {
    if (is_found)
        return;
    strncpy(user, path, sizeof user - 1);
    // Release: who sees the flag sees the path.
    __atomic_store_n(&is_found, true, __ATOMIC_RELEASE);
}

// MARK: - Files without Swift code

/// The hashes of their paths, with one slot for each hash: a program that opens and closes
/// libraries would have the same files read each time.
static uint64_t without_swift[256];

static uint64_t *slot_of_path(const char *path, uint64_t *hash) {
    *hash = UINT64_C(0xcbf29ce484222325); // FNV-1a
    for (; *path; path++)
        *hash = (*hash ^ (unsigned char)*path) * UINT64_C(0x100000001b3);
    return &without_swift[*hash % (sizeof without_swift / sizeof *without_swift)];
}

static bool file_has_swift_code(const char *path) {
    uint64_t hash, *slot = slot_of_path(path, &hash);
    if (*slot == hash)
        return false;
    bool has_code = liveobj_image_has_section(&(struct liveobj_image){.path = path}, "swift5_");
    *slot = has_code ? *slot : hash;
    return has_code;
}

// MARK: - Images

/// The file is read after the visit, which holds the dynamic linker's lock.
static void note_path(struct look *look, const char *path) {
    size_t bytes = strlen(path) + 1;
    if (bytes > PATHS_BYTES - look->paths_used)
        return;
    memcpy(look->paths + look->paths_used, path, bytes);
    look->paths_used += bytes;
}

static bool look_at(void *context, const struct liveobj_image *image) {
    enum { LEAST_BYTES = 1 << 20 }; // a runtime has several times as many
    struct look *look = context;
    const struct liveobj_image *watched = &liveobj_runtime_current()->image;
    if (image->start == watched->start)
        return false;
    void **entry = liveobj_image_import(image, "swift_addNewDSOImage");
    if (!entry && image->end - image->start >= LEAST_BYTES)
        note_path(look, image->path);
    if (!entry)
        return false;
    uintptr_t function = (uintptr_t)__atomic_load_n(entry, __ATOMIC_RELAXED);
    bool is_bound = !liveobj_image_contains(image, function, 0); // else by its first call
    bool is_other = is_bound && !liveobj_image_contains(watched, function, 0);
    look->is_loading |= !is_bound;
    if (is_other)
        note_user(image->path);
    return is_other;
}

// MARK: - Namespaces of dlmopen

/// In glibc 2.35 and later, from version 2 on.
struct namespaces {
    struct r_debug first;
    struct namespaces *next;
};

static const struct namespaces *find_namespaces(const struct liveobj_image *program) {
    const ElfW(Phdr) *headers = program->headers;
    const ElfW(Dyn) *entry = NULL;
    for (size_t i = 0; i < program->header_count; i++)
        if (headers[i].p_type == PT_DYNAMIC)
            entry = (const void *)(program->bias + headers[i].p_vaddr);
    while (entry && entry->d_tag != DT_NULL && entry->d_tag != DT_DEBUG)
        entry++;
    return entry && entry->d_tag == DT_DEBUG ? (const void *)entry->d_un.d_ptr : NULL;
}

/// The image begins with its file's header, at the difference between memory and file.
static void look_at_map(struct look *look, const struct link_map *map) {
    const ElfW(Ehdr) *header = (const void *)map->l_addr;
    if (!liveobj_os_is_readable(map->l_addr) || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
        return;
    struct liveobj_image image = {.bias = map->l_addr,
                                  .start = map->l_addr,
                                  .end = UINTPTR_MAX,
                                  .path = map->l_name,
                                  .headers = (const char *)header + header->e_phoff,
                                  .header_count = header->e_phnum};
    look_at(look, &image);
}

static void look_at_namespaces(struct look *look, const struct liveobj_image *program) {
    const struct namespaces *space = find_namespaces(program);
    for (space = space && space->first.r_version >= 2 ? space->next : NULL; space;
         space = space->next)
        for (const struct link_map *map = space->first.r_map; map; map = map->l_next)
            look_at_map(look, map);
}

/// The visit of the program, the first one, covers the other namespaces: the lock is held for all.
static bool look_at_all(void *look, const struct liveobj_image *image) {
    if (image->is_main)
        look_at_namespaces(look, image);
    return look_at(look, image);
}

// MARK: - The result

bool liveobj_second_runtime_look(void) {
    if (is_found || !liveobj_runtime_current()->image.path)
        return true;
    struct look look = {.paths = liveobj_os_map(PATHS_BYTES)};
    if (look.paths)
        liveobj_images_visit(look_at_all, &look);
    for (size_t at = 0; !is_found && at < look.paths_used; at += strlen(look.paths + at) + 1)
        if (file_has_swift_code(look.paths + at))
            note_user(look.paths + at);
    liveobj_os_unmap(look.paths, PATHS_BYTES);
    return !look.is_loading;
}

const char *liveobj_second_runtime_user(void) {
    return __atomic_load_n(&is_found, __ATOMIC_ACQUIRE) ? user : NULL;
}

#endif
