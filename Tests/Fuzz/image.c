// The reader of a loaded image's file, which another may have replaced.

#include "runtime/image.h"
#include "os/os.h"

#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

void test_input(const uint8_t *bytes, size_t count);

void test_input(const uint8_t *bytes, size_t count) {
    static int descriptor = -1;
    static char path[32];
    if (descriptor < 0) {
        descriptor = memfd_create("image", 0);
        snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    }
    if (count < sizeof(ElfW(Ehdr)) || ftruncate(descriptor, 0) != 0 ||
        pwrite(descriptor, bytes, count, 0) != (ssize_t)count)
        return;
    // Loaded where the input is, so that the file is the image's own.
    ElfW(Phdr) header = {.p_type = PT_LOAD, .p_filesz = count, .p_memsz = count};
    struct liveobj_image image = {.path = path,
                                  .bias = (uintptr_t)bytes,
                                  .start = (uintptr_t)bytes,
                                  .end = (uintptr_t)bytes + count,
                                  .headers = &header,
                                  .header_count = 1};
    char name[64];
    liveobj_image_symbol(&image, "main");
    liveobj_image_symbol_at(&image, image.bias + 0x1139, "", name, sizeof name);
    liveobj_image_has_section(&image, "swift5_");
}
