// capture_images.c - writes the images of a capture, and encodes addresses in them.
//
// Owns the table of one capture, in memory from the system that is freed at the end of the capture.
// An image's data is copied while the dynamic linker holds its lock, because another thread may
// unload the image afterwards.

#if defined(__linux__)

#include "capture/capture.h"
#include "os/os.h"
#include "runtime/image.h"
#include "runtime/runtime.h"
#include "runtime/unloads.h"

#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { IMAGE_LIMIT = 65535, NO_IMAGE = 65535, PATHS_BYTES = 1 << 22 };
static const uint32_t no_image_id = UINT32_MAX;

struct liveobj_captured_image {
    uintptr_t bias;
    uintptr_t start;
    uintptr_t end;
    bool is_main;
    unsigned char build_id_count;
    unsigned char build_id[64];
    uint32_t path; // offset in the table's `paths`
};

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
    if (images->count == IMAGE_LIMIT)
        return true;
    if (image->start >= image->end)
        return false;
    struct liveobj_captured_image *item = &images->items[images->count++];
    *item = (struct liveobj_captured_image){.bias = image->bias,
                                            .start = image->start,
                                            .end = image->end,
                                            .is_main = image->is_main,
                                            .path = copy_path(images, image->path)};
    struct liveobj_build_id id = liveobj_image_build_id(image);
    item->build_id_count =
        (unsigned char)(id.count < sizeof item->build_id ? id.count : sizeof item->build_id);
    if (id.bytes)
        memcpy(item->build_id, id.bytes, item->build_id_count);
    return false;
}

bool liveobj_captured_images_start(struct liveobj_captured_images *images) {
    liveobj_unloads_note();
    // Reserves address space for all that the format can encode; uses memory only for existing
    // images.
    *images = (struct liveobj_captured_images){
        .items = liveobj_os_map(IMAGE_LIMIT * sizeof *images->items),
        .paths = liveobj_os_map(PATHS_BYTES),
        .paths_used = 1,
    };
    if (!images->items || !images->paths)
        return false;
    liveobj_images_visit(add_image, images);
    return true;
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

/// Whether the image belongs to the toolchain or the system: in the folder of the Swift runtime, or
/// in the system's library folders.
static bool is_system(const struct liveobj_captured_image *image, const char *path) {
    const struct liveobj_image *runtime = &liveobj_runtime_current()->image;
    if (image->is_main)
        return false;
    if (liveobj_os_begins_with(path, "/lib") || liveobj_os_begins_with(path, "/usr/lib") ||
        !strchr(path, '/')) // the vDSO
        return true;
    const char *slash = runtime->is_main ? NULL : strrchr(runtime->path, '/');
    return slash && strncmp(path, runtime->path, (size_t)(slash - runtime->path) + 1) == 0;
}

/// Writes a path. Makes the path of a library that was loaded by a relative path absolute, because
/// the reader of the capture may run in another folder.
static void put_path(struct liveobj_section *section, const char *path) {
    char absolute[4096];
    bool is_relative = path[0] != '/' && strchr(path, '/'); // the vDSO is in no folder
    long folder = is_relative ? syscall(SYS_getcwd, absolute, sizeof absolute) : 0; // with the NUL
    size_t length = strlen(path);
    if (folder <= 1 || absolute[0] != '/' || (size_t)folder + length >= sizeof absolute) {
        liveobj_put_text(section, path);
        return;
    }
    absolute[folder - 1] = '/';
    memcpy(absolute + folder, path, length + 1);
    liveobj_put_text(section, absolute);
}

void liveobj_write_images(struct liveobj_stream *stream,
                          const struct liveobj_captured_images *images) {
    enum { IS_SYSTEM = 1 }; // flag
    struct liveobj_section section;
    if (!liveobj_section_start(&section, stream, "IMAG"))
        return;
    for (uint32_t id = 0; id < images->count; id++) {
        const struct liveobj_captured_image *image = &images->items[id];
        const char *path = images->paths + image->path;
        liveobj_section_reserve(&section, 2 * LIVEOBJ_STRING_LIMIT + 64);
        liveobj_put_u32(&section, id);
        liveobj_put_u32(&section, is_system(image, path) ? IS_SYSTEM : 0);
        liveobj_put_u64(&section, image->bias);
        liveobj_put_u64(&section, image->start);
        liveobj_put_u64(&section, image->end);
        liveobj_put_string(&section, (const char *)image->build_id, image->build_id_count);
        if (image->is_main)
            liveobj_put_executable(&section);
        else
            put_path(&section, path);
    }
    liveobj_section_finish(&section);
}

#endif
