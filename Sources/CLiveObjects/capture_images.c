// capture_images.c - the loaded images as a capture names them, and addresses in them.
//
// Owns the table of one capture, taken from the system and given back at its end.

#if defined(__linux__)

#include "capture.h"

#include <string.h>

enum { IMAGE_LIMIT = 65535, NO_IMAGE = 65535 };
static const uint32_t no_image_id = UINT32_MAX;

/// What is said of an image, copied while the dynamic linker holds its lock: afterwards another
/// thread may unload it.
struct liveobj_captured_image {
    uintptr_t bias;
    uintptr_t start;
    uintptr_t end;
    bool is_main;
    unsigned char build_id_count;
    unsigned char build_id[64];
    uint32_t path; // in `paths`
};

enum { PATHS_BYTES = 1 << 22 };

static uint32_t copy_path(struct liveobj_captured_images *images, const char *path) {
    size_t bytes = strlen(path) + 1, start = images->paths_used;
    if (bytes > PATHS_BYTES - start)
        return 0;
    memcpy(images->paths + start, path, bytes);
    images->paths_used += bytes;
    return (uint32_t)start;
}

static bool add_image(void *context, const struct liveobj_image *image) {
    struct liveobj_captured_images *images = context;
    if (image->start >= image->end)
        return false;
    struct liveobj_captured_image *item = &images->items[images->count++];
    *item = (struct liveobj_captured_image){image->bias, image->start, image->end, image->is_main,
                                            .path = copy_path(images, image->path)};
    struct liveobj_build_id id = liveobj_image_build_id(image);
    size_t most = sizeof item->build_id;
    item->build_id_count = (unsigned char)(id.count < most ? id.count : most);
    memcpy(item->build_id, id.bytes ? id.bytes : item->build_id, item->build_id_count);
    return images->count == IMAGE_LIMIT;
}

bool liveobj_captured_images_start(struct liveobj_captured_images *images) {
    // Address space for all that the format can name; memory only for those there are.
    images->items = liveobj_os_map(IMAGE_LIMIT * sizeof *images->items);
    images->paths = liveobj_os_map(PATHS_BYTES);
    images->count = images->last = 0;
    images->paths_used = 1;
    bool started = images->items && images->paths;
    if (started)
        liveobj_images_visit(add_image, images);
    return started;
}

void liveobj_captured_images_end(struct liveobj_captured_images *images) {
    liveobj_os_unmap(images->items, IMAGE_LIMIT * sizeof *images->items);
    liveobj_os_unmap(images->paths, PATHS_BYTES);
}

uint32_t liveobj_captured_image_id(struct liveobj_captured_images *images, uintptr_t address) {
    for (uint32_t i = 0; i < images->count; i++) {
        uint32_t id = (images->last + i) % images->count;
        if (address >= images->items[id].start && address < images->items[id].end)
            return images->last = id;
    }
    return no_image_id;
}

uint64_t liveobj_frame_word(struct liveobj_captured_images *images, uintptr_t pc) {
    uint32_t id = liveobj_captured_image_id(images, pc);
    uint64_t image = id == no_image_id ? NO_IMAGE : id;
    uintptr_t offset = id == no_image_id ? pc : pc - images->items[id].bias;
    return image << 48 | (offset & ((UINT64_C(1) << 48) - 1));
}

// MARK: - IMAG

static bool begins_with(const char *text, const char *prefix) {
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/// Part of the toolchain or of the system: beside the Swift runtime, or in the system's library
/// folders.
static bool is_system(const struct liveobj_captured_image *image, const char *path) {
    const struct liveobj_image *runtime = &liveobj_recorder_runtime()->image;
    if (image->is_main)
        return false;
    if (begins_with(path, "/lib") || begins_with(path, "/usr/lib") ||
        !strchr(path, '/')) // the kernel's own
        return true;
    const char *slash = runtime->is_main ? NULL : strrchr(runtime->path, '/');
    return slash && strncmp(path, runtime->path, (size_t)(slash - runtime->path) + 1) == 0;
}

void liveobj_write_images(struct liveobj_stream *stream,
                          const struct liveobj_captured_images *images) {
    struct liveobj_section section;
    if (!liveobj_section_start(&section, stream, "IMAG"))
        return;
    for (uint32_t id = 0; id < images->count; id++) {
        const struct liveobj_captured_image *image = &images->items[id];
        const char *path = images->paths + image->path;
        liveobj_section_reserve(&section, 2 * LIVEOBJ_STRING_LIMIT + 64);
        liveobj_put_u32(&section, id);
        liveobj_put_u32(&section, is_system(image, path));
        liveobj_put_u64(&section, image->bias);
        liveobj_put_u64(&section, image->start);
        liveobj_put_u64(&section, image->end);
        liveobj_put_string(&section, (const char *)image->build_id, image->build_id_count);
        if (image->is_main)
            liveobj_put_executable(&section);
        else
            liveobj_put_text(&section, path);
    }
    liveobj_section_finish(&section);
}

#endif
