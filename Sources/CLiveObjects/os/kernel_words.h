// kernel_words.h - pointers of the program that only the kernel keeps.
//
// A program may give an object's only reference to the kernel, which returns it with an event:
// `epoll_event.data.ptr`, the count of an eventfd, `sigev_value.sival_ptr` of a POSIX timer. They
// are read from /proc. It may also write a pointer to a pipe: what waits there is copied. What
// waits in local sockets and signals cannot be read without side effects. The kernel does not show
// others, such as those of aio, message queues and connections of a process with itself.

#pragma once

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

typedef void (*liveobj_kernel_word_visit_fn)(void *context, uintptr_t word);
/// Calls `visit` for each such word, and for others. Async-signal-safe; leaves no descriptor open.
/// \returns false if there are words that could not be read. Without /proc nothing is visited.
bool liveobj_kernel_words_visit(liveobj_kernel_word_visit_fn visit, void *context);

/// Notes that the calling thread has descriptors of its own, without those of the program.
void liveobj_kernel_words_exclude_thread(void);

#pragma GCC visibility pop
