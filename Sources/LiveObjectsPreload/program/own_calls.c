// own_calls.c - binds the library's own calls to the C library. Owns nothing.
//
// The dynamic linker searches the program before the C library: a program with a function `access`
// or `poll` of its own would be called instead. The allocator may be the program's: what one
// function allocates, another one frees.

#include "program/program.h"
#include "runtime/image.h"

#include <dlfcn.h>
#include <string.h>

static bool is_of_allocator(const char *symbol) {
    static const char *const names[] = {"malloc",         "calloc", "realloc",
                                        "posix_memalign", "free",   "malloc_usable_size"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(symbol, names[i]) == 0)
            return true;
    return false;
}

static void *find_in_libc(void *libc, const char *symbol) {
    return is_of_allocator(symbol) ? NULL : dlsym(libc, symbol);
}

/// Sanitizers have to see some calls, such as those that create threads.
static bool has_sanitizer(void *program) {
    return dlsym(program, "__sanitizer_report_error_summary") != NULL;
}

void liveobj_own_calls_bind(const void *address) {
    struct liveobj_image library;
    void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
    void *program = dlopen(NULL, RTLD_LAZY);
    if (libc && program && !has_sanitizer(program) &&
        liveobj_image_of((uintptr_t)address, &library))
        liveobj_image_bind_calls(&library, find_in_libc, libc);
    dlerror(); // the program's own call must not return an error of ours
}
