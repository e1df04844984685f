// mappings.h - the mappings of the process, and how the words in each can be read.
//
// In the program, on any thread. Reads /proc/thread-self/smaps: only it says which pages of a
// private file are the process's own copies, whether an inaccessible mapping has contents, and what
// a fork leaves out.

#pragma once

#include "os/os.h"

#pragma GCC visibility push(hidden)

/// What may have references of the program, and is not read: a set of bits.
enum liveobj_unread {
    LIVEOBJ_UNREAD_MEMORY = 1,  // was listed, and could not be read
    LIVEOBJ_UNREAD_LIST = 2,    // the system says too little about the mappings
    LIVEOBJ_UNREAD_FILES = 4,   // files that are mapped shared and writable
    LIVEOBJ_UNREAD_SWAPPED = 8, // pages that are not in memory
    LIVEOBJ_UNREAD_FORK = 16,   // memory that a fork leaves out: more than is copied
    LIVEOBJ_UNREAD_KERNEL = 32, // what only the kernel has
    LIVEOBJ_UNREAD_KINDS = 6,
};

struct liveobj_mapping {
    struct liveobj_extent extent;
    enum {
        LIVEOBJ_MAPPING_EMPTY,  // nothing that the process has written
        LIVEOBJ_MAPPING_MEMORY, // resident pages are to be read
        LIVEOBJ_MAPPING_FILE,   // private: pages that are the process's own copies are to be read
    } kind;
    bool is_inaccessible;    // the snapshot process may give its copy another protection
    bool is_not_forked;      // a fork leaves it out or clears it
    bool is_file;            // of a file or a device, private or not
    bool is_shared;          // memory that other processes may have too
    uint64_t resident_bytes; // in memory, also those of the file
};

/// \returns false if nothing more is wanted.
typedef bool (*liveobj_mapping_visit_fn)(void *context, const struct liveobj_mapping *mapping);
/// Calls `visit` for each mapping, in the order of addresses.
/// \param unread receives what is known not to be read.
/// \returns false if the system does not list them.
bool liveobj_mappings_visit(liveobj_mapping_visit_fn visit, void *context, uint32_t *unread);

#pragma GCC visibility pop
