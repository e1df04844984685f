// image_list.c - lists of images; see image_list.h.
//
// An image's data is copied while the dynamic linker holds its lock, because another thread may
// unload the image afterwards. Runs outside of hooks.

#if defined(__linux__)

#include "runtime/image_list.h"
#include "os/os.h"
#include "runtime/image.h"

#include <string.h>

bool liveobj_image_list_start(struct liveobj_image_list *list, uint32_t limit, size_t paths_bytes) {
    *list = (struct liveobj_image_list){
        .items = liveobj_os_map(limit * sizeof *list->items),
        .limit = limit,
        .paths = liveobj_os_map(paths_bytes),
        .paths_used = 1,
        .paths_bytes = paths_bytes,
    };
    return list->items && list->paths;
}

void liveobj_image_list_end(struct liveobj_image_list *list) {
    liveobj_os_unmap(list->items, list->limit * sizeof *list->items);
    liveobj_os_unmap(list->paths, list->paths_bytes);
    *list = (struct liveobj_image_list){0};
}

static uint32_t copy_path(struct liveobj_image_list *list, const char *path) {
    size_t bytes = strlen(path) + 1, start = list->paths_used;
    if (bytes > list->paths_bytes - start)
        return 0;
    memcpy(list->paths + start, path, bytes);
    list->paths_used += bytes;
    return (uint32_t)start;
}

struct liveobj_listed_image *liveobj_image_list_add(struct liveobj_image_list *list,
                                                    const struct liveobj_listed_image *image,
                                                    const char *path) {
    if (list->count == list->limit)
        return NULL;
    struct liveobj_listed_image *item = &list->items[list->count++];
    *item = *image;
    item->path = copy_path(list, path);
    return item;
}

static bool list_loaded_image(void *list, const struct liveobj_image *image) {
    if (image->start >= image->end)
        return false;
    struct liveobj_listed_image item = {
        .bias = image->bias, .start = image->start, .end = image->end, .is_main = image->is_main};
    struct liveobj_build_id id = liveobj_image_build_id(image);
    item.build_id_count =
        (unsigned char)(id.count < sizeof item.build_id ? id.count : sizeof item.build_id);
    if (id.bytes)
        memcpy(item.build_id, id.bytes, item.build_id_count);
    return !liveobj_image_list_add(list, &item, image->path);
}

void liveobj_image_list_add_loaded(struct liveobj_image_list *list) {
    liveobj_images_visit(list_loaded_image, list);
}

#endif
