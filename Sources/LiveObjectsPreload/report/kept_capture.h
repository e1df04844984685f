// kept_capture.h - keeps the capture if no tool can make a report.

#ifndef LIVEOBJ_PRELOAD_KEPT_CAPTURE_H
#define LIVEOBJ_PRELOAD_KEPT_CAPTURE_H

#pragma GCC visibility push(hidden)

/// Copies a capture to a separate file, and prints one line with its path.
/// \param why Why there is no report.
void liveobj_capture_keep(int capture, const char *why);
/// Removes the file if it is incomplete.
void liveobj_capture_discard(void);

#pragma GCC visibility pop

#endif
