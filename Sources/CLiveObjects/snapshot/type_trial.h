// type_trial.h - tries types in a snapshot process, after the program has unloaded an image.
//
// It cannot be known which types still depend on an unloaded image. A generic argument may, a field
// may, or a conformance for which the runtime searches all images that were ever loaded. So the
// program then asks the runtime only for types for which the same request has succeeded in a
// snapshot process.

#ifndef LIVEOBJ_TYPE_TRIAL_H
#define LIVEOBJ_TYPE_TRIAL_H

#pragma GCC visibility push(hidden)

struct liveobj_capture;
/// Tries the types of the capture's objects that were not tried since the last unload. Forgets all
/// layouts if an image was unloaded since the last call. Does nothing in a program that has
/// unloaded no image. One thread at a time.
void liveobj_types_try(struct liveobj_capture *capture);

#pragma GCC visibility pop

#endif
