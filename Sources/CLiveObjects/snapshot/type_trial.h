// type_trial.h - types of a program that has unloaded an image, tried in a copy of the process.
//
// There is no way to know which types still depend on an image that is gone: a generic argument
// may, a field, or what the runtime has to search for a conformance, which is all images that ever
// were. So the program asks the runtime for nothing then that did not come off in a copy of it
// before.

#ifndef LIVEOBJ_TYPE_TRIAL_H
#define LIVEOBJ_TYPE_TRIAL_H

#pragma GCC visibility push(hidden)

struct liveobj_capture;
/// Tries the types of the capture's objects that have not been tried since the last unload; and
/// forgets all layouts if there was one. Does nothing in a program that has unloaded none. For one
/// thread at a time.
void liveobj_types_try(struct liveobj_capture *capture);

#pragma GCC visibility pop

#endif
