// capture_images.c - writes the images of a capture, and encodes addresses in them.
//
// Owns the table of one capture, in memory from the system that is freed at the end of the capture.

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

bool liveobj_captured_images_start(struct liveobj_captured_images *images) {
    liveobj_unloads_note();
    // Reserves address space for all that the format can encode; uses memory only for existing
    // images.
    if (!liveobj_image_list_start(&images->list, IMAGE_LIMIT, PATHS_BYTES))
        return false;
    liveobj_image_list_add_loaded(&images->list);
    return true;
}

uint32_t liveobj_captured_image_id(struct liveobj_captured_images *images, uintptr_t address) {
    for (uint32_t i = 0; i < images->list.count; i++) {
        uint32_t id = (images->last + i) % images->list.count;
        if (liveobj_listed_image_contains(&images->list.items[id], address))
            return images->last = id;
    }
    return no_image_id;
}

uint64_t liveobj_frame_word(struct liveobj_captured_images *images, uintptr_t pc) {
    uint32_t id = liveobj_captured_image_id(images, pc);
    uint64_t image = id == no_image_id ? NO_IMAGE : id;
    uintptr_t offset = id == no_image_id ? pc : pc - images->list.items[id].bias;
    return image << 48 | (offset & ((UINT64_C(1) << 48) - 1));
}

// MARK: - IMAG

/// Whether the image belongs to the toolchain or the system: in the folder of the Swift runtime, or
/// in the system's library folders.
static bool is_system(const struct liveobj_listed_image *image, const char *path) {
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
    for (uint32_t id = 0; id < images->list.count; id++) {
        const struct liveobj_listed_image *image = &images->list.items[id];
        const char *path = liveobj_image_list_path(&images->list, image);
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
