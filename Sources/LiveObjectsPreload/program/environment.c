// environment.c - owns a copy of the environment with which the program was started.
//
// Helpers run while the program's threads run. A thread must not read the environment while another
// changes it, because the entries and the array move. So it is read once, in the constructor. The
// memory comes from the system alone and is never freed.

#include "options.h"
#include "program/program.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/// Variables that would make our helpers be tracked, contact servers, or change their output.
static const char *const unwanted[] = {"LD_PRELOAD", LIVEOBJ_OPTIONS_VARIABLE, "DEBUGINFOD_URLS",
                                       "LLVM_SYMBOLIZER_OPTS"};

static char **copy;

static bool is_unwanted(const char *entry) {
    for (size_t i = 0; i < sizeof unwanted / sizeof unwanted[0]; i++) {
        size_t length = strlen(unwanted[i]);
        if (strncmp(entry, unwanted[i], length) == 0 && entry[length] == '=')
            return true;
    }
    return false;
}

/// The size of the copy: pointers and a NULL, then the strings.
static size_t bytes_needed(size_t *count) {
    size_t bytes = sizeof(char *);
    for (*count = 0; environ && environ[*count]; ++*count)
        bytes += sizeof(char *) + strlen(environ[*count]) + 1;
    return bytes;
}

void liveobj_environment_start(void) {
    size_t count, copied = 0, bytes = bytes_needed(&count);
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    copy = memory == MAP_FAILED ? NULL : memory;
    char *text = copy ? (char *)(copy + count + 1) : NULL;
    for (size_t i = 0; copy && i < count; i++) {
        if (is_unwanted(environ[i]))
            continue;
        copy[copied++] = text;
        text = stpcpy(text, environ[i]) + 1;
    }
}

char *const *liveobj_environment(void) {
    return copy;
}

const char *liveobj_environment_temporary_folder(void) {
    static const char start[] = "TMPDIR=";
    for (char **entry = copy; entry && *entry; entry++) {
        const char *folder = *entry + sizeof start - 1;
        if (strncmp(*entry, start, sizeof start - 1) == 0 && folder[0] == '/' &&
            strlen(folder) < PATH_MAX)
            return folder;
    }
    return "/tmp";
}
