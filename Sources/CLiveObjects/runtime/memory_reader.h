// memory_reader.h - reads the heap of a running program without touching freed memory.

#ifndef LIVEOBJ_MEMORY_READER_H
#define LIVEOBJ_MEMORY_READER_H

#include "os/os.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// Metadata that proved to be sound.
struct liveobj_known_metadata {
    uintptr_t address;
    /// Of what it leads to directly, some lies where an image was until then; 0 if none does.
    uint64_t last_unload;
};

/// Reads memory of this process that may not be there, or not any more.
struct liveobj_reader {
    bool direct;  // in the copy of the process: plain loads will do
    bool refused; // the system does not let us look
    uintptr_t page;
    uint32_t unloads; // what is known of metadata is as old as this one
    struct liveobj_known_metadata known[256];
    unsigned char bytes[LIVEOBJ_PAGE_BYTES];
};
void liveobj_reader_start(struct liveobj_reader *reader);
/// \returns false if the memory is not there (any more).
bool liveobj_read(struct liveobj_reader *reader, uintptr_t address, void *into, size_t count);
/// For an address that may never have been one.
bool liveobj_read_checked(struct liveobj_reader *reader, uintptr_t address, void *into,
                          size_t count);
/// The same, by one call of the system for all of it.
bool liveobj_read_block(struct liveobj_reader *reader, uintptr_t address, void *into, size_t count);

#pragma GCC visibility pop

#endif
