// program.h - the program: whether it is to be tracked, the run that it belongs to, its
// environment, and the files next to the library.

#pragma once

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

#pragma GCC visibility push(hidden)

// MARK: - activation.c

/// Whether the program belongs to a Swift toolchain.
bool liveobj_activation_is_toolchain_program(void);

/// Whether a program that is not of a toolchain is to be tracked, as far as that is known without
/// the recorder. False for the tool, package manifests and plugins, programs that the compiler
/// starts, and test binaries that only list their tests.
bool liveobj_activation_is_wanted(int argument_count, char *const *arguments);

/// The absolute path of the running executable. Without /proc, the path with which it was started.
const char *liveobj_activation_program(void);

/// Whether a program has a toolchain program's file name, in folders that also contain other
/// programs. Separate for tests.
bool liveobj_activation_is_toolchain_name(const char *name);

// MARK: - environment.c

/// Copies the environment. In the constructor, before the program has threads.
void liveobj_environment_start(void);

/// The environment with which the program was started, for a helper. Without the variables that
/// would have the helper tracked as well or would change its output. NULL if memory could not be
/// had. From any thread.
char *const *liveobj_environment(void);

/// The folder for temporary files: TMPDIR as it was at the start, if that is an absolute path. From
/// any thread.
const char *liveobj_environment_temporary_folder(void);

// MARK: - library.c

/// The path of a file relative to the library's folder. The file need not exist. Returns false if
/// the folder is not known.
bool liveobj_library_sibling(const char *name, char path[PATH_MAX]);

// MARK: - own_calls.c

/// Binds the library's calls to the C library, in a constructor before all others. A program may
/// define functions of the same names, which the dynamic linker finds first.
/// \param address In the library.
void liveobj_own_calls_bind(const void *address);

// MARK: - origin.c: the first process of a run

/// Finds out whether this process is the first of its run, and passes that on to the processes that
/// it starts. In every program, before any other function of origin.c.
void liveobj_origin_start(void);

/// Call once this process is tracked: from then on, processes that it starts neither empty the
/// output nor repeat its messages.
/// \param runs_tests Whether it runs tests: a process that it starts is part of one.
void liveobj_origin_begin(bool runs_tests);

/// The value of LIVEOBJECTS_OPTIONS.
const char *liveobj_origin_options(void);

/// Whether this is the first process of a run. Remains true if it executes another program.
bool liveobj_origin_is_first(void);

/// Whether an earlier process of the same run is or was tracked.
bool liveobj_origin_has_begun(void);

/// Whether a tracked process that runs tests started this process, directly or through others.
bool liveobj_origin_is_started_by_test(void);

/// Whether the file is standard error of the first process.
bool liveobj_origin_has_standard_error(const struct stat *file);

#pragma GCC visibility pop
