// environment.c - owns nothing: each environment belongs to whoever asked for it.
//
// Memory comes from the system alone, as the program's heap may be in any state when it ends.

#define _GNU_SOURCE
#include "preload.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/// What would have our helpers watched as well, or ask servers, or print otherwise than agreed.
static const char *const unwanted[] = {"LD_PRELOAD", LIVEOBJ_OPTIONS_VARIABLE, "DEBUGINFOD_URLS",
                                       "LLVM_SYMBOLIZER_OPTS"};

static bool is_unwanted(const char *entry) {
    for (size_t i = 0; i < sizeof unwanted / sizeof unwanted[0]; i++) {
        size_t length = strlen(unwanted[i]);
        if (strncmp(entry, unwanted[i], length) == 0 && entry[length] == '=')
            return true;
    }
    return false;
}

char **liveobj_environment_make(void) {
    size_t count = 0, kept = 0;
    while (environ && environ[count])
        count++;
    size_t bytes = (count + 2) * sizeof(char *);
    char **result = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (result == MAP_FAILED)
        return NULL;
    *result++ = (char *)bytes; // for `liveobj_environment_free`
    for (size_t i = 0; i < count; i++)
        if (!is_unwanted(environ[i]))
            result[kept++] = environ[i];
    return result;
}

void liveobj_environment_free(char *const *environment) {
    if (environment)
        munmap((void *)(environment - 1), (size_t)environment[-1]);
}
