// image.h - loaded images: segments, symbols, GOT entries, build ids.

#pragma once

#include "os/os.h"

#pragma GCC visibility push(hidden)

/// A loaded image. Pointers refer to memory of the dynamic linker and of the image.
struct liveobj_image {
    uintptr_t bias;
    uintptr_t start;
    uintptr_t end;
    const char *path;
    const void *headers; // ElfW(Phdr)
    size_t header_count;
    uintptr_t thread_locals; // the calling thread's; 0 if it has none yet
    bool is_main;
};

/// The path of the executable as an image.
extern const char liveobj_program_path[];

typedef bool (*liveobj_image_visit_fn)(void *context, const struct liveobj_image *image);
/// Calls `visit` for every image, the executable first, until it returns true. Takes the dynamic
/// linker's lock, so it must be called outside of hooks. `visit` must not visit images itself.
void liveobj_images_visit(liveobj_image_visit_fn visit, void *context);
void liveobj_images_visit_locks(liveobj_lock_visit_fn visit, void *context);

/// The path of the image's file without its folder; the end of the path.
const char *liveobj_image_file_name(const struct liveobj_image *image);
/// Whether the name of the image's file begins with `prefix`.
bool liveobj_image_is_named(const struct liveobj_image *image, const char *prefix);

/// Finds the image that contains `address`.
bool liveobj_image_of(uintptr_t address, struct liveobj_image *image);

/// Calls `visit` for the memory of the image's variables: the segments that can be written, except
/// the parts that are read-only after relocation.
void liveobj_image_visit_variables(const struct liveobj_image *image, liveobj_extent_visit_fn visit,
                                   void *context);

/// The pages that the dynamic linker has made read-only after relocation; {0, 0} if there are none.
struct liveobj_extent liveobj_image_read_only_pages(const struct liveobj_image *image);

/// The bounds of a symbol, from the image's file on disk (`.symtab`, then `.dynsym`); {0, 0} if the
/// file does not have it.
struct liveobj_extent liveobj_image_symbol(const struct liveobj_image *image, const char *name);

/// Searches the image's code. \returns What `find` returned for a segment, if not 0 for all.
uintptr_t liveobj_image_find_in_code(const struct liveobj_image *image,
                                     uintptr_t (*find)(struct liveobj_extent code));

/// Finds the symbol at `address` whose name begins with `prefix`.
/// \returns false if there is none or its name does not fit.
bool liveobj_image_symbol_at(const struct liveobj_image *image, uintptr_t address,
                             const char *prefix, char *name, size_t capacity);

/// True if the file on disk has a section whose name begins with `prefix`.
bool liveobj_image_has_section(const struct liveobj_image *image, const char *prefix);

/// True if the address is in a segment of the image with at least these flags (PF_X, PF_W).
bool liveobj_image_contains(const struct liveobj_image *image, uintptr_t address,
                            uint32_t segment_flags);

// MARK: - got_entries.c

/// The GOT entries of an image that are bound to one symbol.
struct liveobj_got_entries {
    unsigned found;   // all of them
    unsigned changed; // those that had another value
};
struct liveobj_got_entries liveobj_image_replace_got_entries(const struct liveobj_image *image,
                                                             const char *symbol, void *replacement);

/// The kinds of relocations of GOT entries (arch/address.h): of those that may be bound at the
/// first call, and of the others.
struct liveobj_got_relocations {
    uint32_t of_call;
    uint32_t of_address;
};
/// Replaces the GOT entries of an image that are bound to `original`, or not bound yet: no variable
/// of the program that has the function's address, and no entry of another function of that name.
void liveobj_image_redirect_calls(const struct liveobj_image *image, const char *symbol,
                                  struct liveobj_got_relocations kinds, const void *original,
                                  void *replacement);

/// Binds each function that an image calls to what `find` returns for its name, unless that is
/// NULL.
void liveobj_image_bind_calls(const struct liveobj_image *image,
                              void *(*find)(void *context, const char *symbol), void *context);

/// The GOT entry of a function that the image imports; NULL if it imports no such function.
void **liveobj_image_import(const struct liveobj_image *image, const char *symbol);

/// Replaces GOT entries of a loaded library, found by its file's name. Not inside
/// `liveobj_images_visit`. \returns the number of slots found.
unsigned liveobj_images_replace_got_entries(const char *file_name, const char *symbol,
                                            void *replacement);

// MARK: - image.c

struct liveobj_build_id {
    const unsigned char *bytes;
    size_t count;
};
struct liveobj_build_id liveobj_image_build_id(const struct liveobj_image *image);

#pragma GCC visibility pop
