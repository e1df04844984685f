// mappings.c - see mappings.h. Owns nothing.

#if defined(__linux__)

#include "roots/mappings.h"

#include <string.h>

/// The lines about one mapping.
struct entry {
    struct liveobj_extent extent; // empty before the first one
    bool is_readable;
    bool is_writable;
    bool is_private;
    bool is_memory;
    bool is_device; // reading it may have side effects
    bool is_not_forked;
    bool has_pages;     // resident or swapped out
    bool has_own_pages; // that are no file's
    bool is_swapped;
    uint64_t resident_bytes;
};

struct listing {
    liveobj_mapping_visit_fn visit;
    void *context;
    uint32_t *unread;
    struct entry entry;
};

/// Whether the mapping is memory, shared or not, by its name: no file's, or one's in memory.
static bool is_memory_name(const char *name) {
    static const char *const names[] = {"[heap]",    "[stack",         "[anon", // anon_shmem too
                                        "/dev/zero", "/anon_hugepage", "/dev/shm/",
                                        "/memfd:",   "/secretmem",     "/SYSV"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (liveobj_os_begins_with(name, names[i]))
            return true;
    return false;
}

/// Takes `start-end rw-p offset device inode name`.
static struct entry entry_of_line(const char *line) {
    struct entry entry = {0};
    entry.extent.start = liveobj_os_take_hexadecimal(&line);
    line++;
    entry.extent.end = liveobj_os_take_hexadecimal(&line);
    const char *name = strpbrk(line, "/[");
    entry.is_readable = line[1] == 'r';
    entry.is_writable = line[2] == 'w';
    entry.is_private = line[4] == 'p';
    entry.is_memory = name ? is_memory_name(name) : entry.is_private;
    return entry;
}

/// Memory that was never written to, such as guard pages and reserved address space, has no pages.
static void finish_mapping(const struct entry *entry, struct liveobj_mapping *mapping,
                           uint32_t *unread) {
    *mapping = (struct liveobj_mapping){.extent = entry->extent,
                                        .is_inaccessible = !entry->is_readable,
                                        .is_not_forked = entry->is_not_forked,
                                        .is_file = !entry->is_memory,
                                        .is_shared = entry->is_memory && !entry->is_private,
                                        .resident_bytes = entry->resident_bytes};
    if (entry->is_device)
        return;
    if (entry->is_memory && (entry->is_readable || entry->has_pages))
        mapping->kind = LIVEOBJ_MAPPING_MEMORY;
    else if (!entry->is_memory && entry->is_private && entry->has_own_pages)
        mapping->kind = LIVEOBJ_MAPPING_FILE;
    else if (!entry->is_memory && entry->is_writable && entry->has_pages)
        *unread |= LIVEOBJ_UNREAD_FILES;
    if (entry->is_swapped)
        *unread |= LIVEOBJ_UNREAD_SWAPPED;
}

static bool end_entry(struct listing *listing) {
    struct liveobj_mapping mapping;
    if (listing->entry.extent.start == listing->entry.extent.end)
        return true;
    finish_mapping(&listing->entry, &mapping, listing->unread);
    return listing->visit(listing->context, &mapping);
}

/// Whether the line is `name:   12 kB`, with another number than 0.
static bool is_some(const char *line, const char *name) {
    size_t length = strlen(name);
    return strncmp(line, name, length) == 0 && line[length + strspn(line + length, " ")] != '0';
}

/// Takes `Rss:   12 kB`.
static void take_resident(struct entry *entry, const char *line) {
    enum { NAME_BYTES = 4, KILOBYTE = 1024 };
    line += NAME_BYTES;
    line += strspn(line, " ");
    entry->resident_bytes = liveobj_os_take_decimal(&line) * KILOBYTE;
}

static void take_flags(struct entry *entry, const char *flags) {
    entry->is_not_forked = strstr(flags, " wf") || strstr(flags, " dc");
    entry->is_device = strstr(flags, " io") || strstr(flags, " pf");
}

static bool take_mapping_line(void *context, const char *line) {
    struct listing *listing = context;
    struct entry *entry = &listing->entry;
    bool is_property = *line >= 'A' && *line <= 'Z';
    if (!is_property) {
        bool is_wanted = end_entry(listing);
        *entry = entry_of_line(line);
        return is_wanted;
    }
    bool is_swapped = is_some(line, "Swap:"), is_huge = is_some(line, "Private_Hugetlb:");
    entry->is_swapped |= is_swapped;
    entry->has_own_pages |= is_swapped || is_huge || is_some(line, "Anonymous:");
    entry->has_pages |=
        entry->has_own_pages || is_some(line, "Rss:") || is_some(line, "Shared_Hugetlb:");
    if (liveobj_os_begins_with(line, "Rss:"))
        take_resident(entry, line);
    if (liveobj_os_begins_with(line, "VmFlags:"))
        take_flags(entry, line);
    return true;
}

bool liveobj_mappings_visit(liveobj_mapping_visit_fn visit, void *context, uint32_t *unread) {
    struct listing listing = {.visit = visit, .context = context, .unread = unread};
    bool is_listed = liveobj_os_visit_lines("/proc/thread-self/smaps", take_mapping_line, &listing);
    if (!is_listed) { // a system without it
        *unread |= LIVEOBJ_UNREAD_LIST;
        is_listed = liveobj_os_visit_lines("/proc/thread-self/maps", take_mapping_line, &listing);
    }
    end_entry(&listing);
    return is_listed;
}

#endif
