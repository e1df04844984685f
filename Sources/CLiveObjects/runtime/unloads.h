// unloads.h - images that were unloaded.
//
// Return addresses and metadata in an unloaded image keep their meaning, but another image may be
// at their addresses now. An object's sequence number decides which of the images it belongs to.

#pragma once

#include "os/os.h"
#include "runtime/image_list.h"

#pragma GCC visibility push(hidden)

/// The reactions of the rest of the recorder to an unload.
struct liveobj_unload_listener {
    /// \returns A sequence number: objects with greater ones were allocated later.
    uint64_t (*mark)(void);
    /// Removes what was derived from code and metadata at these addresses.
    void (*forget)(uintptr_t start, uintptr_t end);
};
/// Lists the loaded images. Called when tracking starts.
void liveobj_unloads_start(const struct liveobj_unload_listener *listener);

/// Compares the loaded images with those at the last call, and removes what was derived from the
/// unloaded ones: unwind rules, last stack traces, decisions about types. Cheap if nothing was
/// loaded or unloaded. Takes the dynamic linker's lock, so it must not be called in a hook.
///
/// Called around each `dlclose` that is seen, and before each capture. An image that is loaded and
/// unloaded between two calls is only counted.
void liveobj_unloads_note(void);

/// The number of calls that found an unload, with or without knowing the image; 0 in most
/// processes. Relaxed.
uint32_t liveobj_unloads_count(void);

/// The unload of the image that contained `address` when an object with this sequence number was
/// allocated.
/// \returns Its sequence number; 0 if none is known.
uint64_t liveobj_unload_of(uintptr_t address, uint64_t sequence);

/// The last unload of an image that contained `address`.
/// \returns Its sequence number; 0 if there is none.
uint64_t liveobj_last_unload_at(uintptr_t address);

/// Adds the unloaded images to a list, in the order of their unloads.
void liveobj_unloads_list(struct liveobj_image_list *list);

void liveobj_unloads_visit_locks(liveobj_lock_visit_fn visit, void *context);

#pragma GCC visibility pop
