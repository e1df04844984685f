// memory_reader.h - reads memory of the running program that may be unmapped or freed meanwhile.

#pragma once

#include "os/os.h"

#pragma GCC visibility push(hidden)

/// Metadata that was found valid, the last of several in a place.
struct liveobj_metadata_cache {
    uintptr_t known[256];
};

/// Reads memory of this process that may not be mapped, or not any more.
struct liveobj_reader {
    bool direct;  // in the snapshot process: plain loads suffice
    bool refused; // the system refuses process_vm_readv
    uintptr_t page;
    struct liveobj_metadata_cache *shared; // with the lock of captures; NULL: `own`
    struct liveobj_metadata_cache own;
    unsigned char bytes[LIVEOBJ_PAGE_BYTES];
};
void liveobj_reader_start(struct liveobj_reader *reader);
/// Forgets what was read, but not which metadata is valid.
void liveobj_reader_renew(struct liveobj_reader *reader);
/// \returns false if the memory is not mapped (any more).
bool liveobj_read(struct liveobj_reader *reader, uintptr_t address, void *into, size_t count);
/// The same for any word, which may never have been an address: a load from the memory of a device
/// has effects. So the kernel reads it, in the snapshot process once for each page.
bool liveobj_read_checked(struct liveobj_reader *reader, uintptr_t address, void *into,
                          size_t count);
/// The same, with one system call for the whole block.
bool liveobj_read_block(struct liveobj_reader *reader, uintptr_t address, void *into, size_t count);

/// In the snapshot process, which unmaps no memory of the program: caches which pages can be read.
void liveobj_reader_cache_pages(void);

#pragma GCC visibility pop
