// activation.h - whether the program is to be tracked.

#ifndef LIVEOBJ_PRELOAD_ACTIVATION_H
#define LIVEOBJ_PRELOAD_ACTIVATION_H

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/// Whether the program belongs to a Swift toolchain.
bool liveobj_activation_is_toolchain_program(void);

/// Whether a program that is not of a toolchain is to be tracked, as far as that is known without
/// the recorder. False for the tool, package manifests and plugins, programs that the compiler
/// starts, exit tests, and test binaries that only list their tests.
bool liveobj_activation_is_wanted(int argument_count, char *const *arguments);

/// The absolute path of the running executable. Without /proc, the path with which it was started.
const char *liveobj_activation_program(void);

/// Whether a program has a toolchain program's file name, in folders that also contain other
/// programs. Separate for tests.
bool liveobj_activation_is_toolchain_name(const char *name);

#pragma GCC visibility pop

#endif
