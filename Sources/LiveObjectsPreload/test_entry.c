// test_entry.c - leads a test binary to the companion's entry point for Swift Testing.
//
// The way where the library does not show where its test cases begin and end. SwiftPM's runner, in
// the executable, calls one asynchronous function of the library, which runs the tests and ends the
// process. In the executable's slots of it, and nowhere else, stands the companion's then. That one
// asks the library for records of what it does, by its stable interface for tools.

#define _GNU_SOURCE
#include "CCompanion.h"
#include "preload.h"
#include "runtime/image.h"

/// `Testing.__swiftPMEntryPoint(passing:) async -> Never`.
#define ENTRY_POINT                                                                                \
    "$s7Testing19__swiftPMEntryPoint7passings5NeverOAA25__CommandLineArguments_v0VSg_tYaF"

/// What Swift knows of an asynchronous function. Who calls it makes room for its context, and then
/// goes to the function by this, or straight.
struct async_function {
    int32_t distance; ///< of the code, from here
    uint32_t context_bytes;
};

bool liveobj_async_function_replace(const char *file_name, const char *symbol,
                                    const char *record_symbol, const void *function) {
    const struct async_function *record = function;
    if (liveobj_images_replace_got_entries(file_name, record_symbol, (void *)(uintptr_t)function) ==
        0)
        return false;
    const char *code = (const char *)function + record->distance;
    liveobj_images_replace_got_entries(file_name, symbol, (void *)(uintptr_t)code);
    return true;
}

bool liveobj_test_entry_start(const struct liveobj_testing_companion *companion) {
    return companion->entry_point &&
           liveobj_async_function_replace(NULL, ENTRY_POINT, ENTRY_POINT "Tu",
                                          companion->entry_point);
}
