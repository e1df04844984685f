// activation.c - decides whether the program is to be tracked. Owns the path of the executable.
//
// LD_PRELOAD affects every program that a build or a test run starts. Only programs that a user
// wrote are tracked. In all others nothing may be printed, and the runtime must not be touched.
// Runs in the constructor, before the program's own code.

#include "CLiveObjects.h"
#include "program/program.h"
#include "text.h"

#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

static const char *file_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/// Reads /proc/<process>/exe; empty if it cannot be read.
static void read_program(const char *process, char path[PATH_MAX]) {
    char link[64] = "/proc/";
    strncat(link, process, 32);
    strcat(link, "/exe");
    ssize_t count = readlink(link, path, PATH_MAX - 1);
    path[count > 0 ? count : 0] = '\0';
}

const char *liveobj_activation_program(void) {
    static char path[PATH_MAX];
    if (!*path)
        read_program("self", path);
    const char *as_started = (const char *)getauxval(AT_EXECFN); // without /proc
    return *path || !as_started ? path : as_started;
}

// MARK: - The toolchain's own programs

bool liveobj_activation_is_toolchain_name(const char *name) {
    static const char *const exact[] = {"swift", "swiftc", "docc", "plutil", "repl_swift"};
    static const char *const prefixes[] = {"swift-", "swiftc-", "sourcekit",
                                           "lldb",   "clang",   "llvm-"};
    for (size_t i = 0; i < sizeof exact / sizeof exact[0]; i++)
        if (strcmp(name, exact[i]) == 0)
            return true;
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
        if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    return false;
}

/// Whether a toolchain installed as a system package shares the folder with other programs.
static bool is_shared_folder(const char *folder) {
    return strcmp(folder, "/usr/bin/") == 0 || strcmp(folder, "/usr/local/bin/") == 0 ||
           strcmp(folder, "/bin/") == 0;
}

/// Whether a file called `other` is in the program's folder.
static bool has_neighbor(const char *program, const char *other) {
    char path[PATH_MAX + 64];
    size_t folder_length = (size_t)(file_name(program) - program);
    memcpy(path, program, folder_length);
    path[folder_length] = '\0';
    strncat(path, other, 63);
    return access(path, F_OK) == 0;
}

bool liveobj_activation_is_toolchain_program(void) {
    const char *program = liveobj_activation_program();
    char folder[PATH_MAX];
    const char *name = file_name(program);
    memcpy(folder, program, (size_t)(name - program));
    folder[name - program] = '\0';
    return has_neighbor(program, "swift-frontend") &&
           (!is_shared_folder(folder) || liveobj_activation_is_toolchain_name(name));
}

/// Whether the program is the tool, under a library that is exported to every command: the tool is
/// not tracked.
static bool is_our_tool(const char *program) {
    return strcmp(file_name(program), "liveobjects") == 0 &&
           (has_neighbor(program, "libLiveObjectsPreload.so") ||
            has_neighbor(program, "../lib/liveobjects/libLiveObjectsPreload.so"));
}

/// Whether the compiler started the program: macro plugins are ordinary executables.
static bool is_started_by_compiler(void) {
    char process[LIVEOBJ_DIGITS], path[PATH_MAX];
    read_program(liveobj_text_digits(process, (uint64_t)getppid()), path);
    const char *name = file_name(path);
    return strcmp(name, "swift-frontend") == 0 || strcmp(name, "swift-plugin-server") == 0 ||
           strncmp(name, "sourcekit", strlen("sourcekit")) == 0;
}

static int is_package_library(struct dl_phdr_info *image, size_t size, void *context) {
    (void)size, (void)context;
    const char *name = file_name(image->dlpi_name ? image->dlpi_name : "");
    return strcmp(name, "libPackageDescription.so") == 0 ||
           strcmp(name, "libPackagePlugin.so") == 0;
}

/// Whether the program is a package manifest or package plugin, which SwiftPM compiles and runs.
static bool is_part_of_a_build(void) {
    return dl_iterate_phdr(is_package_library, NULL) != 0;
}

// MARK: - Test binaries that run no test

static bool has_suffix(const char *string, const char *suffix) {
    size_t length = strlen(string), suffix_length = strlen(suffix);
    return length >= suffix_length && strcmp(string + length - suffix_length, suffix) == 0;
}

/// Whether a test binary only lists its tests: another program reads its output, and no test runs
/// that could leak.
static bool only_lists_tests(int count, char *const *arguments) {
    const char *program = liveobj_activation_program();
    return (has_suffix(program, ".xctest") || has_suffix(program, "-test-runner")) &&
           liveobj_arguments_only_list_tests(count, arguments);
}

bool liveobj_activation_is_wanted(int argument_count, char *const *arguments) {
    const char *program = liveobj_activation_program();
    return !is_our_tool(program) && !is_part_of_a_build() && !is_started_by_compiler() &&
           !only_lists_tests(argument_count, arguments);
}
