// library.c - owns the path of the preload library itself.

#include "program/program.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/// The path with symbolic links resolved, because files installed or built with the library are in
/// the folder of the actual file.
static const char *library_path(void) {
    static char path[PATH_MAX];
    Dl_info self;
    if (!*path && (!dladdr((void *)path, &self) || !realpath(self.dli_fname, path)))
        return NULL;
    return path;
}

bool liveobj_library_sibling(const char *name, char path[PATH_MAX]) {
    const char *library = library_path();
    if (!library)
        return false;
    size_t folder_length = (size_t)(strrchr(library, '/') + 1 - library);
    if (folder_length + strlen(name) >= PATH_MAX)
        return false;
    memcpy(path, library, folder_length);
    strcpy(path + folder_length, name);
    return true;
}
