// unloads.h - images that were loaded and are not any more.
//
// Return addresses and metadata in such an image mean what they meant while it was there; another
// image may have its place now. An object's sequence number decides which of them it belongs to.

#ifndef LIVEOBJ_UNLOADS_H
#define LIVEOBJ_UNLOADS_H

#include "os/os.h"
#include "runtime/image_list.h"

#include <stdint.h>

#pragma GCC visibility push(hidden)

/// What the rest of the recorder does when images are found to be gone.
struct liveobj_unload_listener {
    /// \returns a sequence number: objects of greater ones were allocated later.
    uint64_t (*mark)(void);
    /// Forgets what was kept of code and metadata at these addresses.
    void (*forget)(uintptr_t start, uintptr_t end);
};
/// Notes what is loaded. When tracking starts.
void liveobj_unloads_start(const struct liveobj_unload_listener *listener);

/// Compares the images that are loaded with those that were when this was called last, and forgets
/// what was kept of those that are gone: unwind rules, last stack traces, decisions about types.
/// Cheap where nothing was loaded or unloaded. Takes the dynamic linker's lock: not in a hook.
///
/// Called around each `dlclose` that is seen, and before each capture. What
/// is loaded and unloaded between two calls is only counted.
void liveobj_unloads_note(void);

/// How often an image was found to be gone, seen or only counted; 0 in most processes. Relaxed.
uint32_t liveobj_unloads_count(void);

/// \returns the sequence number at which the image was unloaded that held `address` when an object
/// with this sequence number was allocated; 0 if none is known.
uint64_t liveobj_unload_of(uintptr_t address, uint64_t sequence);

/// \returns the sequence number at which an image was unloaded last that held `address`; 0 if none.
uint64_t liveobj_last_unload_at(uintptr_t address);

/// Adds the images that are gone to a list, in the order in which they went.
void liveobj_unloads_list(struct liveobj_image_list *list);

void liveobj_unloads_visit_locks(liveobj_lock_visit_fn visit, void *context);

#pragma GCC visibility pop

#endif
