// image_list.h - a list of images, with what a capture records of each.

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

struct liveobj_listed_image {
    uintptr_t bias;
    uintptr_t start;
    uintptr_t end;
    bool is_main;
    unsigned char build_id_count;
    unsigned char build_id[64];
    uint32_t path; // offset in `paths`
};

/// A list with address space for all that fits.
struct liveobj_image_list {
    struct liveobj_listed_image *items;
    uint32_t count;
    uint32_t limit;
    char *paths; // NUL-terminated; the first is empty
    size_t paths_used;
    size_t paths_bytes;
};

bool liveobj_image_list_start(struct liveobj_image_list *list, uint32_t limit, size_t paths_bytes);
void liveobj_image_list_end(struct liveobj_image_list *list);
/// Adds all loaded images, as far as there is room.
void liveobj_image_list_add_loaded(struct liveobj_image_list *list);
/// Adds a copy of another list's image. \returns The copy; NULL if there is no room.
struct liveobj_listed_image *liveobj_image_list_add(struct liveobj_image_list *list,
                                                    const struct liveobj_listed_image *image,
                                                    const char *path);

static inline const char *liveobj_image_list_path(const struct liveobj_image_list *list,
                                                  const struct liveobj_listed_image *image) {
    return list->paths + image->path;
}

static inline bool liveobj_listed_image_contains(const struct liveobj_listed_image *image,
                                                 uintptr_t address) {
    return address >= image->start && address < image->end;
}

#pragma GCC visibility pop
