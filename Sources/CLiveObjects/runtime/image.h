// image.h - loaded images: segments, symbols, global-offset-table entries, build ids.

#ifndef LIVEOBJ_IMAGE_H
#define LIVEOBJ_IMAGE_H

#include "os/os.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// A loaded image. Pointers lead into memory of the dynamic linker and of the image itself.
struct liveobj_image {
    uintptr_t bias;
    uintptr_t start;
    uintptr_t end;
    const char *path;
    const void *headers; // ElfW(Phdr)
    size_t header_count;
    uintptr_t thread_locals; // those of the thread that looks; 0 if it has none yet
    bool is_main;
};

/// Calls `visit` for every image, the executable first, until it returns true. Takes the dynamic
/// linker's lock: outside of hooks only. `visit` must not look at images itself.
typedef bool (*liveobj_image_visit_fn)(void *context, const struct liveobj_image *image);
void liveobj_images_visit(liveobj_image_visit_fn visit, void *context);
void liveobj_images_visit_locks(liveobj_lock_visit_fn visit, void *context);

/// Whether the name of its file begins with `prefix`.
bool liveobj_image_is_named(const struct liveobj_image *image, const char *prefix);

/// Finds the image that holds `address`.
bool liveobj_image_of(uintptr_t address, struct liveobj_image *image);

/// Calls `visit` for the memory of the image's variables: what can be written, and can still be
/// once the image is relocated.
void liveobj_image_visit_variables(const struct liveobj_image *image, liveobj_extent_visit_fn visit,
                                   void *context);

/// The bounds of the symbol in the image's file on disk (`.symtab`, then `.dynsym`); {0, 0} if
/// absent.
struct liveobj_extent liveobj_image_symbol(const struct liveobj_image *image, const char *name);

/// Where the image's code contains these bytes for the first time; {0, 0} if nowhere.
struct liveobj_extent liveobj_image_code_like(const struct liveobj_image *image, const void *bytes,
                                              size_t count);

/// The name of a symbol that begins at `address`, among those that begin with `prefix`.
/// \returns false if there is none or its name does not fit.
bool liveobj_image_symbol_at(const struct liveobj_image *image, uintptr_t address,
                             const char *prefix, char *name, size_t capacity);

/// True if the file on disk has a section whose name begins with `prefix`.
bool liveobj_image_has_section(const struct liveobj_image *image, const char *prefix);

/// True if the address lies in a segment of the image with at least the wanted protection (PF_X,
/// PF_W).
bool liveobj_image_contains(const struct liveobj_image *image, uintptr_t address,
                            uint32_t segment_flags);

/// Stores `replacement` in every global-offset-table slot of the image that is bound to `symbol`.
struct liveobj_got_entries {
    unsigned found;   // all of them
    unsigned changed; // those that held something else
};
struct liveobj_got_entries liveobj_image_replace_got_entries(const struct liveobj_image *image,
                                                             const char *symbol, void *replacement);

/// The same in a loaded library, found by its file's name. Not inside `liveobj_images_visit`.
/// \returns the number of slots found.
unsigned liveobj_images_replace_got_entries(const char *file_name, const char *symbol,
                                            void *replacement);

struct liveobj_build_id {
    const unsigned char *bytes;
    size_t count;
};
struct liveobj_build_id liveobj_image_build_id(const struct liveobj_image *image);

#pragma GCC visibility pop

#endif
